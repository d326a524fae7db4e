/** What the game pays for taking things: the part of its reward that can be farmed. */
import type { DecisionProcess } from '../decision-process.js';
import { treasureRewards } from './rules.js';
import { itemsAt, type TreasureState } from './state.js';
import { itemDescriptions, type Item } from './world.js';

function pickUpPay(item: Item): number {
  return treasureRewards.take[itemDescriptions[item].kind];
}

/** What the game would have paid for taking what is in the bag. As a potential Φ it gives the hints of that pay without the farm. */
export function treasureBagWorth(state: TreasureState): number {
  return itemsAt(state, 'bag').reduce((sum, item) => sum + pickUpPay(item), 0);
}

/** The hunt with nothing paid for what can be taken again; the treasure cannot. */
export function withoutPickUpPay(hunt: DecisionProcess<TreasureState>): DecisionProcess<TreasureState> {
  return {
    ...hunt,
    step: (state, action, random) => {
      const transition = hunt.step(state, action, random);
      const taken = itemsAt(transition.next, 'bag').filter(
        (item) => state.places[item] === transition.next.room && !transition.done,
      );
      return {
        ...transition,
        reward: transition.reward - taken.reduce((sum, item) => sum + pickUpPay(item), 0),
      };
    },
  };
}
