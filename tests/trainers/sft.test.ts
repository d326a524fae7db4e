import { beforeAll, describe, expect, it } from 'vitest';
import type { Datum, Engine } from 'posttrain/engine';
import { initBackend } from 'posttrain/tensor';
import { renderCompletion, renderPrompt } from 'posttrain/text';
import {
  dataOrder,
  dumpBatch,
  NonFiniteError,
  packTokens,
  sft,
  type SFTOptions,
  type SFTRow,
  type SFTState,
  type SFTStep,
} from 'posttrain/trainers';
import { exampleOf } from 'posttrain/trainers/sft-rows';
import { letterTokenizer } from '../engine/tiny.js';
import { collect, interruptedRun, liveTensors, straightRun, withEngine } from './runs.js';
import { testedBackends } from '../tensor/backends.js';

const row = (request: string, reply: string): SFTRow => ({
  prompt: renderPrompt(letterTokenizer, [{ role: 'user', content: request }]),
  completion: renderCompletion(letterTokenizer, reply),
});
const rows = [
  row('a', 'bcd'),
  row('b', 'cde'),
  row('c', 'def'),
  row('d', 'ef'),
  row('e', 'fgab'),
  row('f', 'g'),
  row('g', 'ab'),
  row('ab', 'ba'),
];

const run = (options: SFTOptions): Promise<SFTStep[]> => collect(sft(options));

describe.each(testedBackends)('sft on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it('goes on bit-identically after it was stopped', async () => {
    const config = { batchSize: 3, maxSteps: 6, learningRate: 0.01, seed: 9 };
    const straight = await straightRun((engine) => sft({ engine, rows, config }));
    const interrupted = await interruptedRun<SFTState>(
      (engine, signal) => sft({ engine, rows, config, signal }),
      (engine, state) => run({ engine, rows, config, state }),
    );
    expect(interrupted).toEqual(straight);
  });

  it('hears a signal that comes from outside while it computes', () =>
    withEngine(async (engine) => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 1);
      const config = { batchSize: 2, maxSteps: 1000 };
      expect((await run({ engine, rows, config, signal: stop.signal })).length).toBeLessThan(1000);
    }));

  it('keeps the number of tensors constant', () =>
    withEngine(async (engine) => {
      const counts = await liveTensors(sft({ engine, rows, config: { batchSize: 4, maxSteps: 4 } }));
      expect(counts).toHaveLength(4);
      expect(new Set(counts).size).toBe(1);
    }));
});

it('learns eight rows by heart, and the policy then says them', async () => {
  await initBackend({ backend: 'wasm' });
  await withEngine(async (engine) => {
    const config = { batchSize: 8, maxSteps: 80, learningRate: 0.02, warmupSteps: 5 };
    const steps = await run({ engine, rows, config });
    const [first, last] = [steps[0], steps.at(-1)];
    // an untrained model is about as good as guessing among 13 tokens
    expect(Math.abs((first?.metrics['loss'] as number) - Math.log(13))).toBeLessThan(1);
    expect(last?.metrics['loss']).toBeLessThan(0.1);
    expect(last?.metrics['mean_token_accuracy']).toBe(1);
    expect(last?.metrics['entropy']).toBeLessThan(first?.metrics['entropy'] as number);
    expect(last).toMatchObject({ step: 80, totalSteps: 80, state: { step: 80, updates: 80 } });
    expect(last?.metrics['epoch']).toBe(80);

    const prompts = rows.map((each) => ('prompt' in each ? each.prompt : each.tokens));
    const keys = prompts.map((_, index) => ({ seed: 1, purpose: 'test', step: 0, index }));
    const replies = await engine.sample(prompts, { maxNewTokens: 6, temperature: 0, stopTokens: [1] }, keys);
    expect(replies.map(({ tokens }) => letterTokenizer.decode(tokens.subarray(0, -1)))).toEqual([
      'bcd',
      'cde',
      'def',
      'ef',
      'fgab',
      'g',
      'ab',
      'ba',
    ]);
  });
});

