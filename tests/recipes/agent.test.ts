/** The agent that comes with the repository is the recorded one, though its weights are stored in half precision. */
import { readFileSync } from 'node:fs';
import {
  diagramEnvironment,
  disposeModel,
  evaluate,
  generateTask,
  initBackend,
  scoreDiagram,
} from 'posttrain';
import { createLocalEngine } from 'posttrain/engine';
import { loadAgent } from 'posttrain/recipes/diagram/agent.node';
import type { SplitResult } from 'posttrain/recipes/diagram/evaluation';
import { beforeAll, describe, expect, it } from 'vitest';

interface Recorded {
  readonly arms: {
    readonly default: readonly {
      readonly seed: number;
      readonly results: Readonly<Record<string, readonly SplitResult[]>>;
    }[];
  };
}

const recorded = JSON.parse(
  readFileSync(new URL('../../data/results/diagram.json', import.meta.url), 'utf8'),
) as Recorded;

function recordedSuccess(stage: 'sft' | 'grpo'): number {
  const run = recorded.arms.default.find(({ seed }) => seed === 1);
  const result = run?.results[stage]?.find(({ split, mode }) => split === 'id' && mode === 'sampled');
  return result!.success.value;
}

beforeAll(async () => void (await initBackend({ backend: 'wasm' })));

describe.each(['sft', 'grpo'] as const)('the committed agent after %s', (stage) => {
  it('succeeds as often as recorded, as far as 50 tasks can say', { timeout: 120_000 }, async () => {
    const { model, tokenizer } = await loadAgent(stage);
    const engine = createLocalEngine(model);
    const [result] = await evaluate({
      engine,
      tokenizer,
      env: diagramEnvironment({ scorer: scoreDiagram }),
      tasks: Array.from({ length: 50 }, (_, index) =>
        generateTask({ seed: 0, split: 'id', index, profile: 'curriculum' }),
      ),
      numGenerations: 2,
      maxCompletionLength: 192,
    });
    engine.dispose();
    disposeModel(model);
    const { low, high } = result!.success;
    expect(recordedSuccess(stage)).toBeGreaterThan(low);
    expect(recordedSuccess(stage)).toBeLessThan(high);
    expect(result!.parsed!.value).toBeGreaterThan(0.9);
  });
});
