/** Random replies, from valid to hostile, for every test that must survive whatever a policy writes. */
import fc from 'fast-check';
import { applyActions, emptyCanvas } from 'posttrain/envs/diagram/canvas';
import { serializeActions } from 'posttrain/envs/diagram/codec';
import type { Action, Canvas } from 'posttrain/envs/diagram/types';

/** Few ids, so that duplicates, dangling ends and edits of real shapes all happen; some are names of Object's own. */
const ids = fc.constantFrom('n1', 'n2', 'n3', 'n4', 'n5', 'g', 'constructor', 'toString', 'hasOwnProperty');
const labels = fc.constantFrom(
  'API',
  'Database',
  '数据库',
  'f(x)',
  'a\nb',
  '"quoted\\"',
  'é👍',
  'yes',
  'arr[mid]',
);
const grid = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max }).map((value) => value * 10);
const sides = fc.integer({ min: 2, max: 30 }).map((value) => value * 10);
const optional = <K extends string>(
  key: K,
  value: fc.Arbitrary<string>,
): fc.Arbitrary<Partial<Record<K, string>>> =>
  fc.option(value).map((given) => (given === null ? {} : ({ [key]: given } as Record<K, string>)));

const boxes = fc
  .tuple(
    fc.constantFrom('rectangle' as const, 'ellipse' as const, 'diamond' as const),
    ids,
    fc.tuple(grid(130), grid(90), sides, sides),
    optional('text', labels),
  )
  .map(([shape, id, [x, y, width, height], text]): Action => {
    return { type: 'create', shape, id, x, y, width, height, ...text };
  });
const texts = fc
  .tuple(ids, grid(130), grid(90), labels)
  .map(([id, x, y, text]): Action => ({ type: 'create', shape: 'text', id, x, y, text }));
const connects = fc
  .tuple(ids, ids, optional('label', labels))
  .map(([from, to, label]): Action => ({ type: 'connect', from, to, ...label }));
const edits = fc
  .tuple(
    fc.constantFrom(
      'update' as const,
      'move' as const,
      'resize' as const,
      'delete' as const,
      'disconnect' as const,
    ),
    ids,
    ids,
    fc.tuple(grid(130), grid(90)),
    labels,
  )
  .map(([type, id, to, [a, b], text]): Action => {
    if (type === 'update') return { type, id, text };
    if (type === 'move') return { type, id, x: a, y: b };
    if (type === 'resize') return { type, id, width: a, height: b };
    return type === 'delete' ? { type, id } : { type, from: id, to };
  });

/** Well-formed actions; whether they run depends on the canvas. Half of the time in the canonical order, creates first. */
export const actionLists: fc.Arbitrary<Action[]> = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 5, arbitrary: boxes },
        { weight: 1, arbitrary: texts },
        { weight: 4, arbitrary: connects },
        { weight: 1, arbitrary: edits },
      ),
      { maxLength: 12 },
    ),
    fc.boolean(),
  )
  .map(([actions, sorted]) => {
    const isCreate = (action: Action): boolean => action.type === 'create';
    return sorted ? [...actions.filter(isCreate), ...actions.filter((action) => !isCreate(action))] : actions;
  });

/** Canvases as a policy could have left them. */
export const canvases: fc.Arbitrary<Canvas> = actionLists.map(
  (actions) => applyActions(emptyCanvas(), actions).canvas,
);

/** Canonical replies. */
export const validReplies: fc.Arbitrary<string> = actionLists.map(serializeActions);

/** Values that a careless parser lets through, as JSON source text. */
const oddValues = fc.constantFrom(
  '1e400',
  '-1e400',
  '-0',
  '1.5',
  '1e2',
  '1.0',
  '9007199254740993',
  'NaN',
  'Infinity',
  '-Infinity',
  '01',
  '+1',
  'null',
  'true',
  '"10"',
  '""',
  '{}',
  '[]',
  '{"a":{"b":[1]}}',
  '"\\ud800"',
  '"\\u202eabc"',
  '"\\u200b"',
  '"\\u0000"',
  'undefined',
  "'x'",
  '"n1',
  '/*c*/1',
  '"constructor"',
  '"__proto__"',
  '"toString"',
);
const oddKeys = fc.constantFrom(
  'type',
  'shape',
  'id',
  'x',
  'text',
  'reward',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '\\u0074ype',
  '',
);

