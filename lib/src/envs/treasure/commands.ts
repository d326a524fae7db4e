/** What can be said to the hunt. */
import { exitsOf, guardIsHere, itemsAt, type TreasureState } from './state.js';
import { itemDescriptions } from './world.js';

export interface Command {
  readonly verb:
    'go' | 'take' | 'use' | 'drop' | 'attack with' | 'look around' | 'check inventory' | 'try crafting';
  /** A direction or an item, perhaps one that does not exist; empty for verbs that stand alone. */
  readonly object: string;
}

/** The commands that are offered in a state. They give away that something can be tried, not whether it helps. */
export function treasureActions(state: TreasureState): string[] {
  const bag = itemsAt(state, 'bag');
  const weapons = guardIsHere(state) ? bag.filter((item) => itemDescriptions[item].kind === 'weapon') : [];
  return [
    ...exitsOf(state).map((direction) => `go ${direction}`),
    ...itemsAt(state, state.room).map((item) => `take ${item}`),
    ...bag.flatMap((item) => [`use ${item}`, `drop ${item}`]),
    ...weapons.map((weapon) => `attack with ${weapon}`),
    'look around',
    'check inventory',
    ...(bag.length >= 2 ? ['try crafting'] : []),
  ];
}

const COMMAND = /^(?:(go|take|use|drop|attack with) (.+)|(look around|check inventory|try crafting))$/;

/** Case and surrounding blanks do not matter; `undefined` for what is no command. */
export function readCommand(text: string): Command | undefined {
  const [, verb, object = '', alone] = COMMAND.exec(text.trim().toLowerCase()) ?? [];
  const said = verb ?? alone;
  return said === undefined ? undefined : { verb: said as Command['verb'], object };
}
