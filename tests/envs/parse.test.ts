import { describe, expect, test } from 'vitest';
import { applyActions, emptyCanvas } from 'posttrain/envs/diagram/canvas';
import { drawActionTypes, replySchema } from 'posttrain/envs/diagram/actions';
import { parseActions } from 'posttrain/envs/diagram/parse';
import { z } from 'zod';

/** The codes of a reply: the parse error, or what was wrong with each action (`ok` where nothing was). */
function codes(reply: string): string | string[] {
  const parsed = parseActions(reply);
  return parsed.ok ? parsed.actions.map((item) => ('code' in item ? item.code : 'ok')) : parsed.problem.code;
}

const actionCode = (action: string): string => {
  const found = codes(`{"actions":[${action}]}`);
  return typeof found === 'string' ? found : found.join();
};

/** A valid `create` with some source text exchanged. */
const create = (changes: Record<string, string | null> = {}): string => {
  const fields: Record<string, string | null> = {
    type: '"create"',
    shape: '"rectangle"',
    id: '"n1"',
    x: '10',
    y: '20',
    width: '100',
    height: '60',
    text: '"API"',
    ...changes,
  };
  const body = Object.entries(fields).flatMap(([key, value]) =>
    value === null ? [] : [`"${key}":${value}`],
  );
  return `{${body.join(',')}}`;
};
const text = (value: string | null): string =>
  create({ shape: '"text"', width: null, height: null, text: value });

test('the tutorial sample that connects to a box nobody created is invalid', () => {
  const sample = `{
  "actions": [
    {"type": "create", "shape": "rectangle", "id": "box1", "x": 10, "y": 20, "width": 100, "height": 60},
    {"type": "create", "shape": "text", "id": "label1", "x": 15, "y": 25, "text": "Order"},
    {"type": "connect", "from": "box1", "to": "box2"}
  ]
}`;
  const parsed = parseActions(sample);
  if (!parsed.ok) throw new Error('it is valid JSON');
  const { canvas, log } = applyActions(emptyCanvas(), parsed.actions);
  expect(log.errors).toEqual([{ code: 'E_DANGLING', subjects: ['box1>box2'], actionIndex: 2 }]);
  expect(canvas.shapes.map(({ id }) => id)).toEqual(['box1', 'label1']);
});

describe('parse level: nothing of the reply runs', () => {
  const deep = (levels: number): string => `{"actions":[${'['.repeat(levels)}${']'.repeat(levels)}]}`;
  const padded = (bytes: number): string => `{"actions":[]${' '.repeat(bytes - 14)}}`;

  test.each([
    ['', 'E_PARSE'],
    ['I will draw it.', 'E_PARSE'],
    ['Sure! {"actions":[]}', 'E_PARSE'],
    ['```json\n{"actions":[]}\n```', 'E_PARSE'],
    ['{"actions":[]} Done.', 'E_PARSE'],
    ['{"actions":[]}{"actions":[]}', 'E_PARSE'],
    ['\ufeff{"actions":[]}', 'E_PARSE'],
    ['\u00a0{"actions":[]}', 'E_PARSE'],
    ['{"actions":[] /* none */}', 'E_PARSE'],
    ['{"actions":[],}', 'E_PARSE'],
    ["{'actions':[]}", 'E_PARSE'],
    [`{"actions":[${create({ x: 'NaN' })}]}`, 'E_PARSE'],
    [`{"actions":[${create({ x: 'Infinity' })}]}`, 'E_PARSE'],
    [`{"actions":[${create()}`, 'E_PARSE'],
    [padded(16_385), 'E_TOO_LONG'],
    [`{"actions":["${'数'.repeat(5_500)}"]}`, 'E_TOO_LONG'],
    [deep(7), 'E_DEPTH'],
    ['['.repeat(10_000), 'E_DEPTH'],
    ['[]', 'E_ROOT'],
    ['null', 'E_ROOT'],
    ['{}', 'E_ROOT'],
    ['{"actions":{}}', 'E_ROOT'],
    ['{"actions":[],"reward":1}', 'E_ROOT'],
    ['{"actions":[],"__proto__":{}}', 'E_ROOT'],
    ['{"__proto__":{"actions":[]}}', 'E_ROOT'],
    ['{"actions":[],"actions":[]}', 'E_DUP_KEY'],
    ['{"actions":[],"\\u0061ctions":[]}', 'E_DUP_KEY'],
    [`{"actions":[${create().replace('}', ',"x":99}')}]}`, 'E_DUP_KEY'],
    ['{"actions":[{"a":{"__proto__":1,"__proto__":2}}]}', 'E_DUP_KEY'],
  ])('%j', (reply, code) => {
    expect(codes(reply)).toBe(code);
  });

  test.each([
    ['{"actions":[]}', []],
    [' \n\t{ "actions" : [ ] }\r\n', []],
    [padded(16_384), []],
    [deep(6), ['E_TYPE']],
    [`{"actions":[${create({ text: '"{\\"x\\":1,\\"x\\":2} [[[[[[[[[[[["' })}]}`, ['ok']],
    [`{"actions":[${create()},${create()}]}`, ['ok', 'ok']],
  ])('%j passes', (reply, expected) => {
    expect(codes(reply)).toEqual(expected);
  });
});