describe('refused steps', () => {
  /** An engine whose loss is not finite at the given steps. */
  function failing(at: readonly number[]): Engine & { batches: (readonly Datum[])[] } {
    let step = 0;
    const batches: (readonly Datum[])[] = [];
    const streams = (batch: readonly Datum[]): Float32Array[] =>
      batch.map(({ tokens }) => new Float32Array(tokens.length));
    return {
      batches,
      policyVersion: 0,
      maxLength: 64,
      forwardBackward: (batch: readonly Datum[]) => {
        batches.push(batch);
        const hits = batch.map(({ tokens }) => new Uint8Array(tokens.length));
        return Promise.resolve({
          loss: at.includes(step) ? NaN : 1,
          logprobs: streams(batch),
          entropies: streams(batch),
          hits,
        });
      },
      optimStep: () => Promise.resolve({ gradNorm: 1, stepped: !at.includes(step++) }),
    } as unknown as Engine & { batches: (readonly Datum[])[] };
  }

  it('are counted, cost no place in the schedule, and never log NaN', async () => {
    const steps = await run({
      engine: failing([1]),
      rows,
      config: { maxSteps: 3, batchSize: 2, warmupSteps: 3 },
    });
    expect(steps.map(({ metrics }) => metrics['step_skipped'])).toEqual([0, 1, 0]);
    expect(steps[1]?.metrics['loss']).toBeUndefined();
    expect(steps[1]?.metrics['nonfinite/loss']).toBe(1);
    const rates = steps.map(({ metrics }) => metrics['learning_rate']);
    expect(rates[2]).toBe(rates[1]);
    expect(steps.at(-1)?.state).toMatchObject({ step: 3, updates: 2, refused: 0 });
  });

  it('end the run when there are three in a row, with the batch in hand', async () => {
    const engine = failing([2, 3, 4]);
    const error = await run({ engine, rows, config: { maxSteps: 9, batchSize: 2 } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(NonFiniteError);
    const { batch, step, message } = error as NonFiniteError;
    expect([step, message]).toEqual([5, expect.stringMatching(/three|3 steps in a row/)]);
    expect(batch).toBe(engine.batches[4]);
    const [line] = dumpBatch([{ tokens: Int32Array.of(1, 2), weights: Float32Array.of(0, NaN) }]).split('\n');
    expect(JSON.parse(line as string)).toEqual({ tokens: [1, 2], weights: [0, 'NaN'] });
  });

  it('are remembered across a resume', async () => {
    const state: SFTState = { step: 4, updates: 2, numTokens: 0, refused: 2 };
    await expect(
      run({ engine: failing([0]), rows, config: { maxSteps: 9, batchSize: 2 }, state }),
    ).rejects.toThrow(NonFiniteError);
  });
});

describe('rows', () => {
  const config = { maxLength: 6, completionOnlyLoss: true };
  it('train the completion only, or everything but the first token', () => {
    expect([
      ...exampleOf({ prompt: Int32Array.of(7, 8), completion: Int32Array.of(9, 1) }, 0, config).mask,
    ]).toEqual([0, 0, 1, 1]);
    const whole = exampleOf({ prompt: Int32Array.of(7, 8), completion: Int32Array.of(9, 1) }, 0, {
      ...config,
      completionOnlyLoss: false,
    });
    expect([...whole.mask]).toEqual([0, 1, 1, 1]);
    expect([...exampleOf({ tokens: Int32Array.of(7, 8, 9) }, 0, config).mask]).toEqual([0, 1, 1]);
    expect([
      ...exampleOf({ tokens: Int32Array.of(7, 8, 9), mask: Uint8Array.of(1, 0, 1) }, 0, config).mask,
    ]).toEqual([0, 0, 1]);
  });

  it('are cut visibly', () => {
    const long = exampleOf(
      { prompt: Int32Array.of(5), completion: Int32Array.of(5, 5, 5, 5, 5, 5) },
      0,
      config,
    );
    expect([long.tokens.length, long.truncated]).toEqual([6, true]);
  });

  it('without anything to learn are an error that names them', async () => {
    const empty = { prompt: Int32Array.of(5), completion: new Int32Array(0) };
    const drowned = { prompt: new Int32Array(6), completion: Int32Array.of(5) };
    expect(() => exampleOf(empty, 17, config)).toThrow(
      /Row 17 has no trainable token: its completion is empty/,
    );
    expect(() => exampleOf(drowned, 3, config)).toThrow(/Row 3 .* maxLength 6 cuts away/);
    await expect(run({ engine: {} as Engine, rows: [rows[0] as SFTRow, empty] })).rejects.toThrow(
      /Row 1 has no trainable token/,
    );
    await expect(run({ engine: {} as Engine, rows: [] })).rejects.toThrow(/at least one row/);
  });

  it('are packed end to end, separated, without padding', () => {
    const packed = packTokens([Int32Array.of(5, 6, 7), Int32Array.of(8), Int32Array.of(9, 9, 9)], 4, 1);
    expect(packed.map(({ tokens }) => [...tokens])).toEqual([
      [5, 6, 7, 1],
      [8, 1, 9, 9],
    ]);
    for (const length of [0, 1, NaN])
      expect(() => packTokens([Int32Array.of(5)], length, 1)).toThrow(/length is (0|1|NaN)/);
  });
});

it('visits every item once an epoch, in an order that depends on seed and position only', () => {
  const order = dataOrder(5, 3, true);
  const epochs = [0, 1].map((epoch) => Array.from({ length: 5 }, (_, n) => order(5 * epoch + n)));
  for (const epoch of epochs) expect([...epoch].sort()).toEqual([0, 1, 2, 3, 4]);
  expect(epochs[0]).not.toEqual(epochs[1]);
  expect(dataOrder(5, 3, true)(7)).toBe(order(7));
  expect([0, 1, 2, 3].map(dataOrder(3, 1, false))).toEqual([0, 1, 2, 0]);
});
