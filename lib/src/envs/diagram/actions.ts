/** What a policy may do, as strict zod schemas: unknown keys are errors, and key order is the canonical one. */
import { z } from 'zod';
import { isVisible } from './text-metrics.js';
import type { Action } from './types.js';

export type ActionType = Action['type'];

/** Everything a policy can do, and the part of it that makes sense when there is only one reply. */
export const actionTypes: readonly ActionType[] = [
  'create',
  'connect',
  'update',
  'move',
  'resize',
  'delete',
  'disconnect',
  'finish',
];
export const drawActionTypes: readonly ActionType[] = ['create', 'connect'];

/** Code points; the longest label. */
export const MAX_TEXT_LENGTH = 120;

/** ASCII on purpose: ids derived from other scripts tend to collapse to the same string on export. */
const ID = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

/** Control characters but the line break, line separators, bidirectional overrides, lone surrogates, non-characters. */
export const FORBIDDEN_TEXT: RegExp =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/u;

export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}

/** Whether a string may be written on the canvas: visible, at most 120 code points, nothing that reorders or hides text. */
export function isLabelText(text: string): boolean {
  return [...text].length <= MAX_TEXT_LENGTH && !FORBIDDEN_TEXT.test(text) && isVisible(text);
}

const id = z.string().regex(ID);
/** `-0` is read as `0`. */
const integer = z.int().overwrite((value) => value + 0);
const text = z.string().refine(isLabelText);

/** `z.enum` rather than `z.literal`, because some structured-output services accept `enum` but not `const`. */
const typed = <T extends ActionType>(type: T): z.ZodType<T> => z.enum([type]) as unknown as z.ZodType<T>;

const createText = z.strictObject({
  type: typed('create'),
  shape: z.enum(['text']),
  id,
  x: integer,
  y: integer,
  text,
});

const createBox = z.strictObject({
  type: typed('create'),
  shape: z.enum(['rectangle', 'ellipse', 'diamond']),
  id,
  x: integer,
  y: integer,
  width: integer,
  height: integer,
  text: text.optional(),
});

const otherSchemas = {
  connect: z.strictObject({ type: typed('connect'), from: id, to: id, label: text.optional() }),
  update: z.strictObject({ type: typed('update'), id, text }),
  move: z.strictObject({ type: typed('move'), id, x: integer, y: integer }),
  resize: z.strictObject({ type: typed('resize'), id, width: integer, height: integer }),
  delete: z.strictObject({ type: typed('delete'), id }),
  disconnect: z.strictObject({ type: typed('disconnect'), from: id, to: id, label: text.optional() }),
  finish: z.strictObject({ type: typed('finish') }),
};

/** The schema one action is checked against: chosen by its type and, for `create`, by whether it is text. */
export function schemaOf(type: ActionType, shape: unknown): z.ZodType<Action> {
  if (type !== 'create') return otherSchemas[type] as z.ZodType<Action>;
  return (shape === 'text' ? createText : createBox) as z.ZodType<Action>;
}

/** Schemas of single actions by type; two of `create`, because text has no size. */
const schemasByType: Readonly<Record<ActionType, readonly z.ZodType[]>> = {
  create: [createBox, createText],
  connect: [otherSchemas.connect],
  update: [otherSchemas.update],
  move: [otherSchemas.move],
  resize: [otherSchemas.resize],
  delete: [otherSchemas.delete],
  disconnect: [otherSchemas.disconnect],
  finish: [otherSchemas.finish],
};

/** A whole reply of these actions, for services that generate from a schema; the parser checks actions one by one instead. */
export function replySchemaOf(types: readonly ActionType[]): z.ZodType<{ actions: Action[] }> {
  const actions = z.array(z.union(types.flatMap((type) => schemasByType[type])));
  return z.strictObject({ actions: actions as unknown as z.ZodType<Action[]> });
}

/** A whole reply of any actions. */
export const replySchema: z.ZodType<{ actions: Action[] }> = replySchemaOf(actionTypes);
