/**
 * Writes tldraw files (`.tldr`).
 *
 * A file says which version of each record type it holds, and newer readers migrate older records. So the records are
 * written as tldraw 3 had them: the first with rich text, and every reader since then takes them.
 */
import type { Canvas, Shape, ShapeKind } from '../envs/diagram/types.js';
import { readCanvas, type Role } from '../envs/diagram/hierarchy.js';
import { aim, arrowsOf, hundredths, type Arrow } from './arrows.js';
import type { Route } from '../envs/diagram/routes.js';

/** `com.tldraw.` is left out of each name. */
const SEQUENCES: Readonly<Record<string, number>> = {
  store: 4,
  document: 2,
  page: 1,
  shape: 4,
  'shape.geo': 10,
  'shape.arrow': 7,
  'shape.text': 3,
  'binding.arrow': 1,
};
const PAGE = 'page:page';
/** tldraw's small text is 18 px at scale 1; ours is 16 px. */
const SCALE = 16 / 18;
const LOOK: Readonly<Record<Exclude<ShapeKind, 'text'>, object>> = {
  rectangle: { color: 'light-blue', fill: 'solid', dash: 'draw' },
  ellipse: { color: 'light-green', fill: 'solid', dash: 'draw' },
  diamond: { color: 'yellow', fill: 'solid', dash: 'draw' },
};
/** Without a fill, whatever the order of creation, a group hides nothing. */
const GROUP_LOOK = { color: 'grey', fill: 'none', dash: 'dashed' };
const FONT = { size: 's', font: 'sans', scale: SCALE };

/**
 * Writes a canvas as a `.tldr` file with one page. Kept exactly: ids, kinds, places, sizes, labels, arrows, order. Not
 * kept: the size of the canvas, because tldraw's has none. Groups are boxes around their members, as on our canvas.
 */
export function toTldraw(canvas: Canvas): string {
  const roles = readCanvas(canvas);
  const arrows = arrowsOf(canvas);
  const shapes = canvas.shapes.map((shape, index) => shapeRecord(shape, roles[index]!.role));
  const placed = [...shapes, ...arrows.map(arrowRecord)].map((record, index) => ({
    ...record,
    index: indexKey(index),
  }));
  const file = {
    tldrawFileFormatVersion: 1,
    schema: {
      schemaVersion: 2,
      sequences: Object.fromEntries(
        Object.entries(SEQUENCES).map(([name, version]) => [`com.tldraw.${name}`, version]),
      ),
    },
    records: [
      { id: 'document:document', typeName: 'document', gridSize: 10, name: '', meta: {} },
      { id: PAGE, typeName: 'page', name: 'Page 1', index: indexKey(0), meta: {} },
      ...placed,
      ...arrows.flatMap((arrow) => [bindingRecord(arrow, 'from'), bindingRecord(arrow, 'to')]),
    ],
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The key that puts a record in a place, counted from 0: `a1` … `az`, `b01` … `bzz`, `c001` …. The letter tells how many
 * digits follow, so `a10` is not a key; one that ends in 0 is valid, but tldraw 5 replaces it with a random later key.
 */
function indexKey(place: number): string {
  const lasts = DIGITS.length - 1;
  let rest = place;
  let digits = 1;
  while (rest >= lasts * DIGITS.length ** (digits - 1)) rest -= lasts * DIGITS.length ** (digits++ - 1);
  let number = DIGITS[1 + (rest % lasts)]!;
  for (rest = Math.floor(rest / lasts); number.length < digits; rest = Math.floor(rest / DIGITS.length)) {
    number = DIGITS[rest % DIGITS.length]! + number;
  }
  return String.fromCharCode('a'.charCodeAt(0) + digits - 1) + number;
}

/** One paragraph a line; an empty one has no content. */
function richText(text: string): object {
  const paragraphs = text
    .split('\n')
    .map((line) => ({ type: 'paragraph', ...(line !== '' && { content: [{ type: 'text', text: line }] }) }));
  return { type: 'doc', content: paragraphs };
}

function record(
  id: string,
  type: string,
  { x, y }: { readonly x: number; readonly y: number },
  props: object,
) {
  return {
    id: `shape:${id}`,
    typeName: 'shape',
    type,
    x: hundredths(x),
    y: hundredths(y),
    rotation: 0,
    parentId: PAGE,
    isLocked: false,
    opacity: 1,
    meta: {},
    props,
  };
}

function shapeRecord(shape: Shape, role: Role): object {
  const { id, width, height, text } = shape;
  if (shape.shape === 'text') {
    const props = {
      color: 'black',
      ...FONT,
      textAlign: 'start',
      autoSize: true,
      w: width,
      richText: richText(text),
    };
    return record(id, 'text', shape, props);
  }
  const group = role === 'group';
  return record(id, 'geo', shape, {
    geo: shape.shape,
    w: width,
    h: height,
    growY: 0,
    url: '',
    labelColor: group ? 'grey' : 'black',
    ...(group ? GROUP_LOOK : LOOK[shape.shape]),
    ...FONT,
    align: group ? 'start' : 'middle',
    verticalAlign: group ? 'start' : 'middle',
    richText: richText(text),
  });
}

function arrowRecord({ id, edge, points, route }: Arrow): object {
  const [first, last] = [points[0]!, points.at(-1)!];
  return record(id, 'arrow', first, {
    kind: 'arc',
    start: { x: 0, y: 0 },
    end: { x: hundredths(last.x - first.x), y: hundredths(last.y - first.y) },
    bend: bendOf(route),
    arrowheadStart: 'none',
    arrowheadEnd: 'arrow',
    color: 'grey',
    labelColor: 'black',
    fill: 'none',
    dash: 'draw',
    ...FONT,
    richText: richText(edge.label),
    labelPosition: 0.5,
    elbowMidPoint: 0.5,
  });
}

/** Pixels from the middle of the chord to the middle of the arc; negative is to the left of the way along the chord. */
function bendOf(route: Route | null): number {
  if (route?.kind !== 'loop') return 0;
  const { start, end, radius } = route;
  const halfChord = Math.hypot(end.x - start.x, end.y - start.y) / 2;
  return -hundredths(radius + Math.sqrt(Math.max(0, radius ** 2 - halfChord ** 2)));
}

function bindingRecord(arrow: Arrow, end: 'from' | 'to'): object {
  const terminal = end === 'from' ? 'start' : 'end';
  const normalizedAnchor = aim(arrow, end);
  const isMiddle = normalizedAnchor.x === 0.5 && normalizedAnchor.y === 0.5;
  return {
    id: `binding:${arrow.id}:${terminal}`,
    typeName: 'binding',
    type: 'arrow',
    fromId: `shape:${arrow.id}`,
    toId: `shape:${arrow[end].id}`,
    meta: {},
    props: { terminal, normalizedAnchor, isExact: false, isPrecise: !isMiddle, snap: 'none' },
  };
}
