/** What there is in the treasure hunt, and where it lies at the start. */

export const directions = ['north', 'east', 'south', 'west'] as const;
export type Direction = (typeof directions)[number];

export const rooms = ['entrance', 'storage', 'hallway', 'guard_room', 'treasure_room'] as const;
export type Room = (typeof rooms)[number];

export const items = [
  'rusty sword',
  'red key',
  'magic crystal',
  'silver sword',
  "dragon's treasure",
] as const;
export type Item = (typeof items)[number];

/** Where an item is: on the floor of a room, carried, or out of the world (not yet crafted, or used up). */
export type Place = Room | 'bag' | 'nowhere';

export interface RoomDescription {
  readonly title: string;
  readonly description: string;
  readonly exits: Readonly<Partial<Record<Direction, Room>>>;
  /** On the map, north up. */
  readonly column: number;
  readonly row: number;
}

export interface ItemDescription {
  readonly kind: 'key' | 'weapon' | 'tool' | 'treasure';
  readonly description: string;
  readonly start: Place;
}

export const roomDescriptions: Readonly<Record<Room, RoomDescription>> = {
  entrance: {
    title: 'Entrance',
    description: 'Daylight falls through the gate behind you. The floor is bare stone.',
    exits: { north: 'hallway', east: 'storage' },
    column: 0,
    row: 2,
  },
  storage: {
    title: 'Storage',
    description: 'Shelves and broken crates. Nobody has swept here for years.',
    exits: { west: 'entrance' },
    column: 1,
    row: 2,
  },
  hallway: {
    title: 'Hallway',
    description: 'A narrow hallway between two doors.',
    exits: { north: 'guard_room', south: 'entrance' },
    column: 0,
    row: 1,
  },
  guard_room: {
    title: 'Guard room',
    description: 'A table, a bench, and weapon racks along the wall.',
    exits: { east: 'treasure_room', south: 'hallway' },
    column: 0,
    row: 0,
  },
  treasure_room: {
    title: 'Treasure room',
    description: 'Something glitters in the dark.',
    exits: { west: 'guard_room' },
    column: 1,
    row: 0,
  },
};

export const itemDescriptions: Readonly<Record<Item, ItemDescription>> = {
  'rusty sword': { kind: 'weapon', description: 'an old blade, blunt with rust', start: 'entrance' },
  'red key': { kind: 'key', description: 'a small key, painted red', start: 'storage' },
  'magic crystal': { kind: 'tool', description: 'a stone that hums when it is touched', start: 'storage' },
  'silver sword': { kind: 'weapon', description: 'a bright blade without a mark', start: 'nowhere' },
  "dragon's treasure": {
    kind: 'treasure',
    description: 'gold and gems, a heap of them',
    start: 'treasure_room',
  },
};

/** The door that is locked at the start. */
export const lockedDoor = { room: 'hallway', direction: 'north', key: 'red key' } as const;

/** The guard is a strong one: of the weapons only one beats it. */
export const guard = { room: 'guard_room', beatenBy: 'silver sword' } as const;

export const recipe = { from: ['rusty sword', 'magic crystal'], makes: 'silver sword' } as const;

export const goal: Item = "dragon's treasure";
