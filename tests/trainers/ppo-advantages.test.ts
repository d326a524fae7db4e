/** What PPO makes of episodes before it learns from them: rewards, KL, values and advantages, token by token. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StopReason } from 'posttrain/envs/types';
import { type EpisodeRecord, type Trajectory } from 'posttrain/rollout';
import { definePPOConfig, type PPOConfig, StaleSampleError } from 'posttrain/trainers';
import { ppoData, ppoEpisodes } from 'posttrain/trainers/ppo-batch';

/** A sampled episode; its sequences are masks, a 1 for each token the policy sampled. */
function episodeOf(
  masks: readonly (readonly number[])[],
  reward: number | null = 1,
  stopReason: StopReason = 'completed',
): EpisodeRecord {
  const trajectories = masks.map((mask): Trajectory => ({
    tokens: Int32Array.from(mask, (_, t) => t % 9),
    actionMask: Uint8Array.from(mask),
    logprobs: Float32Array.from(mask, (on, t) => (on ? -0.1 * (t + 1) : 0)),
    turns: [],
  }));
  return {
    ...{
      taskId: 'x',
      split: 'train',
      groupId: '0:0',
      promptIndex: 0,
      sampleIndex: 0,
      seed: 1,
      policyVersion: 3,
    },
    ...{ trajectories, reward, metrics: {}, stopReason, messages: [] },
  };
}

/** A critic that expects `value(t)` after token t. */
const critic = (value: (t: number) => number) => ({
  values: (sequences: readonly { readonly mask: ArrayLike<number> }[]) =>
    Promise.resolve(sequences.map(({ mask }) => Float32Array.from(mask, (on, t) => (on ? value(t) : 0)))),
});

