import { createGrid, gridLines, horizontal, put, vertical, write, type Grid } from './cell-grid.js';
import { cellWidth, fitToWidth } from './cells.js';
import { short } from './format.js';
import {
  placeNamed,
  shareOf,
  type Passage,
  type ValuedPlace,
  type ValueMap,
  type ValuePanel,
} from './value-map.js';

/** Cells of a place with its frame, and between two places. */
const PLACE = { columns: 24, rows: 5, gapColumns: 3, gapRows: 1 } as const;
const HEAT = ['·', '░', '▒', '▓', '█'] as const;

/** The map for a terminal: one panel below the other, each place with its name, its value between signs of its heat, and its action. */
export function valueMapText(map: ValueMap): string[] {
  return [
    map.title,
    ...map.rows.flatMap((row) => {
      const share = shareOf(row);
      return [
        '',
        row.title,
        ...row.panels.flatMap((panel) => [
          '',
          `  ${panel.title}`,
          ...panelLines(panel, share).map((line) => `  ${line}`),
        ]),
      ];
    }),
  ];
}

function panelLines(panel: ValuePanel, share: (value: number) => number): string[] {
  const columns = Math.max(...panel.places.map(({ column }) => column)) + 1;
  const rows = Math.max(...panel.places.map(({ row }) => row)) + 1;
  const grid = createGrid(columns * (PLACE.columns + PLACE.gapColumns), rows * (PLACE.rows + PLACE.gapRows));
  for (const place of panel.places) drawPlace(grid, place, share);
  for (const passage of panel.passages) drawPassage(grid, panel, passage);
  return gridLines(grid);
}

function corner({ column, row }: ValuedPlace): { readonly left: number; readonly top: number } {
  return { left: column * (PLACE.columns + PLACE.gapColumns), top: row * (PLACE.rows + PLACE.gapRows) };
}

function drawPlace(grid: Grid, place: ValuedPlace, share: (value: number) => number): void {
  const { left, top } = corner(place);
  const [right, bottom] = [left + PLACE.columns - 1, top + PLACE.rows - 1];
  for (const row of [top, bottom]) horizontal(grid, row, left, right);
  for (const column of [left, right]) vertical(grid, column, top, bottom);
  centred(grid, place, 1, place.name);
  if (place.value === null) return;
  const heat = HEAT[Math.round(share(place.value) * (HEAT.length - 1))]!.repeat(4);
  centred(grid, place, 2, `${heat} ${short(place.value)} ${heat}`);
  centred(grid, place, 3, place.action);
}

function centred(grid: Grid, place: ValuedPlace, line: number, text: string): void {
  const { left, top } = corner(place);
  const room = PLACE.columns - 2;
  const fitted = fitToWidth(text, room);
  write(grid, left + 1 + Math.floor((room - cellWidth(fitted)) / 2), top + line, fitted);
}

/** Through the gap between two places, from frame to frame; `×` where it is closed. */
function drawPassage(grid: Grid, { places }: ValuePanel, { from, to, closed }: Passage): void {
  const [a, b] = [from, to]
    .map((name) => placeNamed(places, name))
    .toSorted((p, q) => p.row - q.row || p.column - q.column) as [ValuedPlace, ValuedPlace];
  const start = corner(a);
  const end = corner(b);
  if (a.row === b.row) {
    const row = start.top + Math.floor(PLACE.rows / 2);
    horizontal(grid, row, start.left + PLACE.columns - 1, end.left);
    if (closed) put(grid, start.left + PLACE.columns + 1, row, '×');
  } else {
    const column = start.left + Math.floor(PLACE.columns / 2);
    vertical(grid, column, start.top + PLACE.rows - 1, end.top);
    if (closed) put(grid, column, start.top + PLACE.rows, '×');
  }
}
