import { treasureBagWorth, treasureProcess, treasureRewards, withoutPickUpPay } from 'posttrain/envs';
import type { DecisionProcess, TreasureState } from 'posttrain/envs';
import { actionValues, explore, qLearning, valueIteration } from 'posttrain/tabular';
import { randomStream } from 'posttrain/tensor';
import { describe, expect, it } from 'vitest';

const hunt = treasureProcess();
const luck = randomStream(1, 'none needed');
const { move, walk, take, victory, beatGuard } = treasureRewards;
const keyTaken = move + take.key;
const treasureTaken = move + take.treasure + victory;

const guardRoom: TreasureState = {
  ...hunt.start,
  room: 'guard_room',
  doorLocked: false,
  guardStands: false,
  places: {
    ...hunt.start.places,
    'red key': 'bag',
    'silver sword': 'bag',
    'rusty sword': 'nowhere',
    'magic crystal': 'nowhere',
  },
};

/** The only action of the start leads on for 0.5, the next one to the end for 4.5. */
const twoMoves: DecisionProcess<number> = {
  start: 0,
  horizon: { moves: 10, reward: 0 },
  actions: () => ['on'],
  step: (state) => ({ next: state + 1, reward: [0.5, 4.5][state]!, done: state === 1, success: state === 1 }),
  key: String,
  observe: String,
};

async function learned(numEpisodes: number, potential?: (state: number) => number): Promise<number[]> {
  const values: number[] = [];
  const config = { numEpisodes, learningRate: 0.2, gamma: 0.99, seed: 1 };
  for await (const { table } of qLearning({ process: twoMoves, config, ...(potential && { potential }) }))
    [0, 1].forEach((state) => (values[state] = table.get(String(state))?.values[0] ?? 0));
  return values;
}

describe('formulas of chapter 1', () => {
  it('eq-return', () => {
    const gamma = 0.9;
    const rewards = [0.5, 4.5];
    const value = valueIteration(twoMoves, { gamma }).get('0');
    expect(value).toBeCloseTo(rewards[0]! + gamma * rewards[1]!, 12);
    expect(value).toBeCloseTo(4.55, 12);
  });

  it('eq-bellman', () => {
    const gamma = 0.9;
    const values = valueIteration(hunt, { gamma });
    for (const { state, transitions } of [...explore(hunt).values()].slice(0, 50)) {
      if (transitions.size === 0) continue;
      const right = [...transitions.values()].map(
        ({ reward, next }) => reward + gamma * values.get(hunt.key(next))!,
      );
      expect(values.get(hunt.key(state))).toBeCloseTo(Math.max(...right), 6);
    }
  });

  it('eq-q-update', async () => {
    const [alpha, gamma] = [0.2, 0.99];
    const q = [0, 0];
    for (let game = 0; game < 3; game += 1) {
      q[0]! += alpha * (0.5 + gamma * q[1]! - q[0]!);
      q[1]! += alpha * (4.5 + gamma * 0 - q[1]!);
    }
    (await learned(3)).forEach((value, state) => expect(value).toBeCloseTo(q[state]!, 12));
  });

  it('eq-potential', async () => {
    const [alpha, gamma] = [0.2, 0.99];
    const phi = [3, 7];
    const q = [alpha * (0.5 + gamma * phi[1]! - phi[0]!), alpha * (4.5 + gamma * 0 - phi[1]!)];
    (await learned(1, (state) => phi[state] ?? 100)).forEach((value, state) =>
      expect(value).toBeCloseTo(q[state]!, 12),
    );
  });

  it('eq-next-token', () => {
    expect([1, 0.5, 1 / 2048].map((p) => Number((0 - Math.log(p)).toFixed(2)))).toEqual([0, 0.69, 7.62]);
  });
});

