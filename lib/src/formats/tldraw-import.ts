/** Reads tldraw files (`.tldr`): labels as rich text or plain, arrow ends as bindings or (before tldraw 2.2) in the arrow. */
import { z } from 'zod';
import type { Point } from '../envs/diagram/geometry.js';
import type { ShapeKind } from '../envs/diagram/types.js';
import { pointed } from './arrows.js';
import { assemble, type FoundEdge, type FoundShape, type Imported } from './imported.js';
import { checked, readJson } from './json-source.js';

const FORMAT = 'a tldraw file';
const header = z.object({ tldrawFileFormatVersion: z.literal(1), records: z.array(z.unknown()) });
const anyRecord = z.looseObject({ id: z.string(), typeName: z.string() });
const pageRecord = z.object({ id: z.string(), index: z.string(), name: z.string() });
const shapeRecord = z.object({
  id: z.string(),
  type: z.string(),
  parentId: z.string(),
  index: z.string(),
  x: z.number(),
  y: z.number(),
  rotation: z.number().default(0),
  props: z.record(z.string(), z.unknown()),
});
const bindingRecord = z.object({
  type: z.string(),
  fromId: z.string(),
  toId: z.string(),
  props: z.looseObject({ terminal: z.string().optional() }),
});
const wordsOf = z.object({ richText: z.unknown().optional(), text: z.string().optional() });
const geoProps = z.object({ geo: z.string(), w: z.number(), h: z.number(), growY: z.number().default(0) });
const frameProps = z.object({ w: z.number(), h: z.number(), name: z.string().default('') });
const noteProps = z.object({ growY: z.number().default(0), scale: z.number().default(1) });
const inlineEnd = z.looseObject({ boundShapeId: z.string().optional() }).optional();
const arrowProps = z.object({
  start: inlineEnd,
  end: inlineEnd,
  arrowheadStart: z.string().default('none'),
  arrowheadEnd: z.string().default('arrow'),
});

type ShapeRecord = z.infer<typeof shapeRecord>;
type BindingRecord = z.infer<typeof bindingRecord>;

/** Pixels; the side of a sticky note at scale 1. */
const NOTE_SIDE = 200;

/**
 * Reads the first page of a `.tldr` file. Frames and notes become rectangles; so do outlines a canvas does not have, which
 * `dropped` then names, as it does other records, turns, further pages and loose arrows. An arrow with a head at its start
 * only points backwards, any other forwards. Colours and styles are not read. Throws when the text is not such a file.
 */
export function fromTldraw(source: string): Imported {
  const { records } = checked(header, readJson(source, FORMAT), FORMAT, '');
  const known = records.map((value, index) => checked(anyRecord, value, FORMAT, `records[${index}]`));
  const ofType = <T>(typeName: string, schema: z.ZodType<T>): T[] =>
    known
      .map((value, index) => ({ value, place: `records[${index}]` }))
      .filter(({ value }) => value.typeName === typeName)
      .map(({ value, place }) => checked(schema, value, FORMAT, place));
  const [page, ...otherPages] = ofType('page', pageRecord).sort(byIndex);
  if (!page) throw new Error(`this is not ${FORMAT}: it has no page; save it once more and try again`);

  const bindings = ofType('binding', bindingRecord).filter(({ type }) => type === 'arrow');
  const shapes: FoundShape[] = [];
  const arrows: FoundEdge[] = [];
  const dropped = otherPages.map(({ name }) => `page ${JSON.stringify(name)}`);
  for (const { record, origin } of inOrder(page.id, ofType('shape', shapeRecord))) {
    if (record.type === 'group') continue;
    if (record.type === 'arrow') {
      arrows.push(foundArrow(record, bindings));
      continue;
    }
    const found = foundShape(record, origin);
    if (found === null) {
      dropped.push(`${record.type} ${idOf(record.id)}`);
      continue;
    }
    shapes.push(found.shape);
    if (found.outline !== undefined) dropped.push(`the outline ${found.outline} of ${found.shape.id}`);
    if (record.rotation !== 0) dropped.push(`the turn of ${found.shape.id}`);
  }
  return assemble(shapes, arrows, dropped);
}

