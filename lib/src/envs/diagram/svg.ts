/**
 * A canvas as an SVG picture. A pure function: the same canvas gives the same bytes, on every machine.
 *
 * Text is `<text>` with one `<tspan>` a line (`foreignObject` is what gets clipped in the wild), wrapped by our own
 * metrics. Labels are untrusted and only ever become escaped text. Colours read well on light and dark pages alike,
 * because the picture has no background of its own. The canvas travels along as JSON in `<metadata>`.
 */
import { coordinate as n, escapeMarkup } from '../../markup.js';
import { area, boxAround, center, type Box } from './geometry.js';
import { readCanvas, type ReadShape } from './hierarchy.js';
import { drawEdges, type DrawnEdge, type Route } from './routes.js';
import { FONT_SIZE, LINE_HEIGHT, labelLines } from './text-metrics.js';
import type { Canvas, Shape, ShapeKind } from './types.js';

const FONT =
  "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif";
const INK = '#1e293b';
/** In the middle between black and white: visible on both. */
const LINE = '#7688a3';
const PAINT: Readonly<
  Record<Exclude<ShapeKind, 'text'>, { readonly fill: string; readonly stroke: string }>
> = {
  rectangle: { fill: '#e3edff', stroke: '#5b84d6' },
  ellipse: { fill: '#def5e8', stroke: '#3f9f74' },
  diamond: { fill: '#fff1cf', stroke: '#cf9a2c' },
};
/** Labels of arrows are set a little smaller than they are measured. */
const EDGE_FONT_SIZE = 14;
/** Pixels left free around the drawing. */
const MARGIN = 20;
/** Pixels from the middle of a line of text down to its baseline. */
const BASELINE = 5.5;