describe('examples of chapter 1', () => {
  it('example-two-moves', () => {
    expect([move + walk, keyTaken]).toEqual([0.5, 4.5]);
  });

  it('example-how-far', () => {
    expect(0.99 ** 100).toBeCloseTo(0.37, 2);
    expect(0.9 ** 100).toBeCloseTo(0.00003, 5);
    expect(1 / 0.9 ** 100).toBeCloseTo(37_600, -3);
  });

  it('example-values-flow-backwards', () => {
    expect(treasureTaken).toBe(199.5);
    expect(move + walk + 0.9 * 199.5).toBeCloseTo(180.05, 10);
    expect(move + beatGuard + 0.9 * 180.05).toBeCloseTo(181.5, 1);
    const values = valueIteration(hunt, { gamma: 0.9 });
    const at = (change: Partial<TreasureState>): number => values.get(hunt.key({ ...guardRoom, ...change }))!;
    expect(at({ room: 'treasure_room' })).toBeCloseTo(199.5, 6);
    expect(at({})).toBeCloseTo(180.05, 6);
    expect(at({ guardStands: true })).toBeCloseTo(181.545, 6);
  });

  it('example-one-step-by-hand', () => {
    const takeKey = 0 + 0.2 * (4.5 + 0.99 * 0 - 0);
    expect(takeKey).toBe(0.9);
    expect(0 + 0.2 * (0.5 + 0.99 * takeKey - 0)).toBeCloseTo(0.278, 3);
  });

  it('example-farm-or-treasure', () => {
    const farm = (gamma: number): number => (move + gamma * keyTaken) / (1 - gamma ** 2);
    const treasure = (gamma: number, prize = treasureTaken): number => move + walk + gamma * prize;
    expect(farm(0.9)).toBeCloseTo(18.7, 1);
    expect(treasure(0.9)).toBeCloseTo(180.05, 2);
    expect(farm(0.99)).toBeCloseTo(198.74, 2);
    expect(treasure(0.99)).toBeCloseTo(198.01, 2);
    expect(farm(0.98996)).toBeLessThan(treasure(0.98996));
    expect(farm(0.98997)).toBeGreaterThan(treasure(0.98997));
    expect(farm(0.9949)).toBeLessThan(treasure(0.9949, 399.5));
    expect(farm(0.995)).toBeGreaterThan(treasure(0.995, 399.5));
    const values = valueIteration(hunt, { gamma: 0.99 });
    const q = actionValues(hunt, values, guardRoom, 0.99);
    expect(q.get('drop red key')).toBeCloseTo(farm(0.99), 6);
    expect(q.get('go east')).toBeCloseTo(treasure(0.99), 6);
  });

  it('example-farming-without-the-treasure', () => {
    const shy = {
      ...hunt,
      actions: (state: TreasureState) =>
        hunt.actions(state).filter((action) => action !== "take dragon's treasure"),
    };
    const best = valueIteration(shy, { gamma: 1, maxSweeps: 50 }).get(shy.key(shy.start))!;
    expect(best + treasureRewards.timeout).toBe(114);
  });

  it('proof-no-loop-earns', () => {
    const gamma = 0.99;
    const bare = withoutPickUpPay(hunt);
    const way = ['go east', 'take red key', 'drop red key', 'take red key', 'go west'];
    let [state, sum] = [bare.start, 0];
    way.forEach((action, t) => {
      const { next } = bare.step(state, action, luck);
      sum += gamma ** t * (gamma * treasureBagWorth(next) - treasureBagWorth(state));
      state = next;
    });
    expect(sum).toBeCloseTo(gamma ** way.length * treasureBagWorth(state) - treasureBagWorth(bare.start), 12);
  });

  it('exercise-two-returns', () => {
    const worth = (rewards: readonly number[], gamma: number): number =>
      rewards.reduce((sum, reward, t) => sum + gamma ** t * reward, 0);
    expect(worth([2, 2, 2], 0.9)).toBeCloseTo(5.42, 10);
    expect(worth([0, 0, 10], 0.9)).toBeCloseTo(8.1, 10);
    expect(worth([2, 2, 2], 0.4)).toBeCloseTo(3.12, 10);
    expect(worth([0, 0, 10], 0.4)).toBeCloseTo(1.6, 10);
    const tie = (2 + Math.sqrt(68)) / 16;
    expect(tie).toBeCloseTo(0.64, 3);
    expect(worth([2, 2, 2], tie)).toBeCloseTo(worth([0, 0, 10], tie), 10);
  });

  it('exercise-guess-the-corridor', () => {
    const corridor: DecisionProcess<number> = {
      start: 0,
      horizon: { moves: 50, reward: 0 },
      actions: () => ['left', 'right'],
      step: (room, action) => {
        const next = Math.max(0, room + (action === 'right' ? 1 : -1));
        return { next, reward: Number(next === 4), done: next === 4, success: next === 4 };
      },
      key: String,
      observe: String,
    };
    const after = (maxSweeps: number): number[] => {
      const values = valueIteration(corridor, { gamma: 0.9, maxSweeps });
      return [0, 1, 2, 3].map((room) => Number(values.get(String(room))!.toFixed(3)));
    };
    expect(after(4)).toEqual([0.729, 0.81, 0.9, 1]);
    expect(after(3)[0]).toBe(0);
  });
});
