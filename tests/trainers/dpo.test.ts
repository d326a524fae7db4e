import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine, LogprobScorer } from 'posttrain/engine';
import { initBackend } from 'posttrain/tensor';
import { renderCompletion, renderPrompt } from 'posttrain/text';
import {
  dpo,
  type DPOConfig,
  type DPOOptions,
  type DPOState,
  type DPOStep,
  type PreferenceRow,
} from 'posttrain/trainers';
import { bits, letterTokenizer } from '../engine/tiny.js';
import { collect, interruptedRun, liveTensors, straightRun, withEngine } from './runs.js';

const row = (request: string, chosen: string, rejected: string): PreferenceRow => ({
  prompt: renderPrompt(letterTokenizer, [{ role: 'user', content: request }]),
  chosen: renderCompletion(letterTokenizer, chosen),
  rejected: renderCompletion(letterTokenizer, rejected),
});
const rows = [
  row('a', 'aa', 'bcd'),
  row('b', 'aaa', 'c'),
  row('c', 'a', 'dd'),
  row('d', 'aaaa', 'ef'),
  row('e', 'aa', 'fg'),
];
const small: Partial<DPOConfig> = { batchSize: 2, maxSteps: 6, learningRate: 0.01, seed: 9 };

const run = (options: DPOOptions): Promise<DPOStep[]> => collect(dpo(options));

/** Every reply scores as the script says, row by row: chosen, rejected. */
function scripted(
  policy: readonly number[],
  reference: readonly number[],
): { engine: Engine; reference: LogprobScorer } {
  const scorer =
    (logps: readonly number[]): LogprobScorer['logprobs'] =>
    (sequences) =>
      Promise.resolve(
        sequences.map(({ mask }, n) => {
          const stream = new Float32Array(mask.length);
          stream[Array.from(mask).indexOf(1)] = logps[n] as number;
          return stream;
        }),
      );
  const engine = {
    maxLength: 64,
    logprobs: scorer(policy),
    forwardBackward: (data: readonly { tokens: Int32Array }[]) => {
      const zeros = data.map(({ tokens }) => new Float32Array(tokens.length));
      return Promise.resolve({ loss: 0, logprobs: zeros, entropies: zeros, hits: [] });
    },
    optimStep: () => Promise.resolve({ gradNorm: 1, stepped: true }),
  };
  return {
    engine: engine as unknown as Engine,
    reference: { logprobs: scorer(reference), dispose: () => undefined },
  };
}

describe.each(['cpu', 'wasm'] as const)('dpo on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it('starts at ln 2 with margin 0, ties counting as wrong, and reports by the names of TRL (G1, G3)', () =>
    withEngine(async (engine) => {
      const [step] = await run({ engine, rows, config: { ...small, batchSize: 5, maxSteps: 1 } });
      const { metrics } = step as DPOStep;
      expect(metrics['loss']).toBeCloseTo(Math.LN2, 6);
      expect(metrics['rewards/margins']).toBeCloseTo(0, 5);
      expect(metrics['logps/chosen']).toBeLessThan(-1);
      expect(metrics['grad_norm']).toBeGreaterThan(1e-3);
      const rewards = ['chosen', 'rejected', 'accuracies', 'margins'].map((name) => `rewards/${name}`);
      const names = ['loss', ...rewards, 'logps/chosen', 'logps/rejected', 'entropy', 'mean_token_accuracy'];
      const common = ['grad_norm', 'learning_rate', 'num_tokens', 'epoch', 'step_skipped', 'truncated_rows'];
      expect(Object.keys(metrics).sort()).toEqual([...names, ...common].sort());
    }));

  it('goes on bit-identically after it was stopped', async () => {
    const straight = await straightRun((engine) => dpo({ engine, rows, config: small }));
    const interrupted = await interruptedRun<DPOState>(
      (engine, signal) => dpo({ engine, rows, config: small, signal }),
      async (engine, state) => {
        await expect(run({ engine, rows, config: small, state })).rejects.toThrow(/needs `reference`/);
        const reference = await withEngine((first) => first.reference());
        const steps = await run({ engine, rows, config: small, state, reference });
        reference.dispose();
        return steps;
      },
    );
    expect(interrupted).toEqual(straight);
  });

  it('keeps the number of tensors constant, and holds no second model', () =>
    withEngine(async (engine) => {
      const before = tf.memory().numTensors;
      const counts = await liveTensors(dpo({ engine, rows, config: { ...small, maxSteps: 3 } }));
      expect(counts).toHaveLength(3);
      expect(new Set(counts).size).toBe(1);
      engine.dispose();
      expect(tf.memory().numTensors).toBe(before);
    }));
});

