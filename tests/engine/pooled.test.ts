import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
// Worker threads load compiled files, so all of this test runs on the build.
import {
  createLocalEngine,
  type Datum,
  type Engine,
  type EngineState,
  type OptimName,
} from '../../lib/dist/engine/index.js';
import { createPooledEngine } from '../../lib/dist/engine/create.node.js';
import { addAdapter, createModel, disposeModel, sampleKeys } from '../../lib/dist/model/index.js';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { bits, tinyConfig } from './tiny.js';

beforeAll(async () => {
  await initBackend({ backend: 'wasm' });
});

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** With so few tokens a part, eight sequences are cut into many. */
const microBatchTokens = 16;

function open(workers: number, withAdapter = false): Engine {
  const base = createModel(tinyConfig, 7);
  const model = withAdapter ? addAdapter(base, { r: 2, loraAlpha: 4, seed: 3 }) : base;
  const engine =
    workers === 0
      ? createLocalEngine(model, { microBatchTokens })
      : createPooledEngine(model, { workers, microBatchTokens });
  opened.push(() => {
    engine.dispose();
    disposeModel(model);
  });
  return engine;
}

const tokensOf = (length: number, salt: number): Int32Array =>
  Int32Array.from({ length }, (_, t) => (t * 7 + salt * 5) % tinyConfig.vocabSize);
const batch: Datum[] = [5, 9, 3, 12, 7, 2, 9, 6].map((length, row) => ({
  tokens: tokensOf(length, row),
  weights: Float32Array.from({ length }, (_, t) => (t > 0 ? 0.02 : 0)),
  advantages: new Float32Array(length).fill(row % 3 === 0 ? 1 : -0.5),
}));
const policyGradient = {
  name: 'policy_gradient',
  epsilon: 0.2,
  epsilonHigh: 0.2,
  delta: null,
  beta: 0,
} as const;
const prompts = [4, 2, 2, 7, 5].map(tokensOf);
const params = { maxNewTokens: 12, temperature: 1, stopTokens: [3] };

/** Everything an engine can be asked for, twice over an optimizer step. */
async function everything(engine: Engine, optim: OptimName): Promise<unknown[]> {
  const keys = sampleKeys(prompts.length, 1, 'pool');
  const sequences = batch.map(({ tokens, weights }) => ({ tokens, mask: weights }));
  const reference = await engine.reference();
  const results: unknown[] = [];
  for (let step = 0; step < 2; step += 1) {
    results.push(await engine.sample(prompts, params, keys), await engine.logprobs(sequences, 0.7));
    results.push(await engine.forwardBackward(batch, policyGradient));
    results.push(await engine.forwardBackward(batch.slice(2, 5), { name: 'cross_entropy' }));
    const teacher = await engine.distributions(sequences);
    const taught = batch.map((datum, row) => ({ ...datum, teacherLogprobs: teacher[row]! }));
    results.push(teacher, await engine.forwardBackward(taught, { name: 'generalized_jsd', beta: 0.5 }, 0.7));
    results.push(await engine.optimStep({ learningRate: 1e-2, weightDecay: 0.1, maxGradNorm: 0.1, optim }));
    results.push(engine.policyVersion, await reference.logprobs(sequences));
    results.push(await reference.distributions(sequences));
  }
  reference.dispose();
  return [...results, bits(await engine.save())];
}

describe('pooled engine', () => {
  it.each([
    [1, 'adamw'],
    [2, 'adamw'],
    [3, 'adamw'],
    [2, 'muon'],
  ] as const)('with %i workers and %s gives the same bits as the local engine', async (workers, optim) => {
    expect(await everything(open(workers), optim)).toEqual(await everything(open(0), optim));
  });

  it.each([1, 2])(
    'with %i workers trains an adapter to the same bits as the local engine',
    async (workers) => {
      expect(await everything(open(workers, true), 'adamw')).toEqual(
        await everything(open(0, true), 'adamw'),
      );
    },
  );

  it('draws a sample of its own for each place in a group, whichever worker draws it (D3)', async () => {
    const group = Array.from({ length: 8 }, () => tokensOf(3, 1));
    const samples = await open(4).sample(group, params, sampleKeys(8, 1, 'pool'));
    expect(new Set(samples.map(({ tokens }) => tokens.join())).size).toBe(8);
  });

  it('goes on from a saved state to the same bits', async () => {
    const state: EngineState[] = [];
    for (const engine of [open(2), open(0)]) {
      await engine.forwardBackward(batch, policyGradient);
      await engine.optimStep({ learningRate: 1e-2 });
      const saved = await engine.save();
      const resumed = open(2);
      await resumed.load(saved);
      await resumed.forwardBackward(batch, policyGradient);
      await resumed.optimStep({ learningRate: 1e-2 });
      state.push(await resumed.save());
    }
    expect(bits(state[0]!)).toEqual(bits(state[1]!));
  });

  it('passes on what is wrong with a task, and works on', async () => {
    const engine = open(2);
    const tooLong = [tokensOf(60, 1)];
    await expect(engine.sample(tooLong, params, sampleKeys(1, 1, 'pool'))).rejects.toThrow(
      /prompt 0 has 60 tokens; with maxNewTokens 12 that exceeds the model's 64/,
    );
    await expect(
      engine.forwardBackward([{ ...batch[0]!, weights: new Float32Array(9) }], policyGradient),
    ).rejects.toThrow(/`weights` has 9 entries for 5 tokens/);
    expect(await engine.sample(prompts, params, sampleKeys(prompts.length, 1, 'pool'))).toHaveLength(5);
  });

  it('refuses a gradient that is not finite, like the local engine', async () => {
    const engine = open(2);
    const before = bits(await engine.save());
    const { loss } = await engine.forwardBackward(
      [{ ...batch[0]!, advantages: new Float32Array(5).fill(Infinity) }],
      policyGradient,
    );
    expect(Number.isFinite(loss)).toBe(false);
    expect((await engine.optimStep({ learningRate: 1 })).stepped).toBe(false);
    expect(bits(await engine.save())).toEqual(before);
  });

  it('ends unfinished work when it is disposed', async () => {
    const engine = open(1);
    const work = engine.sample(prompts, params, sampleKeys(prompts.length, 1, 'pool'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    engine.dispose();
    await expect(work).rejects.toThrow(/disposed/);
    await expect(engine.logprobs([{ tokens: tokensOf(4, 1), mask: [0, 1, 1, 1] }])).rejects.toThrow(
      /disposed/,
    );
  });

  it.each([0, 1.5, Number.NaN])('refuses %d workers', (workers) => {
    expect(() => createPooledEngine(createModel(tinyConfig, 7), { workers })).toThrow(
      /whole number from 1 on/,
    );
  });

  it('keeps no program alive', async () => {
    const dist = new URL('../../lib/dist/', import.meta.url).href;
    const program = `
      import { initBackend } from '${dist}tensor/index.js';
      import { createModel, sampleKeys } from '${dist}model/index.js';
      import { createPooledEngine } from '${dist}engine/create.node.js';
      await initBackend({ backend: 'wasm' });
      const engine = createPooledEngine(createModel(${JSON.stringify(tinyConfig)}, 7), { workers: 2 });
      const [sample] = await engine.sample([Int32Array.of(1, 2)], { maxNewTokens: 4, temperature: 1, stopTokens: [] }, sampleKeys(1, 1, 'pool'));
      console.log(sample.tokens.length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
    });
    expect(stdout.trim()).toBe('4');
  });
});
