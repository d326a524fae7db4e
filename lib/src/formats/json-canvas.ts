/**
 * JSON Canvas files (`.canvas`, jsoncanvas.org 1.0), which Obsidian and others edit; both ways.
 *
 * The format knows text cards and groups, not outlines. Ours are written the way the Advanced Canvas plugin does, in
 * `styleAttributes`; Obsidian alone shows every shape as a card. Text is Markdown there, so what Markdown would read as
 * markup is escaped.
 */
import { z } from 'zod';
import { center, type Box, type Point } from '../envs/diagram/geometry.js';
import { readCanvas, type ReadShape } from '../envs/diagram/hierarchy.js';
import type { Canvas, Shape, ShapeKind } from '../envs/diagram/types.js';
import { arrowsOf, pointed, type Arrow } from './arrows.js';
import { assemble, type FoundEdge, type FoundShape, type Imported } from './imported.js';
import { checked, readJson } from './json-source.js';

const STYLE: Readonly<Record<ShapeKind, object>> = {
  rectangle: {},
  ellipse: { shape: 'circle' },
  diamond: { shape: 'diamond' },
  text: { border: 'invisible' },
};

/**
 * Writes a canvas as a JSON Canvas file. Kept exactly: ids, kinds, places, sizes, labels, arrows, order. Not kept: the
 * size of the canvas, because a JSON Canvas has none.
 */
export function toJsonCanvas(canvas: Canvas): string {
  const file = { nodes: readCanvas(canvas).map(nodeOf), edges: arrowsOf(canvas).map(edgeOf) };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function nodeOf({ shape, role }: ReadShape): object {
  const { id, x, y, width, height, text } = shape;
  const box = { x, y, width, height };
  if (role === 'group') return { id, type: 'group', ...box, ...(text !== '' && { label: text }) };
  return { id, type: 'text', ...box, text: escapeMarkdown(text), styleAttributes: STYLE[shape.shape] };
}

function edgeOf({ id, edge, from, to, route, points }: Arrow): object {
  const sides = route !== null && { fromSide: sideAt(from, points[0]!), toSide: sideAt(to, points.at(-1)!) };
  const label = edge.label !== '' && { label: edge.label };
  return { id, fromNode: edge.from, toNode: edge.to, ...sides, ...label };
}

/** The side of a box on which a point of its border lies. */
function sideAt(box: Box, point: Point): 'left' | 'right' | 'top' | 'bottom' {
  const middle = center(box);
  const across = (point.x - middle.x) / box.width;
  const down = (point.y - middle.y) / box.height;
  if (Math.abs(across) > Math.abs(down)) return across > 0 ? 'right' : 'left';
  return down > 0 ? 'bottom' : 'top';
}

/** A backslash before everything that means something in Markdown, in Obsidian's, or at the start of a line. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_~[\]<>#|$=&%^]/g, '\\$&')
    .replace(/^( *)([-+])/gm, '$1\\$2')
    .replace(/^( *\d+)([.)])/gm, '$1\\$2');
}

/** Takes a backslash away from before every punctuation mark of ASCII. */
function unescapeMarkdown(text: string): string {
  return text.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

const FORMAT = 'a JSON Canvas file';
const nodeSchema = z.object({
  id: z.string(),
  type: z.string(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  text: z.string().optional(),
  label: z.string().optional(),
  file: z.string().optional(),
  url: z.string().optional(),
  styleAttributes: z.object({ shape: z.unknown().optional(), border: z.unknown().optional() }).optional(),
});
const edgeSchema = z.object({
  id: z.string(),
  fromNode: z.string(),
  toNode: z.string(),
  fromEnd: z.string().default('none'),
  toEnd: z.string().default('arrow'),
  label: z.string().default(''),
});
const fileSchema = z.object({
  nodes: z.array(nodeSchema).default([]),
  edges: z.array(edgeSchema).default([]),
});

/**
 * Reads a JSON Canvas file. Groups become rectangles; cards for files and links become rectangles with the path or
 * address as label, and `dropped` says that their content is not read. An arrow with a head at its start only points
 * backwards, any other forwards. Colours and Markdown styles are not read. Throws when the text is not such a file.
 */
export function fromJsonCanvas(source: string): Imported {
  const { nodes, edges } = checked(fileSchema, readJson(source, FORMAT), FORMAT, '');
  const embedded = nodes.filter(({ file, url }) => file !== undefined || url !== undefined);
  return assemble(
    nodes.map(foundShape),
    edges.map(foundEdge),
    embedded.map(({ id, type }) => `the content of ${type} ${id}`),
  );
}

function foundShape(node: z.infer<typeof nodeSchema>): FoundShape {
  const { id, x, y, width, height, text, label, file, url } = node;
  const words = text === undefined ? (label ?? file ?? url ?? '') : unescapeMarkdown(text);
  return { id, shape: kindOf(node), x, y, width, height, text: words };
}

function kindOf({ type, styleAttributes }: z.infer<typeof nodeSchema>): Shape['shape'] {
  if (type !== 'text' || styleAttributes === undefined) return 'rectangle';
  const { shape, border } = styleAttributes;
  if (shape === 'diamond') return 'diamond';
  if (shape === 'circle' || shape === 'pill') return 'ellipse';
  return border === 'invisible' ? 'text' : 'rectangle';
}

function foundEdge({ id, fromNode, toNode, fromEnd, toEnd, label }: z.infer<typeof edgeSchema>): FoundEdge {
  return { id, ...pointed(fromNode, toNode, { start: fromEnd !== 'none', end: toEnd !== 'none' }), label };
}
