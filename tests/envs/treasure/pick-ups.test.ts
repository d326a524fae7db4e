import { describe, expect, it } from 'vitest';
import { randomStream } from 'posttrain/tensor';
import { treasureBagWorth, treasureProcess, withoutPickUpPay, type TreasureState } from 'posttrain/envs';

const random = randomStream(1, 'test');

/** Rewards of commands from the start, and the state after them. */
function play(
  hunt: ReturnType<typeof treasureProcess>,
  commands: readonly string[],
): [number[], TreasureState] {
  let state = hunt.start;
  const rewards = commands.map((command) => {
    const { next, reward } = hunt.step(state, command, random);
    state = next;
    return reward;
  });
  return [rewards, state];
}

describe('the hunt without pay for pick-ups', () => {
  const way = ['go east', 'take red key', 'drop red key', 'take magic crystal', 'take silver sword'];

  it('pays for a pick-up the cost of the move only, and for all else what the game pays', () => {
    expect(play(treasureProcess(), way)[0]).toEqual([0.5, 4.5, -0.5, 1.5, -1]);
    expect(play(withoutPickUpPay(treasureProcess()), way)[0]).toEqual([0.5, -0.5, -0.5, -0.5, -1]);
  });

  it('still pays for the treasure', () => {
    const commands =
      'go east,take magic crystal,take red key,go west,take rusty sword,go north,go north,try crafting,attack with silver sword,go east';
    const [, state] = play(treasureProcess(), commands.split(','));
    expect(withoutPickUpPay(treasureProcess()).step(state, "take dragon's treasure", random)).toMatchObject({
      reward: 199.5,
      success: true,
    });
  });

  it('is worth nothing with an empty bag, and the key’s 5 and the crystal’s 2 with both in it', () => {
    const [, empty] = play(treasureProcess(), ['go east']);
    const [, full] = play(treasureProcess(), ['go east', 'take red key', 'take magic crystal']);
    expect([empty, full].map(treasureBagWorth)).toEqual([0, 7]);
  });
});
