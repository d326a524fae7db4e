import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, evaluateLoss, pairedBootstrap, passAtK, wilsonInterval } from 'posttrain/eval';
import type { Sample, SampleKey } from 'posttrain/model';
import { letterTask, type LetterTask, letterTokenizer, letterWorld } from '../engine/tiny.js';

describe('Wilson interval', () => {
  // The shares p at which the score test |p̂ − p| = 1.96 √(p(1−p)/n) just rejects, found by bisection.
  it.each([
    [0, 20, 0, 0.1611252],
    [20, 20, 0.8388748, 1],
    [5, 20, 0.1118617, 0.4687009],
    [60, 200, 0.2407474, 0.3667907],
  ])('of %i of %i', (successes, trials, low, high) => {
    const interval = wilsonInterval(successes, trials);
    expect(interval.value).toBe(successes / trials);
    expect(interval.low).toBeCloseTo(low, 6);
    expect(interval.high).toBeCloseTo(high, 6);
  });

  it('knows nothing from nothing, and refuses nonsense', () => {
    expect(wilsonInterval(0, 0)).toMatchObject({ value: 0, low: 0, high: 1 });
    expect(() => wilsonInterval(3, 2)).toThrow(/0 ≤ successes ≤ trials, got 3 of 2/);
    expect(() => wilsonInterval(NaN, 2)).toThrow(RangeError);
  });
});

describe('pass@k', () => {
  it('is 1 − C(n−c, k) / C(n, k)', () => {
    expect(passAtK(8, 2, 1)).toBeCloseTo(0.25, 12);
    expect(passAtK(8, 2, 4)).toBeCloseTo(1 - 15 / 70, 12);
    expect(passAtK(8, 0, 8)).toBe(0);
    expect(passAtK(8, 1, 8)).toBe(1);
    expect(() => passAtK(4, 1, 5)).toThrow(/k = 5, 1 correct of 4/);
  });

  it('equals the average over all subsets of k samples', () => {
    const cases = fc
      .array(fc.boolean(), { minLength: 1, maxLength: 7 })
      .chain((samples) => fc.tuple(fc.constant(samples), fc.integer({ min: 1, max: samples.length })));
    fc.assert(
      fc.property(cases, ([samples, k]) => {
        let subsets = 0;
        let passing = 0;
        for (let bits = 0; bits < 2 ** samples.length; bits += 1) {
          const chosen = samples.filter((_, index) => (bits >> index) & 1);
          if (chosen.length !== k) continue;
          subsets += 1;
          passing += chosen.some(Boolean) ? 1 : 0;
        }
        expect(passAtK(samples.length, samples.filter(Boolean).length, k)).toBeCloseTo(passing / subsets, 10);
      }),
    );
  });
});

describe('paired bootstrap', () => {
  it('sees a small gain on the same tasks that unpaired intervals would hide', () => {
    const before = Array.from({ length: 100 }, (_, task) => (task % 10) / 10);
    const after = before.map((score, task) => score + (task % 4 === 0 ? 0.1 : 0));
    const comparison = pairedBootstrap(before, after);
    expect(comparison.difference).toBeCloseTo(0.025, 12);
    // Standard error of the mean difference: 0.1 · √(¼ · ¾ / 100) = 0.00433; ± 1.96 of them.
    expect(comparison.low).toBeCloseTo(0.025 - 0.0085, 2);
    expect(comparison.high).toBeCloseTo(0.025 + 0.0085, 2);
    expect(comparison.significant).toBe(true);
    expect(pairedBootstrap(before, after)).toEqual(comparison);
  });

  it('finds nothing where nothing is', () => {
    expect(pairedBootstrap([1, 0, 1], [1, 0, 1])).toMatchObject({
      difference: 0,
      low: 0,
      high: 0,
      significant: false,
    });
    const swapped = pairedBootstrap([1, 0, 1, 0], [0, 1, 0, 1]);
    expect(swapped.significant).toBe(false);
    expect(() => pairedBootstrap([1], [1, 2])).toThrow(/same tasks on both sides, got 1 and 2/);
    expect(() => pairedBootstrap([NaN], [1])).toThrow(/finite/);
  });
});

