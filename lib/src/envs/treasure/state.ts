/** Everything that can change in a hunt. */
import {
  guard,
  itemDescriptions,
  items,
  lockedDoor,
  roomDescriptions,
  type Direction,
  type Item,
  type Place,
  type Room,
} from './world.js';

export interface TreasureState {
  readonly room: Room;
  readonly places: Readonly<Record<Item, Place>>;
  readonly doorLocked: boolean;
  readonly guardStands: boolean;
  /** Items whose pick-up has been paid; stays empty unless they are paid once only. */
  readonly paid: readonly Item[];
}

export const treasureStart: TreasureState = {
  room: 'entrance',
  places: Object.fromEntries(items.map((item) => [item, itemDescriptions[item].start])) as Record<
    Item,
    Place
  >,
  doorLocked: true,
  guardStands: true,
  paid: [],
};

/** In the order of `items`, as everywhere. */
export function itemsAt({ places }: TreasureState, place: Place): Item[] {
  return items.filter((item) => places[item] === place);
}

export function guardIsHere({ room, guardStands }: TreasureState): boolean {
  return guardStands && room === guard.room;
}

export function exitsOf({ room }: TreasureState): Direction[] {
  return Object.keys(roomDescriptions[room].exits) as Direction[];
}

export function isLocked({ room, doorLocked }: TreasureState, direction: string): boolean {
  return doorLocked && room === lockedDoor.room && direction === lockedDoor.direction;
}

/** Tells all states apart. */
export function treasureStateKey({ room, places, doorLocked, guardStands, paid }: TreasureState): string {
  const where = items.map((item) => places[item]).join(',');
  const once = items.filter((item) => paid.includes(item)).join(',');
  return `${room}|${where}|${doorLocked ? 'locked' : 'open'}|${guardStands ? 'guarded' : 'free'}|${once}`;
}

/** What is before the agent's eyes: room, bag, floor, whether an exit is locked and whether a guard stands here. No other room, no count of moves. */
export function treasureAgentKey(state: TreasureState): string {
  const bag = itemsAt(state, 'bag').join(',');
  const floor = itemsAt(state, state.room).join(',');
  const locked = isLocked(state, lockedDoor.direction) ? 'locked' : '';
  return `${state.room}|${bag}|${floor}|${locked}|${guardIsHere(state) ? 'guard' : ''}`;
}
