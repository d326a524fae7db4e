import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Datum, Engine } from 'posttrain/engine';
import type { SampleKey } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import { rft, type RFTConfig, type RFTOptions, type RFTState, type RFTStep } from 'posttrain/trainers';
import { type Reply, scriptedSampler } from '../engine/scripted.js';
import { bits, letterTask, type LetterTask, letterTokenizer, letterWorld, shareOfA } from '../engine/tiny.js';
import { collect, interruptedRun, liveTensors, straightRun, withEngine } from './runs.js';

const letters = {
  tokenizer: letterTokenizer,
  tasks: ['a', 'b', 'c', 'd'].map((letter) => letterTask(letter, letter)),
  env: letterWorld(shareOfA),
};
const small: Partial<RFTConfig> = {
  promptsPerStep: 2,
  numGenerations: 4,
  maxCompletionLength: 8,
  maxSteps: 4,
  rewardThreshold: null,
  keepBest: true,
  batchSize: 2,
  learningRate: 0.01,
};

type Options = Pick<RFTOptions<LetterTask>, 'engine'> & Partial<RFTOptions<LetterTask>>;
const run = (options: Options): Promise<RFTStep[]> => collect(rft({ ...letters, ...options }));

describe.each(['cpu', 'wasm'] as const)('rft on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it('goes on bit-identically after it was stopped', async () => {
    const straight = await straightRun((engine) => rft({ ...letters, engine, config: small }));
    const interrupted = await interruptedRun<RFTState>(
      (engine, signal) => rft({ ...letters, engine, config: small, signal }),
      (engine, state) => run({ engine, config: small, state }),
    );
    expect(interrupted).toEqual(straight);
  });

  it('keeps the number of tensors constant', () =>
    withEngine(async (engine) => {
      const counts = await liveTensors(rft({ ...letters, engine, config: small }));
      expect(counts).toHaveLength(4);
      // the first round with anything to learn makes the optimizer's moments
      expect(new Set(counts.slice(1)).size).toBe(1);
    }));
});

it('raises the reward by learning only from its best samples', async () => {
  await initBackend({ backend: 'wasm' });
  await withEngine(async (engine) => {
    const config = {
      ...small,
      promptsPerStep: 8,
      numGenerations: 8,
      maxSteps: 20,
      batchSize: 8,
      learningRate: 0.02,
    };
    const steps = await run({ engine, config });
    expect(steps[0]?.metrics['reward']).toBeLessThan(0.3);
    expect(steps.at(-1)?.metrics['reward']).toBeGreaterThan(0.8);
  });
});

describe('what rft learns from', () => {
  /** Replies from a script; records what it is trained on. */
  function scripted(reply: (request: string, key: SampleKey) => Reply) {
    const trained: (readonly Datum[])[] = [];
    const engine = {
      ...scriptedSampler(reply),
      trained,
      policyVersion: 0,
      forwardBackward: (batch: readonly Datum[]) => {
        trained.push(batch);
        const zeros = batch.map(({ tokens }) => new Float32Array(tokens.length));
        const hits = batch.map(({ tokens }) => new Uint8Array(tokens.length));
        return Promise.resolve({ loss: 1, logprobs: zeros, entropies: zeros, hits });
      },
      optimStep: () => Promise.resolve({ gradNorm: 1, stepped: true }),
    };
    return engine as typeof engine & Engine;
  }
  const texts = (batch: readonly Datum[] | undefined): string[] =>
    (batch ?? []).map(({ tokens, weights }) =>
      letterTokenizer.decode(tokens.filter((_, t) => weights[t] !== 0)),
    );
  const nth = ({ index }: SampleKey): number => index % 2 ** 16;
  const one: Partial<RFTConfig> = { ...small, promptsPerStep: 1, maxSteps: 1, batchSize: 32 };
  const world = letterWorld((reply) => reply.length);

  it('keeps what reaches the threshold, equal samples once, the reply only', async () => {
    const engine = scripted((_, key) => ({ text: ['b', 'aaa', 'aaa', 'ccc'][nth(key)] as string }));
    const config = { ...one, rewardThreshold: 3, keepBest: false };
    const [step] = await run({ engine, env: world, config });
    expect(texts(engine.trained[0]).sort()).toEqual(['aaa<|end|>', 'ccc<|end|>']);
    expect(step?.metrics).toMatchObject({ num_kept: 2, num_duplicates: 1, frac_tasks_kept: 1, reward: 2.5 });
    expect(step?.state).toMatchObject({ step: 1, updates: 1, tasks: 1, samples: 4 });
  });

  it('keeps the best, of equal ones the first, and none that was cut', async () => {
    const replies: Reply[] = [
      { text: 'aaaaaaaa', cut: true },
      { text: 'bb' },
      { text: 'ccc' },
      { text: 'ddd' },
    ];
    const engine = scripted((_, key) => replies[nth(key)] as Reply);
    await run({ engine, env: world, config: one });
    expect(texts(engine.trained[0])).toEqual(['ccc<|end|>']);
  });

  it('changes nothing when nothing is good enough', () =>
    withEngine(async (engine) => {
      const before = bits(await engine.save());
      const config = { ...small, rewardThreshold: 2, keepBest: false, maxSteps: 4 };
      const steps = await run({ engine, config });
      expect(steps.map(({ metrics }) => metrics['step_skipped'])).toEqual([1, 1, 1, 1]);
      expect(steps[0]?.metrics).toMatchObject({ num_kept: 0, frac_tasks_kept: 0 });
      expect(steps[0]?.metrics).not.toHaveProperty('loss');
      expect(bits(await engine.save())).toEqual(before);
    }));

  it('learns anew from what each round has made', async () => {
    await initBackend({ backend: 'cpu' });
    await withEngine(async (engine) => {
      const before = tf.memory().numTensors;
      await run({ engine, config: small });
      expect(engine.policyVersion).toBeGreaterThan(1);
      engine.dispose();
      expect(tf.memory().numTensors).toBe(before);
    });
  });
});
