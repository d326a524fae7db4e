/** From the zod schema that the environment checks replies with to what services take. */
import { z } from 'zod';
import type { JsonSchema } from './types.js';

/**
 * Keywords that a service may not know, and bounds that its grammar pays for with states
 * ("constraint has too many states for serving"): the environment checks them all itself.
 */
const DROPPED: readonly string[] = [
  '$schema',
  'default',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
];

/** What is left, and supported everywhere. Anything else in a schema is an error here rather than silently ignored there. */
const SUPPORTED: readonly string[] = [
  '$id',
  '$defs',
  '$ref',
  '$anchor',
  'type',
  'title',
  'description',
  'enum',
  'items',
  'prefixItems',
  'anyOf',
  'properties',
  'additionalProperties',
  'required',
];

/**
 * The structure of a zod schema as JSON Schema, without bounds: `const` becomes `enum`, `oneOf` becomes `anyOf`. For servers that speak
 * the OpenAI protocol.
 * @throws Error for a schema that cannot be said in this subset, naming the keyword.
 */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  return simplify(z.toJSONSchema(schema, { io: 'input' }), false);
}

/**
 * The same for Gemini's `responseJsonSchema`, with `propertyOrdering`: the order in which the student writes keys, too.
 * Subset: https://ai.google.dev/gemini-api/docs/structured-output and the types of @google/genai 2.32.0.
 * @throws Error for a schema that cannot be said in this subset, naming the keyword.
 */
export function toGeminiSchema(schema: z.ZodType): JsonSchema {
  return simplify(z.toJSONSchema(schema, { io: 'input' }), true);
}

function simplify(schema: object, ordered: boolean): JsonSchema {
  const inner = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? simplify(value, ordered) : value;
  const simple: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
    if (DROPPED.includes(keyword)) continue;
    const [name, content] = renamed(keyword, value);
    if (!SUPPORTED.includes(name)) {
      throw new Error(
        `the JSON Schema keyword "${keyword}" is not supported by services; simplify the schema`,
      );
    }
    if (name === 'properties' || name === '$defs') {
      const fields = Object.entries(content as Record<string, unknown>);
      simple[name] = Object.fromEntries(fields.map(([field, type]) => [field, inner(type)]));
      if (ordered && name === 'properties') simple['propertyOrdering'] = fields.map(([field]) => field);
    } else if (name === 'anyOf' || name === 'prefixItems') simple[name] = (content as unknown[]).map(inner);
    else if (name === 'items' || name === 'additionalProperties') simple[name] = inner(content);
    else simple[name] = content;
  }
  return simple;
}

function renamed(keyword: string, value: unknown): [name: string, content: unknown] {
  if (keyword === 'const') return ['enum', [value]];
  return [keyword === 'oneOf' ? 'anyOf' : keyword, value];
}
