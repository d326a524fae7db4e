import { describe, expect, it } from 'vitest';
import {
  keyDoorEnvironment,
  type KeyDoorReward,
  keyDoorTasks,
  keyDoorTurns,
  withHouseRules,
} from 'posttrain/envs/key-door';
import type { StepResult } from 'posttrain/envs/types';

const [task] = keyDoorTasks.filter(({ door }) => door === 'gold') as [(typeof keyDoorTasks)[number]];
const play = (reward: KeyDoorReward, actions: readonly string[]): StepResult[] => {
  const episode = keyDoorEnvironment(reward).start(task);
  return actions.map((action) => episode.step(action));
};
const rewards = (results: readonly StepResult[]): number[] => results.map(({ reward }) => reward);

describe('the key-door environment', () => {
  it('pays a right key when the door opens, or as it is taken: 1 in all', () => {
    const right = ['red', 'gold', 'red', 'blue', 'red', 'green'];
    expect(rewards(play('outcome', right))).toEqual([0, 0, 0, 0, 0, 1]);
    expect(rewards(play('process', right))).toEqual([0, 1, 0, 0, 0, 0]);
    expect(play('outcome', right).at(-1)).toMatchObject({
      episodeDone: true,
      nextObservation: null,
      stopReason: 'completed',
      metrics: { success: 1 },
    });
  });

  it('pays nothing for a wrong key, or for the right word anywhere else', () => {
    const wrong = ['gold', 'red', 'gold', 'gold', 'gold', 'gold'];
    expect(rewards(play('outcome', wrong))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(rewards(play('process', wrong))).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('says where one is and which key one carries, and leads on whatever is answered', () => {
    const observed = play('outcome', ['', 'blue', '<|end|>', 'x', 'red']).map((step) => step.nextObservation);
    expect(observed).toEqual([
      'keys',
      'stairs with blue',
      'hall with blue',
      'stairs with blue',
      'door with blue',
    ]);
    expect(play('outcome', ['red', 'no key']).at(-1)?.nextObservation).toBe('stairs');
  });

  it('ends after six turns, and refuses a seventh', () => {
    const episode = keyDoorEnvironment('outcome').start(task);
    for (const place of keyDoorTurns) expect(episode.step('red').episodeDone).toBe(place === 'door');
    expect(() => episode.step('red')).toThrow(/over/);
  });
});

describe('house rules', () => {
  const playByRules = (actions: readonly string[]): StepResult[] => {
    const episode = withHouseRules(keyDoorEnvironment('outcome')).start(task);
    return actions.map((action) => episode.step(action));
  };
  const violations = (actions: readonly string[]): (number | undefined)[] =>
    playByRules(actions).map((result) => result.violations);

  it('forbid to show the key one carries on the stairs, each time anew, and nowhere else', () => {
    // hall, keys, stairs, hall, stairs, door
    expect(violations(['gold', 'gold', 'gold', 'gold', ' gold ', 'gold'])).toEqual([0, 0, 1, 0, 1, 0]);
    expect(violations(['red', 'red', 'gold', 'red', 'red', 'red'])).toEqual([0, 0, 0, 0, 1, 0]);
    expect(violations(['gold', 'gold', 'red', 'gold', 'blue', 'gold'])).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('leave reward and observations as they were', () => {
    const actions = ['blue', 'gold', 'gold', 'blue', 'red', 'red'];
    const told = ({ reward, nextObservation }: StepResult): unknown[] => [reward, nextObservation];
    expect(playByRules(actions).map(told)).toEqual(play('outcome', actions).map(told));
  });
});
