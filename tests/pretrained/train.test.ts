/** LoRA on open weights: SFT lowers the loss, GRPO moves the adapter, and the adapter is PEFT's. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalEngine, type Engine } from 'posttrain/engine';
import { addAdapter, disposeModel, type Model, scoreSequences } from 'posttrain/model';
import { loadAdapter, saveAdapter } from 'posttrain/model/adapter-checkpoint.node';
import { loadPretrained } from 'posttrain/pretrained/load.node';
import { rollout } from 'posttrain/rollout';
import { initBackend } from 'posttrain/tensor';
import { renderCompletion, renderPrompt, stopTokens, type Tokenizer } from 'posttrain/text';
import { grpo, sft, type SFTRow } from 'posttrain/trainers';
import { beforeAll, describe, expect, it } from 'vitest';
import { bits, letterTask, letterWorld } from '../engine/tiny.js';
import { testedBackends } from '../tensor/backends.js';
import { collect } from '../trainers/runs.js';
import { pretrainedFolders, pretrainedPath } from './fixture.js';

interface Student {
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  readonly engine: Engine;
}

async function withStudent(name: string, use: (student: Student) => Promise<void>): Promise<void> {
  const { model: base, tokenizer } = await loadPretrained(pretrainedPath(name));
  const model = addAdapter(base, { r: 4, loraAlpha: 8, seed: 1 });
  const engine = createLocalEngine(model);
  try {
    await use({ model, tokenizer, engine });
  } finally {
    engine.dispose();
    disposeModel(model);
  }
}

/** Replies of different lengths: the shorter one is padded in its batch. */
const rowsFor = (tokenizer: Tokenizer): SFTRow[] =>
  [
    ['Draw a box.', 'ok'],
    ['Draw a database.', 'The database is there.'],
  ].map(([user = '', reply = '']) => ({
    prompt: renderPrompt(tokenizer, [{ role: 'user', content: user }]),
    completion: renderCompletion(tokenizer, reply),
  }));

const ascii = letterWorld((reply) => [...reply].filter((c) => c < '\x7f').length / (reply.length + 1));

// SmolLM2 pads with the token that ends a turn
const cheap = ['qwen2', 'smollm2-sharded-bf16'];

describe.each(testedBackends)('LoRA on %s', (backend) => {
  beforeAll(() => initBackend({ backend }));

  it.each(backend === 'cpu' ? cheap : pretrainedFolders)('trains %s by SFT and by GRPO', (name) =>
    withStudent(name, async ({ model, tokenizer, engine }) => {
      const rows = rowsFor(tokenizer) as { prompt: Int32Array; completion: Int32Array }[];
      const alone = await scoreSequences(
        model,
        rows.map(({ prompt, completion }) => ({
          tokens: [...prompt, ...completion],
          mask: [...prompt.map(() => 0), ...completion.map(() => 1)],
        })),
        { microBatch: 1 },
      );
      const trained = rows.reduce((sum, { completion }) => sum + completion.length, 0);
      const expected = -alone.flatMap((row) => [...row]).reduce((a, b) => a + b, 0) / trained;

      const steps = await collect(
        sft({ engine, rows, config: { maxSteps: 3, batchSize: 2, learningRate: 1e-2, warmupSteps: 0 } }),
      );
      const losses = steps.map(({ metrics }) => metrics['loss'] as number);
      // every token of both replies counts, the last ones too
      expect(Math.abs(losses[0]! - expected)).toBeLessThan(1e-4);
      expect(losses.at(-1)).toBeLessThan(losses[0]!);

      const before = JSON.stringify(bits(await engine.save()));
      const [first, second] = await collect(
        grpo({
          engine,
          tokenizer,
          env: ascii,
          tasks: ['one', 'two'].map((id) => letterTask(id, `Write ${id}.`)),
          config: {
            promptsPerStep: 1,
            numGenerations: 4,
            maxCompletionLength: 6,
            maxSteps: 2,
            maxClippedRatio: 1,
            learningRate: 1e-3,
            warmupSteps: 0,
          },
        }),
      );
      // the sampler, with its caches, computes what the trainer computes
      expect(first!.metrics['sampling/sampling_logp_difference/max']).toBeLessThan(1e-4);
      expect([first!.metrics['grad_norm'], second!.metrics['grad_norm']].some((norm) => norm! > 0)).toBe(
        true,
      );
      expect(JSON.stringify(bits(await engine.save()))).not.toBe(before);
    }),
  );
});

describe('what is left of it', () => {
  beforeAll(() => initBackend({ backend: testedBackends[0] }));

  it('is an adapter in the layout of PEFT, with which the model gives the same', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'pretrained-'));
    try {
      await withStudent('qwen2', async ({ model, tokenizer, engine }) => {
        const rows = rowsFor(tokenizer);
        await collect(sft({ engine, rows, config: { maxSteps: 1, learningRate: 1e-2, warmupSteps: 0 } }));
        await saveAdapter(dir, model, { baseModelNameOrPath: 'Qwen/Qwen2.5-0.5B-Instruct' });
        expect(readdirSync(dir).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
        expect(JSON.parse(readFileSync(join(dir, 'adapter_config.json'), 'utf8'))).toMatchObject({
          peft_type: 'LORA',
          base_model_name_or_path: 'Qwen/Qwen2.5-0.5B-Instruct',
        });
        const { model: base } = await loadPretrained(pretrainedPath('qwen2'));
        const again = await loadAdapter(dir, base);
        const sequence = [{ tokens: [1, 2, 3, 4, 5], mask: [0, 1, 1, 1, 1] }];
        const [trained, untrained, loaded] = [
          await scoreSequences(model, sequence),
          await scoreSequences(base, sequence),
          await scoreSequences(again, sequence),
        ];
        expect(loaded).toEqual(trained);
        expect(loaded).not.toEqual(untrained);
        disposeModel(again);
      });
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

describe('a rollout of open weights', () => {
  beforeAll(() => initBackend({ backend: testedBackends[0] }));

  it('ends at a stop token, which was sampled and is trained, or is cut', () =>
    withStudent('llama-tied', async ({ tokenizer, engine }) => {
      const [group] = await rollout({
        engine,
        tokenizer,
        env: ascii,
        tasks: [letterTask('x', 'Write <|eot_id|>.')],
        numGenerations: 48,
        seed: 1,
        step: 0,
        maxCompletionLength: 24,
      });
      const prompt = renderPrompt(tokenizer, [{ role: 'user', content: 'Write <|eot_id|>.' }]);
      const stopped = group!.episodes.map(({ trajectories, stopReason }) => {
        const { tokens, actionMask } = trajectories[0]!;
        expect(tokens.slice(0, prompt.length)).toEqual(prompt);
        expect(actionMask.slice(prompt.length)).toEqual(
          new Uint8Array(tokens.length - prompt.length).fill(1),
        );
        const reply = [...tokens.slice(prompt.length)];
        const stops = reply.map((id) => stopTokens(tokenizer).includes(id));
        // only ever the last one
        expect(stops.slice(0, -1)).not.toContain(true);
        expect(stopReason).toBe(stops.at(-1) ? 'completed' : 'max_tokens');
        return stops.at(-1);
      });
      expect(new Set(stopped)).toEqual(new Set([true, false]));
    }));
});