/** Draws a canvas, cropped to what is on it; an empty canvas keeps its full size. */
export function renderSvg(canvas: Canvas): string {
  const shapes = readCanvas(canvas);
  const edges = drawEdges(canvas);
  const frame = drawingFrame(canvas, edges);
  const byRole = (...roles: readonly ReadShape['role'][]): readonly ReadShape[] =>
    shapes.filter(({ role }) => roles.includes(role));
  // A group that holds another is larger, so larger ones are painted first.
  const groups = [...byRole('group')].sort((a, b) => area(b.shape) - area(a.shape));

  const size = `width="${n(frame.width)}" height="${n(frame.height)}"`;
  const viewBox = [frame.x, frame.y, frame.width, frame.height].map(n).join(' ');
  const summary = `Diagram of ${count(canvas.shapes.length, 'shape')} and ${count(canvas.edges.length, 'arrow')}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="${viewBox}" role="img" aria-label="${summary}" ` +
      `font-family="${FONT}" font-size="${FONT_SIZE}">`,
    `<metadata>${escapeMarkup(JSON.stringify(canvas))}</metadata>`,
    `<defs><marker id="posttrain-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" ` +
      `orient="auto"><path d="M0 0L10 5L0 10z" fill="${LINE}"/></marker></defs>`,
    ...groups.map(({ shape }) => groupMarkup(shape)),
    ...byRole('node').map(({ shape }) => nodeMarkup(shape)),
    ...edges.map(({ route }) => route && arrowMarkup(route)),
    ...edges.map(edgeLabelMarkup),
    ...byRole('label').map(({ shape }) => freeText(shape, INK)),
    ...byRole('annotation').map(({ shape }) => freeText(shape, LINE)),
    '</svg>',
  ]
    .filter((part) => part !== null && part !== '')
    .join('\n');
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** The whole pixels around everything drawn. */
function drawingFrame(canvas: Canvas, edges: readonly DrawnEdge[]): Box {
  if (canvas.shapes.length === 0) return { x: 0, y: 0, width: canvas.width, height: canvas.height };
  const boxes: readonly Box[] = [
    ...canvas.shapes,
    ...edges.flatMap(({ labelBox }) => labelBox ?? []),
    ...edges.flatMap(({ segments }) => segments.map(({ end }) => ({ ...end, width: 0, height: 0 }))),
  ];
  const left = Math.floor(Math.min(...boxes.map((box) => box.x))) - MARGIN;
  const top = Math.floor(Math.min(...boxes.map((box) => box.y))) - MARGIN;
  const right = Math.ceil(Math.max(...boxes.map((box) => box.x + box.width))) + MARGIN;
  const bottom = Math.ceil(Math.max(...boxes.map((box) => box.y + box.height))) + MARGIN;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function outline({ shape, x, y, width, height }: Shape, paint: string): string {
  const middle = center({ x, y, width, height });
  if (shape === 'ellipse') {
    return `<ellipse cx="${n(middle.x)}" cy="${n(middle.y)}" rx="${n(width / 2)}" ry="${n(height / 2)}" ${paint}/>`;
  }
  if (shape === 'diamond') {
    const corners = [
      [middle.x, y],
      [x + width, middle.y],
      [middle.x, y + height],
      [x, middle.y],
    ];
    const points = corners.map((corner) => corner.map(n).join(',')).join(' ');
    return `<polygon points="${points}" stroke-linejoin="round" ${paint}/>`;
  }
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="6" ${paint}/>`;
}

/** The title stands in the top-left corner, where arrows seldom pass. */
function groupMarkup(shape: Shape): string {
  const border = outline(
    shape,
    `fill="${LINE}" fill-opacity="0.08" stroke="${LINE}" stroke-width="1.5" stroke-dasharray="6 4"`,
  );
  return (
    border + textMarkup(labelLines(shape), shape.x + 12, shape.y + 18, `fill="${LINE}" font-weight="600"`)
  );
}

function nodeMarkup(shape: Shape): string {
  if (shape.shape === 'text') return '';
  const { fill, stroke } = PAINT[shape.shape];
  const lines = labelLines(shape);
  const middle = center(shape);
  const firstLine = middle.y - ((lines.length - 1) * LINE_HEIGHT) / 2;
  return (
    outline(shape, `fill="${fill}" stroke="${stroke}" stroke-width="1.5"`) +
    textMarkup(lines, middle.x, firstLine, `${CENTERED} fill="${INK}"`)
  );
}

function freeText(shape: Shape, color: string): string {
  return textMarkup(
    labelLines(shape),
    center(shape).x,
    shape.y + LINE_HEIGHT / 2,
    `${CENTERED} fill="${color}"`,
  );
}

const CENTERED = 'text-anchor="middle"';

/** Lines of text at `x`, the middle of the first at `y`. */
function textMarkup(lines: readonly string[], x: number, y: number, style: string): string {
  if (lines.length === 0) return '';
  const spans = lines.map(
    (line, i) => `<tspan x="${n(x)}" y="${n(y + i * LINE_HEIGHT + BASELINE)}">${escapeMarkup(line)}</tspan>`,
  );
  return `<text ${style}>${spans.join('')}</text>`;
}

function arrowMarkup(route: Route): string {
  const { start, end } = route.kind === 'line' ? route.segment : route;
  const path =
    route.kind === 'line'
      ? `L${n(end.x)} ${n(end.y)}`
      : `A${n(route.radius)} ${n(route.radius)} 0 1 1 ${n(end.x)} ${n(end.y)}`;
  return (
    `<path d="M${n(start.x)} ${n(start.y)}${path}" fill="none" stroke="${LINE}" stroke-width="1.75" ` +
    'marker-end="url(#posttrain-arrow)"/>'
  );
}

/** A chip just as wide as the text, so that it never hides its arrow. */
function edgeLabelMarkup({ edge, labelBox }: DrawnEdge): string {
  if (!labelBox) return '';
  const middle = center(labelBox);
  const chip = boxAround(middle, (labelBox.width * EDGE_FONT_SIZE) / FONT_SIZE, labelBox.height);
  const size = `width="${n(chip.width)}" height="${n(chip.height)}"`;
  return (
    `<rect x="${n(chip.x)}" y="${n(chip.y)}" ${size} rx="5" fill="#f4f6fa"/>` +
    textMarkup(
      edge.label.split('\n'),
      middle.x,
      labelBox.y + LINE_HEIGHT / 2,
      `${CENTERED} fill="${INK}" font-size="${EDGE_FONT_SIZE}"`,
    )
  );
}
