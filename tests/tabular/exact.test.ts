import { describe, expect, it } from 'vitest';
import { treasureProcess, type DecisionProcess, type TreasureState } from 'posttrain/envs';
import { actionValues, explore, movesToSuccess, playEpisode, valueIteration } from 'posttrain/tabular';
import { randomStream } from 'posttrain/tensor';
import { corridor } from './corridor.js';

const hunt = treasureProcess();
const startOf = (values: ReadonlyMap<string, number>, process = hunt): number =>
  values.get(process.key(process.start))!;

/** What the best policy for ever does in the moves that there are. */
function playBest(process: DecisionProcess<TreasureState>, gamma: number): ReturnType<typeof playEpisode> {
  const values = valueIteration(process, { gamma });
  const best = (state: TreasureState): string =>
    [...actionValues(process, values, state, gamma)].reduce((a, b) => (b[1] > a[1] + 1e-6 ? b : a))[0];
  return playEpisode(process, best, randomStream(1, 'exact'));
}

describe('explore', () => {
  it('finds 516 states of the hunt, of which an agent tells 148 apart before the end', () => {
    const explored = [...explore(hunt).values()];
    expect(explored).toHaveLength(516);
    const open = explored.filter(({ transitions }) => transitions.size > 0);
    expect(new Set(open.map(({ state }) => hunt.observe(state))).size).toBe(148);
  });

  it('shows that states which look the same offer the same actions', () => {
    const offered = new Map<string, string>();
    for (const { state, transitions } of explore(hunt).values()) {
      if (transitions.size === 0) continue;
      const actions = hunt.actions(state).join();
      expect(offered.get(hunt.observe(state)) ?? actions).toBe(actions);
      offered.set(hunt.observe(state), actions);
    }
  });

  it('refuses what happens by chance', () => {
    expect(() => explore(treasureProcess({ stochastic: true }))).toThrow('drew a random number');
  });
});

describe('movesToSuccess', () => {
  it('is 11 at the start of the hunt', () => {
    const moves = movesToSuccess(hunt);
    expect(moves.get(hunt.key(hunt.start))).toBe(11);
    // a guard one cannot beat lets nobody out: with too little in the bag the hunt is lost
    expect(moves.size).toBe(468);
  });

  it('counts along a corridor', () => {
    expect([...movesToSuccess(corridor(3))].toSorted()).toEqual([
      ['0', 3],
      ['1', 2],
      ['2', 1],
      ['3', 0],
    ]);
  });
});

describe('valueIteration', () => {
  it('discounts along a corridor', () => {
    const values = valueIteration(corridor(3), { gamma: 0.5 });
    expect([...values].toSorted()).toEqual([
      ['0', 0.25],
      ['1', 0.5],
      ['2', 1],
      ['3', 0],
    ]);
  });

  it('under γ = 0.99 the best policy of the hunt farms the key for ever', () => {
    const value = startOf(valueIteration(hunt, { gamma: 0.99 }));
    expect(value).toBeCloseTo(222.7, 1);
    const { actions, success } = playBest(hunt, 0.99);
    expect(success).toBe(false);
    expect(actions.filter((action) => action === 'drop red key').length).toBeGreaterThan(15);
  });

  it('and only just: once the guard is beaten the farm is worth 198.7, going on to the treasure 198.0', () => {
    const values = valueIteration(hunt, { gamma: 0.99 });
    const toTheGuard = ['go east', 'take magic crystal', 'take red key', 'go west', 'take rusty sword'];
    const past = ['go north', 'go north', 'try crafting', 'attack with silver sword'];
    const state = [...toTheGuard, ...past].reduce(
      (before, action) => hunt.step(before, action, randomStream(1, 'unused')).next,
      hunt.start,
    );
    const ofActions = actionValues(hunt, values, state, 0.99);
    // −0.5 and 4.5 by turns, for ever: (−0.5 + 0.99 · 4.5) / (1 − 0.99²)
    expect(ofActions.get('drop red key')).toBeCloseTo((-0.5 + 0.99 * 4.5) / (1 - 0.99 ** 2), 6);
    expect(ofActions.get('go east')).toBeCloseTo(0.5 + 0.99 * 199.5, 6);
  });

  it.each([
    ['a discount of 0.9', treasureProcess(), 0.9],
    ['pay for the first pick-up only', treasureProcess({ payOnce: true }), 0.99],
  ])('with %s it wins in 11 moves', (_, process, gamma) => {
    expect(playBest(process, gamma)).toMatchObject({ success: true, return: 243.5, actions: { length: 11 } });
  });

  it('in 50 moves without discount farming and then winning earns 319.5', () => {
    expect(startOf(valueIteration(hunt, { gamma: 1, maxSweeps: 50 }))).toBe(319.5);
    expect(startOf(valueIteration(hunt, { gamma: 1, maxSweeps: 11 }))).toBe(243.5);
  });

  it('refuses a sum that has no end', () => {
    expect(() => valueIteration(hunt, { gamma: 1 })).toThrow('gamma is 1');
    expect(() => valueIteration(hunt, { gamma: -0.1 })).toThrow(RangeError);
  });
});
