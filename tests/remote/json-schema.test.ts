import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { drawActionTypes, replySchema, replySchemaOf } from 'posttrain/envs/diagram/actions';
import { toGeminiSchema, toJsonSchema } from 'posttrain/remote/json-schema';

const fixture = (name: string): string => readFileSync(`tests/remote/fixtures/${name}.json`, 'utf8');
const text = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

describe('the schema that a service is sent', () => {
  it.each([
    ['gemini-reply', toGeminiSchema(replySchema)],
    ['gemini-draw', toGeminiSchema(replySchemaOf(drawActionTypes))],
    ['openai-draw', toJsonSchema(replySchemaOf(drawActionTypes))],
  ])('is these bytes: %s', (name, schema) => {
    expect(text(schema)).toBe(fixture(name));
  });

  it('has no bounds, no const, no oneOf, and orders its keys', () => {
    const schema = z.strictObject({
      b: z.literal('x'),
      a: z.int().min(0).max(5),
      c: z.array(z.string().min(1).max(9).regex(/x/)).min(1).max(3).optional(),
      d: z.discriminatedUnion('k', [
        z.strictObject({ k: z.literal(1) }),
        z.strictObject({ k: z.literal(2) }),
      ]),
      e: z.email().nullable(),
    });
    const kind = (value: number): object => ({
      type: 'object',
      properties: { k: { type: 'number', enum: [value] } },
      propertyOrdering: ['k'],
      required: ['k'],
      additionalProperties: false,
    });
    expect(toGeminiSchema(schema)).toEqual({
      type: 'object',
      properties: {
        b: { type: 'string', enum: ['x'] },
        a: { type: 'integer' },
        c: { type: 'array', items: { type: 'string' } },
        d: { anyOf: [kind(1), kind(2)] },
        e: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      propertyOrdering: ['b', 'a', 'c', 'd', 'e'],
      required: ['b', 'a', 'd', 'e'],
      additionalProperties: false,
    });
  });

  it('may have a field with the name of a keyword', () => {
    expect(toJsonSchema(z.strictObject({ pattern: z.string(), not: z.string() }))).toEqual({
      type: 'object',
      properties: { pattern: { type: 'string' }, not: { type: 'string' } },
      required: ['pattern', 'not'],
      additionalProperties: false,
    });
  });

  it('refuses what no service would keep', () => {
    const lengths = z.record(z.string(), z.number());
    expect(() => toJsonSchema(lengths)).toThrow('keyword "propertyNames" is not supported by services');
  });
});
