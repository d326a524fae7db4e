/**
 * Writes Excalidraw files (`.excalidraw`).
 *
 * A label is a text element of its own that names its container, an arrow names the shapes at its ends, and the shapes
 * name their labels and arrows in turn: where one direction is missing, boxes move and leave their arrows behind
 * (coleam00/excalidraw-diagram-skill#17, yctimlin/mcp_excalidraw#57). Every field is written, because readers other than
 * Excalidraw itself empty files that lack some (yctimlin/mcp_excalidraw#93); equal canvases are equal bytes.
 */
import { boxAround, center, type Box } from '../envs/diagram/geometry.js';
import {
  FONT_SIZE,
  LABEL_PADDING,
  LINE_HEIGHT,
  labelLines,
  lineWidth,
} from '../envs/diagram/text-metrics.js';
import type { Canvas, Shape, ShapeKind } from '../envs/diagram/types.js';
import { aim, arrowsOf, hundredths, type Arrow } from './arrows.js';
import { nestedShapes, type NestedShape } from './nesting.js';

const INK = '#1e1e1e';
const MUTED = '#868e96';
const LOOK: Readonly<Record<Exclude<ShapeKind, 'text'>, object>> = {
  rectangle: { strokeColor: '#1971c2', backgroundColor: '#a5d8ff', roundness: { type: 3 } },
  ellipse: { strokeColor: '#2f9e44', backgroundColor: '#b2f2bb', roundness: { type: 2 } },
  diamond: { strokeColor: '#f08c00', backgroundColor: '#ffec99', roundness: { type: 2 } },
};
/** Without a fill, whatever the order of creation, a group hides nothing and can be clicked through. */
const GROUP_LOOK = { strokeColor: MUTED, backgroundColor: 'transparent', strokeStyle: 'dashed' };
/** Helvetica: the face nearest to our text metrics. */
const FONT_FAMILY = 2;
/** Pixels that Excalidraw leaves between an outline and an arrow when it redraws the arrow. */
const GAP = 1;

type Element = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

/**
 * Writes a canvas as an `.excalidraw` file. Kept exactly: ids, kinds, places, sizes, labels, arrows, order. Groups are
 * Excalidraw groups too. Not kept: the size of the canvas, because Excalidraw's has none.
 */
export function toExcalidraw(canvas: Canvas): string {
  const arrows = arrowsOf(canvas);
  const elements = [
    ...nestedShapes(canvas).flatMap((nested) => shapeElements(nested, arrows)),
    ...arrows.flatMap(arrowElements),
  ];
  const file = {
    type: 'excalidraw',
    version: 2,
    source: 'posttrain',
    elements: elements.map((element, index) => ({ ...element, seed: index + 1 })),
    appState: { gridSize: null, viewBackgroundColor: '#ffffff' },
    files: {},
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function element(id: string, type: string, box: Box, rest: object): Element {
  return {
    id,
    type,
    x: hundredths(box.x),
    y: hundredths(box.y),
    width: hundredths(box.width),
    height: hundredths(box.height),
    angle: 0,
    strokeColor: INK,
    backgroundColor: 'transparent',
    fillStyle: 'solid',
    strokeWidth: 2,
    strokeStyle: 'solid',
    roughness: 1,
    opacity: 100,
    groupIds: [],
    frameId: null,
    index: null,
    roundness: null,
    version: 1,
    versionNonce: 1,
    isDeleted: false,
    boundElements: [],
    updated: 1,
    link: null,
    locked: false,
    ...rest,
  };
}

interface TextStyle {
  readonly containerId: string | null;
  readonly textAlign: 'left' | 'center';
  readonly verticalAlign: 'top' | 'middle';
  readonly groupIds?: readonly string[];
  readonly strokeColor?: string;
}

/** `lines` is what is shown; `text` what was written, before it was wrapped. */
function textElement(
  id: string,
  box: Box,
  lines: readonly string[],
  text: string,
  style: TextStyle,
): Element {
  return element(id, 'text', box, {
    text: lines.join('\n'),
    originalText: text,
    fontSize: FONT_SIZE,
    fontFamily: FONT_FAMILY,
    lineHeight: LINE_HEIGHT / FONT_SIZE,
    autoResize: true,
    ...style,
  });
}

function shapeElements({ shape, role, groups }: NestedShape, arrows: readonly Arrow[]): Element[] {
  const groupIds = role === 'group' ? [shape.id, ...groups] : groups;
  if (shape.shape === 'text') {
    const style = { containerId: null, textAlign: 'left', verticalAlign: 'top', groupIds } as const;
    return [textElement(shape.id, shape, labelLines(shape), shape.text, style)];
  }
  const label = labelElement(shape, role, groupIds);
  const bound = arrows.filter(({ from, to }) => from === shape || to === shape);
  const boundElements = [...label, ...bound.map(({ id }) => ({ id, type: 'arrow' }))].map(({ id, type }) => ({
    id,
    type,
  }));
  const look = role === 'group' ? GROUP_LOOK : LOOK[shape.shape];
  return [element(shape.id, shape.shape, shape, { ...look, groupIds, boundElements }), ...label];
}

/** The bound text of a box: in its middle, or in a group's top left corner. */
function labelElement(shape: Shape, role: NestedShape['role'], groupIds: readonly string[]): Element[] {
  if (shape.text === '') return [];
  const lines = labelLines(shape);
  const size = { width: Math.max(...lines.map(lineWidth)), height: lines.length * LINE_HEIGHT };
  const id = `${shape.id}:label`;
  if (role === 'group') {
    const box = { x: shape.x + LABEL_PADDING, y: shape.y + LABEL_PADDING, ...size };
    const style = { textAlign: 'left', verticalAlign: 'top', strokeColor: MUTED } as const;
    return [textElement(id, box, lines, shape.text, { containerId: shape.id, groupIds, ...style })];
  }
  const box = boxAround(center(shape), size.width, size.height);
  const style = { textAlign: 'center', verticalAlign: 'middle' } as const;
  return [textElement(id, box, lines, shape.text, { containerId: shape.id, groupIds, ...style })];
}

function arrowElements(arrow: Arrow): Element[] {
  const { id, edge, points, labelBox } = arrow;
  const [first] = points;
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  // The label is no wider than its text, because a label masks its arrow (Agents365-ai/excalidraw-skill#4).
  const label =
    labelBox === null
      ? []
      : [
          textElement(`${id}:label`, labelBox, edge.label.split('\n'), edge.label, {
            containerId: id,
            textAlign: 'center',
            verticalAlign: 'middle',
          }),
        ];
  const box = {
    ...first!,
    width: Math.max(...xs) - Math.min(...xs),
    height: Math.max(...ys) - Math.min(...ys),
  };
  const body = element(id, 'arrow', box, {
    strokeColor: MUTED,
    roundness: points.length > 2 ? { type: 2 } : null,
    boundElements: label.map(({ id, type }) => ({ id, type })),
    points: points.map(({ x, y }) => [hundredths(x - first!.x), hundredths(y - first!.y)]),
    lastCommittedPoint: null,
    startBinding: binding(arrow, 'from'),
    endBinding: binding(arrow, 'to'),
    startArrowhead: null,
    endArrowhead: 'arrow',
    elbowed: false,
  });
  return [body, ...label];
}

/** Both generations in one: 0.18 reads `focus` and `gap`, what comes after it `fixedPoint` and `mode`. */
function binding(arrow: Arrow, end: 'from' | 'to'): object {
  const { x, y } = aim(arrow, end);
  return { elementId: arrow[end].id, focus: 0, gap: GAP, fixedPoint: [x, y], mode: 'orbit' };
}
