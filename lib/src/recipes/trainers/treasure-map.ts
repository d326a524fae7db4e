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
import { actionValues, bestValue, explore, valueIteration, type QTable } from '../../tabular/index.js';

const carried: TreasureState['places'] = {
  ...treasureStart.places,
  'rusty sword': 'nowhere',
  'magic crystal': 'nowhere',
  'red key': 'bag',
  'silver sword': 'bag',
};

/** Where things are; the player may stand in any room. */
export interface Situation {
  readonly title: string;
  readonly state: TreasureState;
}

/** Three situations on the way to the treasure. */
export const situations: readonly Situation[] = [
  { title: 'Nothing in the bag', state: treasureStart },
  { title: 'Key and silver sword in the bag', state: { ...treasureStart, places: carried } },
  {
    title: 'Key and silver sword, the guard beaten',
    state: { ...treasureStart, places: carried, doorLocked: false, guardStands: false },
  },
];

/** What a state is worth and what is best done in it; `undefined` for one that cannot be reached, or was never seen. */
export type Assessment = (
  state: TreasureState,
) => { readonly value: number; readonly action: string } | undefined;

/** What the player has learned: the best value of the row, which tells apart no more states than the player does. */
export function learnedAssessment(table: QTable<string>): Assessment {
  const reachable = explore(hunt);
  return (state) => {
    const row = table.get(hunt.observe(state));
    if (row === undefined || !reachable.has(hunt.key(state))) return undefined;
    const value = bestValue(row);
    return { value, action: row.actions[row.values.indexOf(value)] as string };
  };
}

/** What playing best for ever is worth under a discount. */
export function exactAssessment(gamma: number): Assessment {
  const values = valueIteration(hunt, { gamma });
  return (state) => {
    if (!values.has(hunt.key(state))) return undefined;
    const [action, value] = [...actionValues(hunt, values, state, gamma)].reduce((best, other) =>
      other[1] > best[1] ? other : best,
    );
    return { value, action };
  };
}

export interface TreasureMap {
  readonly title: string;
  /** What a reader who cannot see the map should know. */
  readonly description: string;
  readonly rows: readonly { readonly title: string; readonly assess: Assessment }[];
  /** Default: all of `situations`. */
  readonly shown?: readonly Situation[];
}

/** One row of maps for each assessment. */
export function treasureMap({ title, description, rows, shown = situations }: TreasureMap): ValueMap {
  return {
    title,
    description,
    rows: rows.map(({ title: row, assess }) => ({
      title: row,
      panels: shown.map((situation) => panelOf(situation, assess)),
    })),
  };
}

/** What playing best for ever is worth under each discount. */
export function treasureValueMap(
  gammas: readonly number[],
  shown: readonly Situation[] = situations,
): ValueMap {
  return treasureMap({
    title: 'What each room of the treasure hunt is worth',
    description:
      'Value of the best action in every room, in three situations. Under a discount of 0.99 the best action with the key in the bag is to drop it, to take it again; under 0.9 it is to go on to the treasure.',
    rows: gammas.map((gamma) => ({ title: `γ = ${gamma}`, assess: exactAssessment(gamma) })),
    shown,
  });
}

const hunt = treasureProcess();

function panelOf({ title, state }: Situation, assess: Assessment): ValuePanel {
  return {
    title,
    places: treasureRooms.map((room) => placeOf(room, assess({ ...state, room }))),
    passages: passagesOf(state),
  };
}

function placeOf(room: TreasureRoom, assessed: ReturnType<Assessment>): ValuedPlace {
  const { title: name, column, row } = treasureRoomDescriptions[room];
  return { name, column, row, ...(assessed ?? { value: null, action: '' }) };
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
