/** The hunt in words, for players that read. */
import { treasureActions } from './commands.js';
import { exitsOf, guardIsHere, isLocked, itemsAt, type TreasureState } from './state.js';
import { itemDescriptions, roomDescriptions, type Item } from './world.js';

/** What the player sees and may say. Tells no rule: what opens, beats or makes what is for the player to find out. */
export function treasureObservation(state: TreasureState, movesLeft: number): string {
  const { title, description } = roomDescriptions[state.room];
  const bag = itemsAt(state, 'bag');
  return [
    `${title}. ${description}`,
    ...(guardIsHere(state) ? ['A strong guard stands here.'] : []),
    ...itemsAt(state, state.room).map((item) => `On the floor: ${withDescription(item)}.`),
    `Exits: ${exitsOf(state)
      .map((direction) => (isLocked(state, direction) ? `${direction} (locked)` : direction))
      .join(', ')}.`,
    bag.length === 0 ? 'Your bag is empty.' : `In your bag: ${bag.join(', ')}.`,
    `Moves left: ${movesLeft}.`,
    `You can: ${treasureActions(state).join('; ')}.`,
  ].join('\n');
}

function withDescription(item: Item): string {
  return `${item}, ${itemDescriptions[item].description}`;
}