function byIndex(a: { readonly index: string }, b: { readonly index: string }): number {
  return a.index < b.index ? -1 : a.index > b.index ? 1 : 0;
}

interface Placed {
  readonly record: ShapeRecord;
  /** Where the record's coordinates start: the corner of the frame or group it lies in. */
  readonly origin: Point;
}

/** The shapes of a page from back to front, what lies in a frame or group right after it. */
function inOrder(pageId: string, records: readonly ShapeRecord[]): Placed[] {
  const children = new Map<string, ShapeRecord[]>();
  for (const record of records) {
    children.set(record.parentId, [...(children.get(record.parentId) ?? []), record]);
  }
  const walk = (parentId: string, origin: Point): Placed[] =>
    [...(children.get(parentId) ?? [])].sort(byIndex).flatMap((record) => {
      const corner = { x: origin.x + record.x, y: origin.y + record.y };
      return [{ record, origin }, ...walk(record.id, corner)];
    });
  return walk(pageId, { x: 0, y: 0 });
}

/** `outline` is one that a canvas does not have. */
function foundShape(
  { id, type, x, y, props }: ShapeRecord,
  origin: Point,
): { readonly shape: FoundShape; readonly outline?: string } | null {
  const corner = { id: idOf(id), x: origin.x + x, y: origin.y + y };
  const text = labelOf(id, props);
  switch (type) {
    case 'geo': {
      const { geo, w, h, growY } = checked(geoProps, props, FORMAT, `${id} props`);
      const kind = KINDS[geo];
      const shape = { ...corner, shape: kind ?? 'rectangle', width: w, height: h + growY, text } as const;
      return kind === undefined ? { shape, outline: geo } : { shape };
    }
    case 'frame': {
      const { w, h, name } = checked(frameProps, props, FORMAT, `${id} props`);
      return { shape: { ...corner, shape: 'rectangle', width: w, height: h, text: name } };
    }
    case 'note': {
      const { growY, scale } = checked(noteProps, props, FORMAT, `${id} props`);
      const side = NOTE_SIDE * scale;
      return { shape: { ...corner, shape: 'rectangle', width: side, height: side + growY, text } };
    }
    case 'text':
      return { shape: { ...corner, shape: 'text', width: 0, height: 0, text } };
    default:
      return null;
  }
}

const KINDS: Readonly<Partial<Record<string, ShapeKind>>> = {
  rectangle: 'rectangle',
  ellipse: 'ellipse',
  oval: 'ellipse',
  diamond: 'diamond',
  rhombus: 'diamond',
};

function idOf(recordId: string): string {
  return recordId.replace(/^shape:/, '');
}

function foundArrow({ id, props }: ShapeRecord, bindings: readonly BindingRecord[]): FoundEdge {
  const arrow = checked(arrowProps, props, FORMAT, `${id} props`);
  const boundTo = (terminal: 'start' | 'end'): string | undefined => {
    const binding = bindings.find(({ fromId, props }) => fromId === id && props.terminal === terminal);
    const shape = binding?.toId ?? arrow[terminal]?.boundShapeId;
    return shape === undefined ? undefined : idOf(shape);
  };
  const heads = { start: arrow.arrowheadStart !== 'none', end: arrow.arrowheadEnd !== 'none' };
  return { id: idOf(id), ...pointed(boundTo('start'), boundTo('end'), heads), label: labelOf(id, props) };
}

function labelOf(id: string, props: ShapeRecord['props']): string {
  const { richText, text } = checked(wordsOf, props, FORMAT, `${id} props`);
  return richText === undefined ? (text ?? '') : plainText(richText);
}

/** A ProseMirror document as text: a line for each paragraph or list item, styles left out. */
function plainText(node: unknown): string {
  const { type, text, content = [] } = checked(richNode, node, FORMAT, 'richText');
  if (type === 'text') return text ?? '';
  if (type === 'hardBreak') return '\n';
  return content.map(plainText).join(type === 'paragraph' || type === 'heading' ? '' : '\n');
}

const richNode = z.object({
  type: z.string(),
  text: z.string().optional(),
  content: z.array(z.unknown()).optional(),
});
