import { describe, expect, it } from 'vitest';
import { treasureProcess } from 'posttrain/envs';
import {
  greedyPolicy,
  playEpisode,
  qLearning,
  sarsa,
  type QTable,
  type TabularConfig,
  type TabularStep,
} from 'posttrain/tabular';
import { randomStream } from 'posttrain/tensor';
import { cliff, corridor } from './corridor.js';

async function lastOf<Action extends string>(
  steps: AsyncGenerator<TabularStep<Action>, void, void>,
): Promise<TabularStep<Action>> {
  let last: TabularStep<Action> | undefined;
  for await (const step of steps) last = step;
  return last!;
}
const valueOf = <Action extends string>(table: QTable<Action>, seen: string, action: Action): number => {
  const { actions, values } = table.get(seen)!;
  return values[actions.indexOf(action)]!;
};
const greedyOnly: Partial<TabularConfig> = { epsilonStart: 0, epsilonEnd: 0 };

describe('qLearning', () => {
  it('moves a value by α towards r + γ max', async () => {
    const process = corridor(2);
    const config = {
      numEpisodes: 2,
      learningRate: 0.5,
      gamma: 0.8,
      epsilonStart: 0,
      epsilonEnd: 0,
      initialValue: 1,
      seed: 3,
    };
    const played: string[][] = [];
    let table: QTable<'left' | 'right'> = new Map();
    for await (const step of qLearning({ process, config })) {
      played.push([...step.actions]);
      ({ table } = step);
    }
    // the same by hand, along the moves that were made
    const expected = new Map([0, 1].map((room) => [String(room), { left: 1, right: 1 }]));
    for (const actions of played) {
      let room = 0;
      for (const action of actions as ('left' | 'right')[]) {
        const next = Math.max(0, room + (action === 'right' ? 1 : -1));
        const after = expected.get(String(next));
        const target = next === 2 ? 1 : 0.8 * Math.max(after!.left, after!.right);
        const row = expected.get(String(room))!;
        row[action] += 0.5 * (target - row[action]);
        room = next;
      }
    }
    for (const [seen, { left, right }] of expected) expect(table.get(seen)!.values).toEqual([left, right]);
  });

  it('converges to the values of the best policy, whatever it plays meanwhile', async () => {
    const config = { numEpisodes: 3000, gamma: 0.5, epsilonEnd: 1, seed: 1 };
    const { table } = await lastOf(qLearning({ process: corridor(3), config }));
    expect(valueOf(table, '0', 'right')).toBeCloseTo(0.25, 3);
    expect(valueOf(table, '0', 'left')).toBeCloseTo(0.125, 3);
    expect(valueOf(table, '2', 'right')).toBeCloseTo(1, 6);
  });

  it('breaks ties at random', async () => {
    const firstMoves = new Set<string>();
    for (let seed = 0; seed < 10; seed += 1) {
      const { actions } = await lastOf(
        qLearning({ process: corridor(3), config: { ...greedyOnly, numEpisodes: 1, seed } }),
      );
      firstMoves.add(actions[0]!);
    }
    expect(firstMoves).toEqual(new Set(['left', 'right']));
  });

  it('ends at the horizon with its reward, and tells what happened', async () => {
    const process = { ...corridor(50), horizon: { moves: 4, reward: -3 } };
    const { metrics, actions } = await lastOf(
      qLearning({ process, config: { numEpisodes: 1, epsilonDecay: 0.5 } }),
    );
    expect(actions).toHaveLength(4);
    expect(metrics).toMatchObject({ episodic_return: -3, episodic_length: 4, success: 0, epsilon: 1 });
  });

  it('lowers ε to its floor', async () => {
    const epsilons: number[] = [];
    for await (const { metrics } of qLearning({
      process: corridor(2),
      config: { numEpisodes: 4, epsilonDecay: 0.5, epsilonEnd: 0.2 },
    }))
      epsilons.push(metrics['epsilon']!);
    expect(epsilons).toEqual([1, 0.5, 0.25, 0.2]);
  });

  it('repeats itself with its seed', async () => {
    const run = (seed: number): Promise<TabularStep<string>> =>
      lastOf(
        qLearning({ process: treasureProcess({ stochastic: true }), config: { numEpisodes: 50, seed } }),
      );
    const [one, again, other] = [await run(1), await run(1), await run(2)];
    expect([...one.table]).toEqual([...again.table]);
    expect([...one.table]).not.toEqual([...other.table]);
  });

  it('stops when it is asked to', async () => {
    const stop = new AbortController();
    let episodes = 0;
    for await (const { episode } of qLearning({ process: corridor(3), signal: stop.signal })) {
      episodes = episode;
      if (episode === 5) stop.abort();
    }
    expect(episodes).toBe(5);
  });

  it('refuses settings that cannot work, naming them', async () => {
    const first = (config: Partial<TabularConfig>): Promise<unknown> =>
      qLearning({ process: corridor(2), config }).next();
    await expect(first({ learningRate: 0 })).rejects.toThrow('learningRate is 0');
    await expect(first({ gamma: 1.1 })).rejects.toThrow('gamma is 1.1, expected a number from 0 to 1.');
    await expect(first({ alpha: 0.1 } as Partial<TabularConfig>)).rejects.toThrow('has no key `alpha`');
  });
});