describe('action level: one code each', () => {
  test.each([
    ['null', 'E_TYPE'],
    ['[]', 'E_TYPE'],
    ['"create"', 'E_TYPE'],
    ['{}', 'E_TYPE'],
    ['{"type":"draw"}', 'E_TYPE'],
    ['{"type":"constructor"}', 'E_TYPE'],
    ['{"type":["create"]}', 'E_TYPE'],
    [create({ reward: '1' }), 'E_KEY'],
    [create().replace('{', '{"__proto__":{},'), 'E_KEY'],
    [create().replace('{', '{"constructor":1,'), 'E_KEY'],
    [create({ x: null }), 'E_KEY'],
    [create({ id: null }), 'E_KEY'],
    [create({ shape: null }), 'E_KEY'],
    [text('"a"').replace('"x"', '"width":50,"x"'), 'E_KEY'],
    ['{"type":"finish","why":"done"}', 'E_KEY'],
    ['{"type":"connect","from":"a"}', 'E_KEY'],
    [create({ id: '""' }), 'E_ID'],
    [create({ id: '"1n"' }), 'E_ID'],
    [create({ id: '"数据"' }), 'E_ID'],
    [create({ id: '"__proto__"' }), 'E_ID'],
    [create({ id: '"a b"' }), 'E_ID'],
    [create({ id: '"n1\\n"' }), 'E_ID'],
    [create({ id: `"${'a'.repeat(33)}"` }), 'E_ID'],
    [create({ id: '1' }), 'E_ID'],
    ['{"type":"connect","from":"a","to":null}', 'E_ID'],
    [create({ shape: '"circle"' }), 'E_SHAPE'],
    [create({ shape: '"Rectangle"' }), 'E_SHAPE'],
    [create({ shape: '7' }), 'E_SHAPE'],
    [create({ x: '1e400' }), 'E_NUM'],
    [create({ x: '-1e400' }), 'E_NUM'],
    [create({ x: '"10"' }), 'E_NUM'],
    [create({ x: '1.5' }), 'E_NUM'],
    [create({ x: 'null' }), 'E_NUM'],
    [create({ width: '9007199254740993' }), 'E_NUM'],
    [create({ height: '[60]' }), 'E_NUM'],
    [text(null), 'E_TEXT'],
    ['{"type":"update","id":"a"}', 'E_TEXT'],
    [create({ text: '""' }), 'E_TEXT'],
    [create({ text: '" \\n "' }), 'E_TEXT'],
    [create({ text: '"\\u200b\\u2060\\ufeff"' }), 'E_TEXT'],
    [create({ text: 'null' }), 'E_TEXT'],
    [create({ text: '42' }), 'E_TEXT'],
    [create({ text: `"${'a'.repeat(121)}"` }), 'E_TEXT'],
    [create({ text: '"a\\u0000b"' }), 'E_TEXT'],
    [create({ text: '"a\\tb"' }), 'E_TEXT'],
    [create({ text: '"a\\u009bb"' }), 'E_TEXT'],
    [create({ text: '"a\\u2028b"' }), 'E_TEXT'],
    [create({ text: '"\\u202egnirts"' }), 'E_TEXT'],
    [create({ text: '"a\\u2066b"' }), 'E_TEXT'],
    [create({ text: '"\\ud83d"' }), 'E_TEXT'],
    [create({ text: '"\ud83d"' }), 'E_TEXT'],
    [create({ text: '"\\uffff"' }), 'E_TEXT'],
    ['{"type":"connect","from":"a","to":"b","label":""}', 'E_TEXT'],
    ['{"type":"disconnect","from":"a","to":"b","label":"\\u200b"}', 'E_TEXT'],
  ])('%s', (action, code) => {
    expect(actionCode(action)).toBe(code);
  });

  test.each([
    create(),
    create({ text: null }),
    create({ x: '1e2', y: '1.0' }),
    create({ x: '-5' }),
    create({ id: `"${'a'.repeat(32)}"` }),
    create({ id: '"constructor"' }),
    create({ id: '"N_1-b"' }),
    create({ text: `"${'a'.repeat(120)}"` }),
    create({ text: `"${'👍'.repeat(120)}"` }),
    create({ text: '"\\ud83d\\udc4d"' }),
    create({ text: '"a\\nb"' }),
    create({ text: '"ab\\u200bcd"' }),
    text('"note"'),
    '{"to":"b","type":"connect","from":"a"}',
    '{"type":"connect","from":"a","to":"a","label":"retry"}',
    '{"type":"update","id":"a","text":"b"}',
    '{"type":"move","id":"a","x":0,"y":0}',
    '{"type":"resize","id":"a","width":20,"height":20}',
    '{"type":"delete","id":"a"}',
    '{"type":"disconnect","from":"a","to":"b"}',
    '{"type":"finish"}',
  ])('%s is fine', (action) => {
    expect(actionCode(action)).toBe('ok');
  });

  test('the first fault in a fixed order names the action', () => {
    expect(actionCode(create({ id: '1', x: '1.5', text: '""', reward: '1' }))).toBe('E_KEY');
    expect(actionCode(create({ id: '1', x: '1.5', text: '""' }))).toBe('E_ID');
    expect(actionCode(create({ shape: '"star"', x: '1.5' }))).toBe('E_SHAPE');
    expect(actionCode(create({ x: '1.5', text: '""' }))).toBe('E_NUM');
  });

  test('problems name what they are about when it can be named', () => {
    const parsed = parseActions(
      `{"actions":[${create({ x: '"1"' })},{"type":"connect","from":"a","to":"b","k":1},{"type":"x"}]}`,
    );
    expect(parsed.ok && parsed.actions).toEqual([
      { code: 'E_NUM', subjects: ['n1'], actionIndex: 0 },
      { code: 'E_KEY', subjects: ['a>b'], actionIndex: 1 },
      { code: 'E_TYPE', subjects: [], actionIndex: 2 },
    ]);
  });

  test('-0 is read as 0', () => {
    const parsed = parseActions(`{"actions":[${create({ x: '-0' })}]}`);
    const action = parsed.ok ? parsed.actions[0] : undefined;
    expect(action && 'x' in action && Object.is(action.x, 0)).toBe(true);
  });

  test('types that make no sense in a single reply can be refused', () => {
    const parsed = parseActions(
      '{"actions":[{"type":"finish"},{"type":"connect","from":"a","to":"b"}]}',
      drawActionTypes,
    );
    expect(parsed.ok && parsed.actions.map((item) => ('code' in item ? item.code : item.type))).toEqual([
      'E_TYPE',
      'connect',
    ]);
  });

  test('nothing leaks into Object.prototype', () => {
    parseActions('{"actions":[{"__proto__":{"polluted":1},"type":"create"}],"__proto__":{"polluted":1}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

test('the reply schema can be handed to a structured-output service', () => {
  const schema = z.toJSONSchema(replySchema) as { required: string[]; additionalProperties: boolean };
  expect(schema.required).toEqual(['actions']);
  expect(schema.additionalProperties).toBe(false);
  const source = JSON.stringify(schema);
  expect(source).not.toContain('"const"');
  for (const type of ['create', 'connect', 'update', 'move', 'resize', 'delete', 'disconnect', 'finish']) {
    expect(source).toContain(`"enum":["${type}"]`);
  }
});
