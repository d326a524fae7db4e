/** The map of the treasure hunt with what each room is worth, and what is best done there. */
import type { Passage, ValuedPlace, ValueMap, ValuePanel } from '../../display/index.js';
import {
  treasureProcess,
  treasureRoomDescriptions,
  treasureRooms,
  treasureStart,
  type TreasureRoom,
  type TreasureState,
} from '../../envs/treasure/index.js';
import { actionValues, valueIteration } from '../../tabular/index.js';

const carried: TreasureState['places'] = {
  ...treasureStart.places,
  'rusty sword': 'nowhere',
  'magic crystal': 'nowhere',
  'red key': 'bag',
  'silver sword': 'bag',
};

interface Situation {
  readonly title: string;
  readonly state: TreasureState;
}

/** Three situations on the way to the treasure; in each the player may stand in any room that it can have reached. */
export const situations: readonly Situation[] = [
  { title: 'Nothing in the bag', state: treasureStart },
  { title: 'Key and silver sword in the bag', state: { ...treasureStart, places: carried } },
  {
    title: 'Key and silver sword, the guard beaten',
    state: { ...treasureStart, places: carried, doorLocked: false, guardStands: false },
  },
];

/** What playing best for ever is worth under each discount. */
export function treasureValueMap(
  gammas: readonly number[],
  shown: readonly Situation[] = situations,
): ValueMap {
  return {
    title: 'What each room of the treasure hunt is worth',
    description:
      'Value of the best action in every room, in three situations. Under a discount of 0.99 the best action with the key in the bag is to drop it, to take it again; under 0.9 it is to go on to the treasure.',
    rows: gammas.map((gamma) => {
      const values = valueIteration(hunt, { gamma });
      return {
        title: `γ = ${gamma}`,
        panels: shown.map(({ title, state }) => panelOf(title, state, values, gamma)),
      };
    }),
  };
}

const hunt = treasureProcess();

function panelOf(
  title: string,
  state: TreasureState,
  values: ReadonlyMap<string, number>,
  gamma: number,
): ValuePanel {
  return {
    title,
    places: treasureRooms.map((room) => placeOf({ ...state, room }, values, gamma)),
    passages: passagesOf(state),
  };
}

function placeOf(state: TreasureState, values: ReadonlyMap<string, number>, gamma: number): ValuedPlace {
  const { title: name, column, row } = treasureRoomDescriptions[state.room];
  const value = values.get(hunt.key(state));
  if (value === undefined) return { name, column, row, value: null, action: '' };
  const [action] = [...actionValues(hunt, values, state, gamma)].reduce((best, other) =>
    other[1] > best[1] ? other : best,
  );
  return { name, column, row, value, action };
}

/** Each way once, from where it leads north or east. */
function passagesOf({ doorLocked, guardStands }: TreasureState): Passage[] {
  const title = (room: TreasureRoom): string => treasureRoomDescriptions[room].title;
  return treasureRooms.flatMap((room) => {
    const { north, east } = treasureRoomDescriptions[room].exits;
    return [north, east].flatMap((to) =>
      to === undefined
        ? []
        : [
            {
              from: title(room),
              to: title(to),
              closed: (doorLocked && to === 'guard_room') || (guardStands && to === 'treasure_room'),
            },
          ],
    );
  });
}
