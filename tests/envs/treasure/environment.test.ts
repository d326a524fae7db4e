import { describe, expect, it } from 'vitest';
import { treasureEnvironment, type StepResult } from 'posttrain/envs';

const task = { id: 'hunt', split: 'train', seed: 7 };
const play = (commands: readonly string[], options = {}): StepResult[] => {
  const episode = treasureEnvironment(options).start(task);
  return commands.map((command) => episode.step(command));
};
const total = (steps: readonly StepResult[]): number => steps.reduce((sum, { reward }) => sum + reward, 0);

describe('the treasure hunt as an environment', () => {
  it('tells what is there and what can be tried, and no rule', () => {
    expect(treasureEnvironment().start(task).initialObservation()).toMatchInlineSnapshot(`
      "Entrance. Daylight falls through the gate behind you. The floor is bare stone.
      On the floor: rusty sword, an old blade, blunt with rust.
      Exits: north, east.
      Your bag is empty.
      Moves left: 50.
      You can: go north; go east; take rusty sword; look around; check inventory."
    `);
    const [, , step] = play(['go east', 'take red key', 'go west']);
    expect(step!.nextObservation).toContain('You go to the entrance.\n\nEntrance.');
    expect(step!.nextObservation).toContain('In your bag: red key.');
    expect(step!.nextObservation).toContain('Moves left: 47.');
    expect(play(['go north'])[0]!.nextObservation).toContain('Exits: north (locked), south.');
  });

  it('reads commands whatever their case', () => {
    expect(play([' Go EAST\n'])[0]).toMatchObject({
      reward: 0.5,
      metrics: { steps: 1, drops: 0, success: 0 },
    });
  });

  it('is won with the treasure in the bag', () => {
    const steps = play([
      ...[
        'go east',
        'take magic crystal',
        'take red key',
        'go west',
        'take rusty sword',
        'go north',
        'go north',
      ],
      ...['try crafting', 'attack with silver sword', 'go east', "take dragon's treasure"],
    ]);
    expect(total(steps)).toBe(243.5);
    expect(steps.at(-1)).toEqual({
      reward: 199.5,
      episodeDone: true,
      nextObservation: null,
      stopReason: 'completed',
      metrics: { steps: 11, drops: 0, success: 1 },
    });
  });

  it('carries out the last move it allows, then ends with a penalty', () => {
    const episode = treasureEnvironment({ maxMoves: 2 }).start(task);
    episode.step('take rusty sword');
    expect(episode.step('drop rusty sword')).toMatchObject({
      reward: -10.5,
      episodeDone: true,
      stopReason: 'max_turns',
      metrics: { steps: 2, drops: 1, success: 0 },
    });
    expect(episode.state.places['rusty sword']).toBe('entrance');
    expect(() => episode.step('look around')).toThrow('Episode of task hunt is over');
  });

  it('pays for farming the key until the moves are over', () => {
    const farm = Array<string[]>(24).fill(['drop red key', 'take red key']).flat();
    const farmed = play(['go east', 'take red key', ...farm.slice(0, 47), 'look around']);
    expect(farmed.at(-1)!.stopReason).toBe('max_turns');
    expect(total(farmed)).toBe(0.5 + 4.5 + 23 * 4 - 0.5 - 0.5 - 10);
  });

  it('repeats itself with its seed when it is stochastic, and differs with another', () => {
    const commands = Array<string>(30).fill('take rusty sword');
    const rewards = (seed: number): number[] => {
      const episode = treasureEnvironment({ stochastic: true }).start({ ...task, seed });
      return commands.map((command) => episode.step(command).reward);
    };
    expect(rewards(7)).toEqual(rewards(7));
    expect(rewards(7)).not.toEqual(rewards(8));
  });

  it('refuses a number of moves that is none', () => {
    expect(() => treasureEnvironment({ maxMoves: 0 })).toThrow('maxMoves is 0, expected a positive integer.');
  });
});