describe('sarsa', () => {
  it('counts its own random moves, as Q-learning does not', async () => {
    const config = { numEpisodes: 4000, gamma: 1, epsilonStart: 0.5, epsilonEnd: 0.5, learningRate: 0.05 };
    const onPolicy = (await lastOf(sarsa({ process: cliff, config }))).table;
    const offPolicy = (await lastOf(qLearning({ process: cliff, config }))).table;
    expect(valueOf(offPolicy, 'start', 'short')).toBeCloseTo(-2, 2);
    expect(valueOf(offPolicy, 'start', 'long')).toBeCloseTo(-3, 2);
    // half of the moves are random, half of those fall: −1 + (3/4 · −1 + 1/4 · −10)
    expect(valueOf(onPolicy, 'start', 'short')).toBeLessThan(-3.2);
    expect(valueOf(onPolicy, 'start', 'long')).toBeCloseTo(-3, 2);
  });
});

describe('potential-based shaping', () => {
  it('shifts every value by Φ of its state, and so changes no choice', async () => {
    const potential = (room: number): number => room * room;
    const config = { numEpisodes: 4000, gamma: 0.9, epsilonEnd: 1 };
    const plain = (await lastOf(qLearning({ process: corridor(3), config }))).table;
    const shaped = (await lastOf(qLearning({ process: corridor(3), config, potential }))).table;
    for (const [seen, { values }] of plain)
      shaped
        .get(seen)!
        .values.forEach((value, i) => expect(value + potential(Number(seen))).toBeCloseTo(values[i]!, 2));
  });

  it('is left out of the return that is reported', async () => {
    const { metrics } = await lastOf(
      qLearning({ process: corridor(2), config: { numEpisodes: 3 }, potential: (room) => 7 * room }),
    );
    expect(metrics['episodic_return']).toBe(1);
  });
});

describe('greedyPolicy', () => {
  it('plays what the table thinks best, and leaves the table alone', async () => {
    const process = corridor(4);
    const { table } = await lastOf(qLearning({ process, config: { numEpisodes: 500 } }));
    const random = randomStream(1, 'greedy');
    expect(playEpisode(process, greedyPolicy(process, table), random).actions).toEqual(
      Array(4).fill('right'),
    );
    const rows = table.size;
    playEpisode(corridor(9), greedyPolicy(corridor(9), table), random, 6);
    expect(table.size).toBe(rows);
  });

  it('meets the horizon with its reward', () => {
    const process = { ...corridor(9), horizon: { moves: 5, reward: -2 } };
    const stay = (): 'left' => 'left';
    expect(playEpisode(process, stay, randomStream(1, 'stay'))).toEqual({
      actions: Array(5).fill('left'),
      return: -2,
      success: false,
    });
  });
});