describe('evaluate', () => {
  const engine = {
    policyVersion: 0,
    maxLength: 64,
    sample: (prompts: readonly Int32Array[], _: unknown, keys: readonly SampleKey[]): Promise<Sample[]> =>
      Promise.resolve(
        prompts.map((_prompt, n) => {
          const isFirst = (keys[n] as SampleKey).index % 4 === 0;
          const tokens = Int32Array.of(...letterTokenizer.encode(isFirst ? 'a' : 'b'), 1);
          return { tokens, logprobs: new Float32Array(2), finishReason: 'stop' };
        }),
      ),
  };
  const tasks = ['x', 'y', 'z'].map((id) => letterTask(id, 'a', id === 'z' ? 'hard' : 'id'));

  it('tries each task as often as it says, and none twice (D4)', async () => {
    const started: string[] = [];
    const env = letterWorld(() => 1);
    const counting = { ...env, start: (task: LetterTask) => (started.push(task.id), env.start(task)) };
    const common = { engine, tokenizer: letterTokenizer, tasks, maxCompletionLength: 4 };
    await evaluate({ ...common, env: counting, numGenerations: 2 });
    expect(started.sort()).toEqual(['x', 'x', 'y', 'y', 'z', 'z']);
  });

  it('reports each split: rates with intervals over tasks, means, pass@k, a second opinion', async () => {
    const progress: number[] = [];
    const [easy, hard] = await evaluate({
      engine,
      tokenizer: letterTokenizer,
      env: letterWorld((reply) => (reply === 'a' ? 1 : 0.2)),
      tasks,
      numGenerations: 4,
      maxCompletionLength: 4,
      passAt: [1, 4],
      verify: (task) => task.id !== 'y',
      onProgress: (done) => progress.push(done),
    });
    expect(easy).toMatchObject({ split: 'id', tasks: 2, samplesPerTask: 4, meanLength: 2, clippedRatio: 0 });
    expect(easy?.success).toMatchObject({ value: 0.25, trials: 2 });
    expect(easy?.verified?.value).toBe(0.5);
    expect(easy?.reward).toBeCloseTo((1 + 3 * 0.2) / 4, 12);
    expect(easy?.metrics).toEqual({ success: 0.25, length: 1 });
    expect(easy?.passAt).toEqual({ 1: 0.25, 4: 1 });
    expect(easy?.perTask.map(({ taskId, success }) => [taskId, success])).toEqual([
      ['x', 0.25],
      ['y', 0.25],
    ]);
    expect(hard).toMatchObject({ split: 'hard', tasks: 1 });
    expect(easy?.parsed).toBeUndefined();
    expect(progress).toEqual([3]);
  });

  it('stops when asked to, and before it samples for a pass@k it cannot give', async () => {
    const options = {
      engine,
      tokenizer: letterTokenizer,
      env: letterWorld(() => 1),
      tasks,
      maxCompletionLength: 4,
    };
    await expect(evaluate({ ...options, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    );
    let sampled = false;
    const watched = { ...engine, sample: () => ((sampled = true), Promise.resolve([])) };
    await expect(evaluate({ ...options, engine: watched, passAt: [8] })).rejects.toThrow(/k = 8/);
    expect(sampled).toBe(false);
  });
});

it('evaluateLoss is the mean over the tokens that would be trained', async () => {
  const scorer = {
    logprobs: (sequences: readonly { tokens: ArrayLike<number> }[]) =>
      Promise.resolve(sequences.map(({ tokens }) => Float32Array.from(tokens, (_, t) => -t))),
    dispose: () => undefined,
  };
  const rows = [
    { prompt: Int32Array.of(1, 2), completion: Int32Array.of(3, 4) },
    { tokens: Int32Array.of(1, 2) },
  ];
  expect(await evaluateLoss(scorer, rows)).toBe((2 + 3 + 1) / 3);
  await expect(evaluateLoss(scorer, [])).rejects.toThrow(/at least one row/);
});