it.each(['sigmoid', 'ipo', 'hinge'] as const)('learns to prefer what is preferred: %s', async (lossType) => {
  await initBackend({ backend: 'wasm' });
  await withEngine(async (engine) => {
    const config = { batchSize: 5, maxSteps: 40, learningRate: 0.01, lossType };
    const steps = await run({ engine, rows, config });
    const [first, last] = [steps[0]?.metrics, steps.at(-1)?.metrics];
    expect(last?.['rewards/accuracies']).toBe(1);
    expect(last?.['rewards/margins']).toBeGreaterThan(0.2);
    expect(last?.['loss']).toBeLessThan((first?.['loss'] as number) / 1.2);
  });
});

describe('what dpo computes', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'cpu' });
  });
  const one = [rows[0] as PreferenceRow];
  const only = { batchSize: 1, maxSteps: 1 };

  it.each<[string, Partial<DPOConfig>, number]>([
    ['sigmoid', {}, 0.644397],
    ['a smoothed sigmoid', { labelSmoothing: 0.1 }, 0.654397],
    ['hinge', { lossType: 'hinge' }, 0.9],
    // means over 3 and 4 tokens: (1/3 − 0 − 5)²
    ['ipo', { lossType: 'ipo' }, (1 / 3 - 5) ** 2],
  ])('%s of log-ratios 1 and 0', async (_, config, loss) => {
    const options = scripted([-10, -12], [-11, -12]);
    const [step] = await run({ ...options, rows: one, config: { ...only, ...config } });
    expect(step?.metrics['loss']).toBeCloseTo(loss, 5);
    expect(step?.metrics).toMatchObject({
      'rewards/accuracies': 1,
      'logps/chosen': -10,
      'logps/rejected': -12,
    });
    expect(step?.metrics['rewards/margins']).toBeCloseTo(0.1, 6);
  });

  it('a pair that is settled under hinge changes nothing, and is no failure however often', () =>
    withEngine(async (engine) => {
      const far: LogprobScorer = {
        logprobs: (sequences) =>
          Promise.resolve(
            sequences.map(({ tokens, mask }, n) =>
              Float32Array.from(tokens, (_, t) => (mask[t] ? (n % 2 === 0 ? -90 : -1) : 0)),
            ),
          ),
        dispose: () => undefined,
      };
      const before = bits(await engine.save());
      const config: Partial<DPOConfig> = { ...small, lossType: 'hinge', maxSteps: 4 };
      const steps = await run({ engine, rows, reference: far, config });
      expect(steps.map(({ metrics }) => [metrics['step_skipped'], metrics['loss']])).toEqual(
        new Array(4).fill([1, 0]),
      );
      expect(bits(await engine.save())).toEqual(before);
    }));

  it('scores each pair it visits once, however many epochs', async () => {
    const scripts = scripted([-10, -12, -10, -12], [-11, -12, -11, -12]);
    let scored = 0;
    const reference: LogprobScorer = {
      ...scripts.reference,
      logprobs: (sequences) => {
        scored += sequences.length;
        return scripts.reference.logprobs(sequences);
      },
    };
    const config = { batchSize: 2, maxSteps: 6 };
    await run({ engine: scripts.engine, rows: rows.slice(0, 2), reference, config });
    expect(scored).toBe(4);
  });
});

describe('dpo refuses', () => {
  const engine = {} as Engine;
  const { prompt, chosen } = rows[0] as PreferenceRow;
  it.each<[string, readonly PreferenceRow[], Partial<DPOConfig>, RegExp]>([
    ['no rows', [], {}, /at least one row/],
    ['an empty reply', [{ prompt, chosen, rejected: new Int32Array(0) }], {}, /Row 0 has no trainable token/],
    [
      'equal replies',
      [{ prompt, chosen, rejected: chosen }],
      {},
      /Row 0: chosen and rejected are the same, so .* Remove the row/,
    ],
    [
      'replies that a cut makes equal',
      [row('a', 'aab', 'aac')],
      { maxLength: 5 },
      /the same up to maxLength 5; raise it/,
    ],
  ])('%s', async (_, given, config, message) => {
    await expect(run({ engine, rows: given, config })).rejects.toThrow(message);
  });

  it('a reference that is not sound', async () => {
    const { engine, reference } = scripted([-1, -1], [NaN, -1]);
    const config = { batchSize: 1, maxSteps: 1 };
    await expect(run({ engine, reference, rows: rows.slice(0, 1), config })).rejects.toThrow(
      /Row 0: the reference gives its replies log-probabilities NaN and -1/,
    );
  });
});

it('counts what it cuts (G5)', async () => {
  await initBackend({ backend: 'cpu' });
  await withEngine(async (engine) => {
    const [step] = await run({ engine, rows, config: { batchSize: 5, maxSteps: 1, maxLength: 6 } });
    // longer than three tokens of prompt and three of reply: bcd and aaa and aaaa, each with its end
    expect(step?.metrics['truncated_rows']).toBe(3);
  });
});
