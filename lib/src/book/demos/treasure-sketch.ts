/** The hunt's map as far as the player has seen it. */
import {
  treasureItemsAt,
  treasureRoomDescriptions,
  treasureRooms,
  type TreasureRoom,
  type TreasureState,
} from '../../envs/index.js';
import { escapeMarkup } from '../../markup.js';

const ROOM = { width: 140, height: 64, gap: 18 } as const;
const MARGIN = 4;

/** One `<svg>`: rooms that were visited with what lies there, doors that were seen, and a question mark behind them. */
export function treasureSketch(state: TreasureState, visited: ReadonlySet<TreasureRoom>): string {
  const width = 2 * ROOM.width + ROOM.gap + 2 * MARGIN;
  const height = 3 * ROOM.height + 2 * ROOM.gap + 2 * MARGIN;
  const seen = treasureRooms.filter((room) => visited.has(room));
  const ways = seen.flatMap((room) => neighboursOf(room).map((to) => wayMark(room, to)));
  const guessed = new Set(seen.flatMap(neighboursOf).filter((room) => !visited.has(room)));
  return [
    `<svg class="chart" xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    ...ways,
    ...[...guessed].map(
      (room) => `${frame(room, 'stroke-dasharray:4 4;stroke:var(--line)')}${line(room, '?', 38)}`,
    ),
    ...seen.map((room) => roomMarks(room, state)),
    '</svg>',
  ].join('');
}

function roomMarks(room: TreasureRoom, state: TreasureState): string {
  const here = state.room === room;
  const items = treasureItemsAt(state, room);
  const stroke = here ? 'stroke:var(--series-1);stroke-width:3' : 'stroke:var(--ink-soft)';
  return [
    frame(room, stroke),
    line(room, treasureRoomDescriptions[room].title, 18, 'fill:var(--ink);font-weight:600'),
    line(room, here ? 'you are here' : '', 34),
    line(room, items.join(', '), 52, 'fill:var(--ink);font-size:11px'),
  ].join('');
}

function neighboursOf(room: TreasureRoom): TreasureRoom[] {
  return Object.values(treasureRoomDescriptions[room].exits);
}

function cornerOf(room: TreasureRoom): readonly [x: number, y: number] {
  const { column, row } = treasureRoomDescriptions[room];
  return [MARGIN + column * (ROOM.width + ROOM.gap), MARGIN + row * (ROOM.height + ROOM.gap)];
}

function wayMark(from: TreasureRoom, to: TreasureRoom): string {
  const [[x1, y1], [x2, y2]] = [cornerOf(from), cornerOf(to)];
  const [dx, dy] = [ROOM.width / 2, ROOM.height / 2];
  return `<path style="stroke:var(--ink-soft);stroke-width:3" d="M${x1 + dx} ${y1 + dy}L${x2 + dx} ${y2 + dy}"/>`;
}

function frame(room: TreasureRoom, style: string): string {
  const [x, y] = cornerOf(room);
  return `<rect x="${x}" y="${y}" width="${ROOM.width}" height="${ROOM.height}" rx="6" style="fill:var(--page);${style}"/>`;
}

function line(room: TreasureRoom, text: string, down: number, style = ''): string {
  const [x, y] = cornerOf(room);
  return text === ''
    ? ''
    : `<text x="${x + ROOM.width / 2}" y="${y + down}" text-anchor="middle" style="${style}">${escapeMarkup(text)}</text>`;
}
