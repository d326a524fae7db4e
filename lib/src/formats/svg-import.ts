/** Reads back the SVG pictures that `renderSvg` draws: the canvas travels in their `<metadata>`. */
import { z } from 'zod';
import { isId } from '../envs/diagram/actions.js';
import type { Canvas } from '../envs/diagram/types.js';
import { unescapeMarkup } from '../markup.js';
import type { Imported } from './imported.js';
import { checked, readJson } from './json-source.js';

const FORMAT = 'an SVG with a canvas in it';
const id = z.string().refine(isId, 'expected letters, digits, "_" or "-", a letter first, at most 32');
const canvasSchema: z.ZodType<Canvas> = z
  .strictObject({
    width: z.int().positive(),
    height: z.int().positive(),
    shapes: z.array(
      z.strictObject({
        id,
        shape: z.enum(['rectangle', 'ellipse', 'diamond', 'text']),
        x: z.int(),
        y: z.int(),
        width: z.int().positive(),
        height: z.int().positive(),
        text: z.string(),
      }),
    ),
    edges: z.array(z.strictObject({ from: id, to: id, label: z.string() })),
  })
  .refine(
    ({ shapes }) => new Set(shapes.map(({ id }) => id)).size === shapes.length,
    'two shapes share an id',
  )
  .refine(({ shapes, edges }) => {
    const ids = new Set(shapes.map(({ id }) => id));
    return edges.every(({ from, to }) => ids.has(from) && ids.has(to));
  }, 'an arrow ends at a shape that does not exist');

/**
 * The canvas of an SVG picture, exactly as it was when the picture was drawn. Throws when the picture carries none:
 * pictures by other programs, and ours after a tool has stripped their metadata.
 */
export function fromSvg(source: string): Imported {
  const metadata = /<metadata>([^<]*)<\/metadata>/.exec(source)?.[1];
  if (metadata === undefined) {
    throw new Error(
      'this SVG has no canvas in its <metadata>; only pictures drawn by posttrain, as they were written, can be read',
    );
  }
  const canvas = checked(canvasSchema, readJson(unescapeMarkup(metadata), FORMAT), FORMAT, 'metadata');
  return { canvas, dropped: [] };
}