/** Action-like objects with odd keys and values, duplicate keys among them. */
export const oddObjects: fc.Arbitrary<string> = fc
  .array(fc.tuple(oddKeys, oddValues), { maxLength: 6 })
  .map(
    (fields) =>
      `{"actions":[{"type":"create",${fields.map(([key, value]) => `"${key}":${value}`).join(',')}}]}`,
  );

interface Splice {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const splices: fc.Arbitrary<Splice> = fc.record({
  at: fc.nat(),
  remove: fc.integer({ min: 0, max: 4 }),
  insert: fc.oneof(
    fc.constantFrom(
      '',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '\ufeff',
      '\u00a0',
      '\ud800',
      '\n',
      '```',
      ',"x":1',
    ),
    oddValues,
  ),
});

/** Valid replies with a few characters cut out, put in or replaced. */
export const mutatedReplies: fc.Arbitrary<string> = fc
  .tuple(validReplies, fc.array(splices, { minLength: 1, maxLength: 3 }))
  .map(([reply, edits]) =>
    edits.reduce((text, { at, remove, insert }) => {
      const index = at % (text.length + 1);
      return text.slice(0, index) + insert + text.slice(index + remove);
    }, reply),
  );

/** Valid replies with one key or value exchanged: still JSON, mostly. */
export const alteredReplies: fc.Arbitrary<string> = fc
  .tuple(
    validReplies,
    fc.nat(),
    fc.oneof(
      oddValues,
      oddKeys.map((key) => `"${key}"`),
    ),
  )
  .map(([reply, where, replacement]) => {
    const tokens = [...reply.matchAll(/-?\d+|"(?:[^"\\]|\\.)*"/g)];
    const token = tokens[where % tokens.length];
    if (!token) return reply;
    return reply.slice(0, token.index) + replacement + reply.slice(token.index + token[0].length);
  });

/** Things chat models put around JSON. */
export const wrappedReplies: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', ' ', '\n', 'Here you go: ', '```json\n', '\ufeff', '// ', '\u00a0'),
    validReplies,
    fc.constantFrom('', ' ', '\n', '\n```', ' Done.', ';', '\u0000', '{"actions":[]}'),
  )
  .map((parts) => parts.join(''));

/** Up to 40 kB of one thing repeated: nesting, long strings, thousands of actions or keys, escapes. */
export const hugeReplies: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '{"actions":', '{"actions":[', '{"actions":["', '{"'),
    fc.constantFrom(
      '[',
      '{"a":',
      '[]',
      '{},',
      '{"type":"finish"},',
      '"',
      '\\',
      '\\"',
      '\\u0061',
      'a',
      '数',
      '👍',
      ' ',
      '1',
      '"a":1,',
    ),
    fc.integer({ min: 0, max: 10_000 }),
    fc.constantFrom('', ']}', '{}]}', '"]}', '}'),
  )
  .map(
    ([head, unit, times, tail]) =>
      head + unit.repeat(Math.min(times, Math.ceil(40_000 / unit.length))) + tail,
  );

/** Any string at all, lone surrogates included, bare and inside a label. */
export const arbitraryStrings: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((units) => String.fromCharCode(...units)),
);
export const oddLabels: fc.Arbitrary<string> = arbitraryStrings.map((text) =>
  JSON.stringify({ actions: [{ type: 'create', shape: 'text', id: 'n1', x: 0, y: 0, text }] }),
);

/** Any JSON value. */
export const jsonValues: fc.Arbitrary<string> = fc.json({ maxDepth: 4 });

/** Every kind above, by name: iterate to give each its share of a fuzzing budget. */
export const replyKinds: Readonly<Record<string, fc.Arbitrary<string>>> = {
  validReplies,
  mutatedReplies,
  alteredReplies,
  wrappedReplies,
  oddObjects,
  oddLabels,
  hugeReplies,
  arbitraryStrings,
  jsonValues,
};

/** A mixture of all kinds. */
export const replies: fc.Arbitrary<string> = fc.oneof(...Object.values(replyKinds));