describe('the advantages of ppo', () => {
  const judged = (
    records: readonly EpisodeRecord[],
    config: Partial<PPOConfig> = {},
    value: (t: number) => number = () => 0,
  ) => ppoEpisodes(records, { critic: critic(value), reference: undefined }, definePPOConfig(config), 3);
  const flat = (streams: readonly Float32Array[]): number[] => streams.flatMap((stream) => [...stream]);

  const masksArbitrary = fc.array(
    fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 2, maxLength: 7 }).map((mask) => [0, ...mask]),
    { minLength: 1, maxLength: 3 },
  );

  it('with λ = 1 return what really followed, whatever the critic expected, and nothing at the environment’s tokens', async () => {
    await fc.assert(
      fc.asyncProperty(masksArbitrary, fc.integer({ min: -5, max: 5 }), async (masks, reward) => {
        fc.pre(masks.flat().includes(1));
        const gamma = 0.9;
        const [episode] = await judged(
          [episodeOf(masks, reward)],
          { lam: 1, gamma },
          (t) => 3 * Math.sin(7 * t),
        );
        const sampled = masks.flat().filter((on) => on === 1).length;
        let k = 0;
        const expected = masks.flat().map((on) => (on === 1 ? reward * gamma ** (sampled - 1 - k++) : 0));
        const returns = flat((episode?.rows ?? []).map((row) => row.returns));
        returns.forEach((value, t) => expect(value).toBeCloseTo(expected[t] as number, 4));
        expect(returns).toHaveLength(expected.length);
        episode?.rows.forEach(({ advantages }, n) =>
          advantages.forEach((advantage, t) => masks[n]?.[t] === 1 || expect(advantage).toBe(0)),
        );
      }),
    );
  });

  it('compare what followed with what the critic expected just before the token', async () => {
    const [episode] = await judged([episodeOf([[0, 0, 1, 0, 1]], 2)], { lam: 0, gamma: 0.5 }, (t) => t + 1);
    // before tokens 2 and 4 it had said 2 and 4: 2 + (0 + 0.5 · 4 − 2), and 2
    expect(episode?.rows[0]?.values).toEqual(Float32Array.of(0, 0, 2, 0, 4));
    expect(episode?.rows[0]?.returns).toEqual(Float32Array.of(0, 0, 2, 0, 2));
  });

  it('charge each token for its distance from the reference (k1)', async () => {
    const reference = {
      logprobs: () => Promise.resolve([Float32Array.of(0, -0.7, -0.1)]),
      close: () => undefined,
    };
    const config = definePPOConfig({ klCoef: 0.5, lam: 1 });
    const [episode] = await ppoEpisodes(
      [episodeOf([[0, 1, 1]], 1)],
      { critic: critic(() => 0), reference },
      config,
      3,
    );
    // log-ratios −0.2 + 0.7 and −0.3 + 0.1; score 1
    const [, first, last] = episode?.rows[0]?.returns as Float32Array;
    expect(last).toBeCloseTo(1 + 0.5 * 0.2, 6);
    expect(first).toBeCloseTo(1 + 0.5 * 0.2 - 0.5 * 0.5, 6);
  });

  it('pay each turn what the environment paid for it, and the end what is left of the score', async () => {
    const { trajectories, ...record } = episodeOf([[0, 1, 1, 0, 1]], 5);
    const turns = [
      { start: 1, end: 3, reward: 1 },
      { start: 4, end: 4, reward: 0.5 },
      { start: 4, end: 5, reward: 3 },
    ];
    const played = { ...record, trajectories: [{ ...(trajectories[0] as Trajectory), turns }] };
    const [episode] = await judged([played], { lam: 1 });
    // the empty turn has no token to pay, so its half is paid at the end, as is the half that no turn earned
    expect(episode?.rows[0]?.returns).toEqual(Float32Array.of(0, 5, 5, 0, 4));
    const [discounted] = await judged([played], { lam: 0 });
    expect(discounted?.rows[0]?.returns).toEqual(Float32Array.of(0, 0, 1, 0, 4));
  });

  it('know an episode that was stopped between turns from one that ended, or whose last reply was cut', async () => {
    const after = async (stopReason: StopReason, bootstrapTruncated = true): Promise<number> => {
      const config = { lam: 1, gamma: 0.5, bootstrapTruncated };
      const [episode] = await judged([episodeOf([[0, 1, 0]], 1, stopReason)], config, () => 8);
      return episode?.rows[0]?.returns[1] as number;
    };
    expect(await after('completed')).toBe(1);
    expect(await after('parse_error')).toBe(1);
    expect(await after('max_tokens')).toBe(1);
    expect(await after('max_turns')).toBe(1 + 0.5 * 8);
    expect(await after('max_turns', false)).toBe(1);
  });

  it('are whitened over the step, as are the rewards on request', async () => {
    const records = [episodeOf([[0, 1]], 100), episodeOf([[0, 1]], 300)];
    const plain = await judged(records);
    expect(plain.map(({ rows }) => rows[0]?.advantages[1])).toEqual(
      [-1, 1].map((sign) => expect.closeTo(sign / Math.SQRT2, 5) as number),
    );
    const white = await judged(records, { whitenRewards: true });
    const returns = white.map(({ rows }) => rows[0]?.returns[1] as number);
    expect((returns[1] as number) - (returns[0] as number)).toBeCloseTo(Math.SQRT2, 3);
    expect(returns[0]).toBeGreaterThan(100);
  });

  it('leave out what cannot be judged, and refuse what another policy sampled', async () => {
    expect(await judged([episodeOf([], null, 'context_overflow'), episodeOf([[0, 1]], null)])).toEqual([]);
    const stale = { ...episodeOf([[0, 1]]), policyVersion: 2 };
    await expect(judged([stale])).rejects.toThrow(StaleSampleError);
  });

  it('become the data of both: the critic answers for token t after token t − 1, and neither for the environment', async () => {
    const episodes = await judged([episodeOf([[0, 1, 0, 1]], 1), episodeOf([[0, 0, 1]], 0)], {}, (t) => t);
    const rows = episodes.flatMap((episode) => episode.rows);
    const { policy, critic: steps } = ppoData(rows, { vfCoef: 0.5 });
    const third = expect.closeTo(1 / 3, 6) as number;
    const sixth = expect.closeTo(1 / 6, 6) as number;
    expect(policy.data.map(({ weights }) => [...weights])).toEqual([
      [0, third, 0, third],
      [0, 0, third],
    ]);
    expect(steps.map(({ weights }) => [...weights])).toEqual([
      [sixth, 0, sixth, 0],
      [0, sixth, 0],
    ]);
    expect(steps.map(({ oldValues }) => [...(oldValues as Float32Array)])).toEqual([
      [0, 0, 2, 0],
      [0, 1, 0],
    ]);
    rows.forEach(({ returns }, n) =>
      returns.forEach((value, t) => t > 0 && expect(steps[n]?.returns?.[t - 1]).toBe(value)),
    );
    expect(policy.data[0]?.oldLogprobs).toBe(rows[0]?.trajectory.logprobs);
  });
});
