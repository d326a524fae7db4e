import { describe, expect, it } from 'vitest';
import {
  treasureActions,
  treasureRewards,
  treasureStart,
  treasureStep,
  type TreasureRules,
  type TreasureState,
} from 'posttrain/envs';
import { randomStream, type RandomStream } from 'posttrain/tensor';

const published: TreasureRules = { payOnce: false, maxMoves: 50, stochastic: false };
const random = randomStream(1, 'unused');

/** The shortest way to the treasure. */
const shortest = [
  'go east',
  'take magic crystal',
  'take red key',
  'go west',
  'take rusty sword',
  'go north',
  'go north',
  'try crafting',
  'attack with silver sword',
  'go east',
  "take dragon's treasure",
];

/** The state after some commands, and what each of them paid. */
function play(commands: readonly string[], rules = published): { state: TreasureState; rewards: number[] } {
  let state = treasureStart;
  const rewards = commands.map((command) => {
    const { next, reward } = treasureStep(state, command, rules, random);
    state = next;
    return reward;
  });
  return { state, rewards };
}
const last = (...commands: readonly string[]): number => play(commands).rewards.at(-1)!;

describe('the rewards of the treasure hunt', () => {
  it.each([
    ['a walk', 0.5, ['go east']],
    ['a way that is not there', -1.5, ['go south']],
    ['a direction that is none', -1.5, ['go up']],
    ['the locked door', -1, ['go north', 'go north']],
    ['the door with its key', 4.5, ['go east', 'take red key', 'go west', 'go north', 'go north']],
    ['the key', 4.5, ['go east', 'take red key']],
    ['the key again', 4.5, ['go east', 'take red key', 'drop red key', 'take red key']],
    ['a weapon', 2.5, ['take rusty sword']],
    ['a tool', 1.5, ['go east', 'take magic crystal']],
    ['what is not there', -1, ['take red key']],
    ['what is already in the bag', -1, ['take rusty sword', 'take rusty sword']],
    ['using the key', -0.5, ['go east', 'take red key', 'use red key']],
    ['using something else', -1, ['take rusty sword', 'use rusty sword']],
    ['using what one has not', -1, ['use rusty sword']],
    ['dropping', -0.5, ['take rusty sword', 'drop rusty sword']],
    ['attacking nobody', -1.5, ['take rusty sword', 'attack with rusty sword']],
    [
      'attacking with the rusty sword',
      -2.5,
      ['take rusty sword', ...shortest.slice(0, 4), 'go north', 'go north', 'attack with rusty sword'],
    ],
    ['attacking with a crystal', -1.5, [...shortest.slice(0, 7), 'attack with magic crystal']],
    ['passing the guard', -1.5, [...shortest.slice(0, 7), 'go east']],
    ['going back from the guard', -1.5, [...shortest.slice(0, 7), 'go south']],
    ['crafting', 9.5, shortest.slice(0, 8)],
    ['crafting from nothing useful', -1, ['go east', 'take magic crystal', 'take red key', 'try crafting']],
    ['beating the guard', 19.5, shortest.slice(0, 9)],
    ['looking', -0.5, ['look around']],
    ['checking', -0.5, ['check inventory']],
    ['what cannot be read', -1.5, ['sing']],
    ['victory', 199.5, shortest],
  ])('%s pays %d', (_, reward, commands) => {
    expect(last(...commands)).toBe(reward);
  });

  it('come to 243.5 on the shortest way', () => {
    const { rewards, state } = play(shortest);
    expect(rewards.reduce((sum, reward) => sum + reward)).toBe(243.5);
    expect(state.places).toMatchObject({
      'rusty sword': 'nowhere',
      'magic crystal': 'nowhere',
      'silver sword': 'bag',
    });
  });

  it('can be farmed: the key pays 4 every two moves, unless it is paid once', () => {
    const farm = [
      'go east',
      'take red key',
      ...Array<string[]>(5).fill(['drop red key', 'take red key']).flat(),
    ];
    const earned = (rules: TreasureRules): number[] => play(farm, rules).rewards.slice(2);
    expect(earned(published).reduce((sum, reward) => sum + reward)).toBe(5 * 4);
    expect(earned({ ...published, payOnce: true })).toEqual(Array<number>(10).fill(-0.5));
  });
});

describe('the commands that are offered', () => {
  it('follow the bag, the floor, the exits and the guard', () => {
    expect(treasureActions(treasureStart)).toEqual([
      'go north',
      'go east',
      'take rusty sword',
      'look around',
      'check inventory',
    ]);
    const { state } = play(shortest.slice(0, 8));
    expect(treasureActions(state)).toEqual([
      ...['go east', 'go south', 'use red key', 'drop red key', 'use silver sword', 'drop silver sword'],
      ...['attack with silver sword', 'look around', 'check inventory', 'try crafting'],
    ]);
  });
});

describe('a stochastic hunt', () => {
  const stochastic: TreasureRules = { ...published, stochastic: true };
  /** Draws the given numbers, one after the other. */
  const drawing = (...numbers: number[]): RandomStream => ({ ...random, uniform: () => numbers.shift()! });
  const noFumble = 0.5;
  const noNoise = 0.5;
  const before = (commands: number): TreasureState => play(shortest.slice(0, commands)).state;
  const attack = (luck: number): ReturnType<typeof treasureStep> =>
    treasureStep(before(8), 'attack with silver sword', stochastic, drawing(noFumble, luck, noNoise));

  it('fumbles 3 % of the commands', () => {
    const fumbled = treasureStep(treasureStart, 'go east', stochastic, drawing(0.029, noNoise));
    expect(fumbled).toMatchObject({ next: treasureStart, reward: -0.7 });
    expect(treasureStep(treasureStart, 'go east', stochastic, drawing(0.03, noNoise)).next.room).toBe(
      'storage',
    );
  });

  it('hits hard in 10 %, misses in 5 %', () => {
    expect(attack(0.099)).toMatchObject({ reward: 29.5, next: { guardStands: false } });
    expect(attack(0.1)).toMatchObject({ reward: 19.5, next: { guardStands: false } });
    expect(attack(0.949)).toMatchObject({ reward: 19.5 });
    expect(attack(0.951)).toMatchObject({ reward: -1, next: { guardStands: true } });
  });

  it('fizzles in 10 %, and leaves what was to be used up', () => {
    const fizzled = treasureStep(before(7), 'try crafting', stochastic, drawing(noFumble, 0.099, noNoise));
    expect(fizzled).toMatchObject({ next: before(7), reward: treasureRewards.move + treasureRewards.fizzle });
    expect(treasureStep(before(7), 'try crafting', stochastic, drawing(noFumble, 0.1, noNoise)).reward).toBe(
      9.5,
    );
  });

  it('varies the cost of a move by a tenth either way', () => {
    const cost = (draw: number): number =>
      treasureStep(treasureStart, 'look around', stochastic, drawing(noFumble, draw)).reward;
    expect([cost(0), cost(1)].map((reward) => reward.toFixed(3))).toEqual(['-0.600', '-0.400']);
  });
});
