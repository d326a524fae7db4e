/** Reads Excalidraw files (`.excalidraw`) of every generation since labels are bound to their containers. */
import { z } from 'zod';
import type { ShapeKind } from '../envs/diagram/types.js';
import { pointed } from './arrows.js';
import { assemble, type FoundEdge, type FoundShape, type Imported } from './imported.js';
import { checked, readJson } from './json-source.js';

const FORMAT = 'an Excalidraw file';
const header = z.looseObject({ type: z.literal('excalidraw'), elements: z.array(z.unknown()) });
const anyElement = z.looseObject({ id: z.string(), type: z.string(), isDeleted: z.boolean().optional() });
const boxElement = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  angle: z.number().default(0),
  name: z.string().nullish(),
});
const textElement = z.object({
  x: z.number(),
  y: z.number(),
  angle: z.number().default(0),
  text: z.string(),
  originalText: z.string().nullish(),
  containerId: z.string().nullish(),
});
const bindingSchema = z.object({ elementId: z.string() }).nullish();
const arrowElement = z.object({
  startBinding: bindingSchema,
  endBinding: bindingSchema,
  startArrowhead: z.string().nullish(),
  endArrowhead: z.string().nullish(),
});

/**
 * Reads an `.excalidraw` file. Frames become rectangles with their name. Arrows count when both ends are bound, whichever
 * generation of bindings; one with a head at its start only points backwards, any other forwards. Colours and styles
 * are not read; other elements, turns and loose arrows are listed in `dropped`. Throws when the text is not such a file.
 */
export function fromExcalidraw(source: string): Imported {
  const { elements } = checked(header, readJson(source, FORMAT), FORMAT, '');
  const present = elements
    .map((value, index): Present => {
      const place = `elements[${index}]`;
      return { value: checked(anyElement, value, FORMAT, place), place };
    })
    .filter(({ value }) => value.isDeleted !== true);
  const labels = boundTexts(present);

  const shapes: FoundShape[] = [];
  const arrows: FoundEdge[] = [];
  const dropped: string[] = [];
  for (const { value, place } of present) {
    const { id, type } = value;
    if (type === 'arrow') {
      arrows.push(foundArrow(id, checked(arrowElement, value, FORMAT, place), labels.get(id) ?? ''));
    } else if (type === 'text') {
      const text = checked(textElement, value, FORMAT, place);
      if (text.containerId != null && labels.has(text.containerId)) continue;
      if (text.angle !== 0) dropped.push(`the turn of text ${id}`);
      shapes.push({ id, shape: 'text', x: text.x, y: text.y, width: 0, height: 0, text: wordsOf(text) });
    } else if (isBoxType(type)) {
      const { angle, name, ...box } = checked(boxElement, value, FORMAT, place);
      if (angle !== 0) dropped.push(`the turn of ${type} ${id}`);
      const shape = type === 'frame' ? 'rectangle' : type;
      shapes.push({ id, shape, ...box, text: labels.get(id) ?? name ?? '' });
    } else {
      dropped.push(`${type} ${id}`);
    }
  }
  return assemble(shapes, arrows, dropped);
}

interface Present {
  readonly value: z.infer<typeof anyElement>;
  /** Where in the file it stands. */
  readonly place: string;
}

/** What is written in boxes and on arrows, by the id of the box or arrow. */
function boundTexts(present: readonly Present[]): Map<string, string> {
  const holders = new Set(present.filter(({ value }) => holdsText(value.type)).map(({ value }) => value.id));
  const labels = new Map<string, string>();
  for (const { value, place } of present) {
    if (value.type !== 'text') continue;
    const text = checked(textElement, value, FORMAT, place);
    if (text.containerId != null && holders.has(text.containerId)) {
      labels.set(text.containerId, wordsOf(text));
    }
  }
  return labels;
}

/** `text` is broken into the lines shown, `originalText` (absent in old files) is not. */
function wordsOf({ text, originalText }: z.infer<typeof textElement>): string {
  return originalText ?? text;
}

function isBoxType(type: string): type is Exclude<ShapeKind, 'text'> | 'frame' {
  return ['rectangle', 'ellipse', 'diamond', 'frame'].includes(type);
}

function holdsText(type: string): boolean {
  return type === 'arrow' || isBoxType(type);
}

function foundArrow(id: string, arrow: z.infer<typeof arrowElement>, label: string): FoundEdge {
  const heads = { start: arrow.startArrowhead != null, end: arrow.endArrowhead != null };
  return { id, ...pointed(arrow.startBinding?.elementId, arrow.endBinding?.elementId, heads), label };
}
