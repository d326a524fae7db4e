import { coordinate, escapeMarkup } from '../markup.js';
import { short } from './format.js';

/** A place, what it is worth to be there, and what is best done there. */
export interface ValuedPlace {
  readonly name: string;
  /** On the grid; row 0 is on top. */
  readonly column: number;
  readonly row: number;
  /** `null`: one cannot be there. Finite otherwise. */
  readonly value: number | null;
  readonly action: string;
}

/** A way between two places that lie side by side or one above the other. */
export interface Passage {
  readonly from: string;
  readonly to: string;
  readonly closed: boolean;
}

/** One situation on the map. */
export interface ValuePanel {
  readonly title: string;
  readonly places: readonly ValuedPlace[];
  readonly passages: readonly Passage[];
}

/** Panels whose values are compared: the darkest place is the best of the row. */
export interface ValueRow {
  readonly title: string;
  readonly panels: readonly ValuePanel[];
}

/** A grid world's values as a heat map, situation by situation. */
export interface ValueMap {
  readonly title: string;
  /** What a reader who cannot see the map should know. */
  readonly description: string;
  readonly rows: readonly ValueRow[];
}

const PLACE = { width: 136, height: 62, gapX: 22, gapY: 20 } as const;
const PANEL_GAP = 34;
const MARGIN = 18;
const HEADING = 34;
const ROW_TITLE = 26;
const PANEL_TITLE = 22;
/** Of the best place; text stays readable on it. */
const DARKEST = 0.5;
const FAINTEST = 0.04;

/** The map as one `<svg>` element with title and description; same data, same bytes. Throws when no place has a value. */
export function valueMapSvg(map: ValueMap): string {
  const panelSize = sizeOf(map.rows.flatMap(({ panels }) => panels));
  const across = Math.max(...map.rows.map(({ panels }) => panels.length));
  const rowHeight = ROW_TITLE + PANEL_TITLE + panelSize.height + MARGIN;
  const width = 2 * MARGIN + across * panelSize.width + (across - 1) * PANEL_GAP;
  const height = HEADING + map.rows.length * rowHeight;
  const rows = map.rows.map((row, r) => {
    const top = HEADING + r * rowHeight;
    const share = shareOf(row);
    const panels = row.panels.map((panel, p) =>
      panelMarks(panel, share, MARGIN + p * (panelSize.width + PANEL_GAP), top + ROW_TITLE),
    );
    return `<text class="chart-title" x="${MARGIN}" y="${top + 14}">${escapeMarkup(row.title)}</text>${panels.join('')}`;
  });
  return [
    `<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escapeMarkup(map.title)}</title><desc>${escapeMarkup(map.description)}</desc>`,
    `<text class="chart-title" style="font-size:15px" x="${MARGIN}" y="20">${escapeMarkup(map.title)}</text>`,
    ...rows,
    '</svg>',
  ].join('');
}

/** Where each value of a row lies between its least (0) and its greatest (1). Throws when there is none. */
export function shareOf({ title, panels }: ValueRow): (value: number) => number {
  const values = panels.flatMap(({ places }) => places.flatMap(({ value }) => value ?? []));
  if (values.length === 0)
    throw new Error(`value map, row "${title}": no place has a value; give at least one.`);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return (value) => (high === low ? 1 : (value - low) / (high - low));
}

function sizeOf(panels: readonly ValuePanel[]): { readonly width: number; readonly height: number } {
  const places = panels.flatMap((panel) => panel.places);
  const columns = Math.max(...places.map(({ column }) => column)) + 1;
  const rows = Math.max(...places.map(({ row }) => row)) + 1;
  return {
    width: columns * PLACE.width + (columns - 1) * PLACE.gapX,
    height: rows * PLACE.height + (rows - 1) * PLACE.gapY,
  };
}

function panelMarks(panel: ValuePanel, share: (value: number) => number, left: number, top: number): string {
  const corner = ({ column, row }: ValuedPlace): readonly [x: number, y: number] => [
    left + column * (PLACE.width + PLACE.gapX),
    top + PANEL_TITLE + row * (PLACE.height + PLACE.gapY),
  ];
  const passages = panel.passages.map((passage) => passageMark(panel, passage, corner));
  const places = panel.places.map((place) => placeMarks(place, share, corner(place)));
  return `<text x="${left}" y="${top + 12}">${escapeMarkup(panel.title)}</text>${passages.join('')}${places.join('')}`;
}

function passageMark(
  { places }: ValuePanel,
  { from, to, closed }: Passage,
  corner: (place: ValuedPlace) => readonly [number, number],
): string {
  const [a, b] = [from, to].map((name) => {
    const [x, y] = corner(placeNamed(places, name));
    return `${coordinate(x + PLACE.width / 2)} ${coordinate(y + PLACE.height / 2)}`;
  });
  const style = closed ? 'stroke:var(--bad);stroke-dasharray:3 3' : 'stroke:var(--ink-soft)';
  return `<path style="${style};stroke-width:3" d="M${a}L${b}"/>`;
}

/** Throws when a passage leads to a place that is not on the map, naming it. */
export function placeNamed(places: readonly ValuedPlace[], name: string): ValuedPlace {
  const place = places.find((candidate) => candidate.name === name);
  if (place === undefined)
    throw new Error(`value map: a passage names "${name}", which is no place of its panel.`);
  return place;
}

function placeMarks(
  { name, value, action }: ValuedPlace,
  share: (value: number) => number,
  [x, y]: readonly [number, number],
): string {
  const box = `x="${x}" y="${y}" width="${PLACE.width}" height="${PLACE.height}" rx="5"`;
  const line = (text: string, dy: number, style = ''): string =>
    `<text x="${x + PLACE.width / 2}" y="${y + dy}" text-anchor="middle"${style}>${escapeMarkup(text)}</text>`;
  const frame = `<rect ${box} style="fill:var(--panel);stroke:var(--line)"/>`;
  if (value === null) return `${frame}${line(name, 35, ' opacity=".6"')}`;
  const heat = coordinate(FAINTEST + (DARKEST - FAINTEST) * share(value));
  return [
    frame,
    `<rect ${box} style="fill:var(--series-2)" opacity="${heat}"/>`,
    line(name, 17),
    line(short(value), 36, ' style="fill:var(--ink);font-weight:600;font-size:15px"'),
    line(action, 54, ' style="fill:var(--ink);font-size:10.5px"'),
  ].join('');
}
