import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MAX_ACTIONS,
  applyAction,
  applyActions,
  emptyCanvas,
  emptyLog,
  recordParseError,
} from 'posttrain/envs/diagram/canvas';
import { readCanvas } from 'posttrain/envs/diagram/hierarchy';
import type { Action, Canvas } from 'posttrain/envs/diagram/types';
import { actionLists, canvases } from './arbitraries.js';
import { arrow, box, canvasOf, note } from './build.js';

const codesOf = (canvas: Canvas, ...actions: Action[]): string[] =>
  applyActions(canvas, actions).log.errors.map(({ code }) => code);

const two = canvasOf(
  box('a', [0, 0, 100, 60], 'A'),
  box('b', [200, 0, 100, 60], 'B'),
  arrow('a>b', 'go'),
  note('t', 0, 200, 'note'),
);

describe('each rule: what breaks it and what just does not', () => {
  const rules: readonly [string, Action, Action][] = [
    ['E_DUP_ID', box('a', [400, 400, 50, 50]), box('c', [400, 400, 50, 50])],
    ['E_SIZE', box('c', [0, 0, 19, 20]), box('c', [0, 0, 20, 20])],
    ['E_SIZE', box('c', [0, 0, 20, 19]), box('c', [0, 0, 1600, 1200])],
    ['E_SIZE', box('c', [0, 0, 1601, 20]), box('c', [0, 0, 1600, 20])],
    [
      'E_SIZE',
      { type: 'resize', id: 'a', width: 100, height: 0 },
      { type: 'resize', id: 'a', width: 20, height: 20 },
    ],
    ['E_RANGE', box('c', [-1, 0, 20, 20]), box('c', [0, 0, 20, 20])],
    ['E_RANGE', box('c', [0, 1181, 20, 20]), box('c', [0, 1180, 20, 20])],
    ['E_RANGE', note('c', 1590, 0, 'ab'), note('c', 1580, 0, 'ab')],
    ['E_RANGE', { type: 'move', id: 'a', x: 1501, y: 0 }, { type: 'move', id: 'a', x: 1500, y: 0 }],
    ['E_DANGLING', arrow('a>c'), arrow('b>a')],
    ['E_DANGLING', arrow('c>a'), arrow('a>a')],
    ['E_ENDPOINT', arrow('a>t'), arrow('a>b')],
    ['E_ENDPOINT', arrow('t>a'), arrow('b>a')],
    ['E_DUP_EDGE', arrow('a>b', 'go'), arrow('a>b', 'stop')],
    ['E_MISSING', { type: 'update', id: 'c', text: 'C' }, { type: 'update', id: 'a', text: 'C' }],
    ['E_MISSING', { type: 'move', id: 'c', x: 0, y: 0 }, { type: 'move', id: 'a', x: 1, y: 0 }],
    ['E_MISSING', { type: 'delete', id: 'c' }, { type: 'delete', id: 'a' }],
    ['E_MISSING', { type: 'disconnect', from: 'b', to: 'a' }, { type: 'disconnect', from: 'a', to: 'b' }],
    [
      'E_MISSING',
      { type: 'disconnect', from: 'a', to: 'b', label: 'stop' },
      { type: 'disconnect', from: 'a', to: 'b', label: 'go' },
    ],
    ['E_NOOP', { type: 'update', id: 'a', text: 'A' }, { type: 'update', id: 'a', text: 'a' }],
    ['E_NOOP', { type: 'move', id: 'a', x: 0, y: 0 }, { type: 'move', id: 'a', x: 0, y: 1 }],
    [
      'E_NOOP',
      { type: 'resize', id: 'a', width: 100, height: 60 },
      { type: 'resize', id: 'a', width: 100, height: 61 },
    ],
    [
      'E_SHAPE',
      { type: 'resize', id: 't', width: 100, height: 60 },
      { type: 'update', id: 't', text: 'longer note' },
    ],
  ];

  test.each(rules)('%s: %j, but not %j', (code, bad, good) => {
    expect(codesOf(two, bad)).toEqual([code]);
    expect(applyActions(two, [bad]).canvas).toEqual(two);
    expect(codesOf(two, good)).toEqual([]);
    expect(applyActions(two, [good]).canvas).not.toEqual(two);
  });

  test('E_TOO_MANY: the 129th action and later', () => {
    const many = Array.from({ length: MAX_ACTIONS + 2 }, (_, i) => note(`n${i}`, 0, 0, 'x'));
    expect(codesOf(emptyCanvas(), ...many.slice(0, MAX_ACTIONS))).toEqual([]);
    const { canvas, log } = applyActions(emptyCanvas(), many);
    expect(canvas.shapes.length).toBe(128);
    expect(log.errors).toEqual([
      { code: 'E_TOO_MANY', subjects: [], actionIndex: 128 },
      { code: 'E_TOO_MANY', subjects: [], actionIndex: 129 },
    ]);
  });

  test('E_TYPE: a finish that is not last', () => {
    const early = applyActions(two, [{ type: 'finish' }, { type: 'delete', id: 't' }]);
    expect(early.log.errors.map(({ code }) => code)).toEqual(['E_TYPE']);
    expect(early.finished).toBe(false);
    expect(early.canvas.shapes.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(applyActions(two, [{ type: 'delete', id: 't' }, { type: 'finish' }]).finished).toBe(true);
  });
});

describe('running a list of actions', () => {
  test('an invalid action is skipped and recorded, later ones still run', () => {
    const { canvas, log } = applyActions(emptyCanvas(), [
      box('a', [0, 0, 100, 60]),
      arrow('a>b'),
      { code: 'E_NUM', subjects: ['b'], actionIndex: 2 },
      box('b', [200, 0, 100, 60]),
      arrow('a>b'),
    ]);
    expect(canvas.edges).toEqual([{ from: 'a', to: 'b', label: '' }]);
    expect(log).toEqual({
      parsed: true,
      actions: 5,
      valid: 3,
      errors: [
        { code: 'E_DANGLING', subjects: ['a>b'], actionIndex: 1 },
        { code: 'E_NUM', subjects: ['b'], actionIndex: 2 },
      ],
    });
  });

  test('the log goes on from the one before', () => {
    const first = applyActions(two, [arrow('a>x')]).log;
    const second = applyActions(two, [arrow('b>a')], first).log;
    expect(second).toEqual({ ...first, actions: 2, valid: 1 });
    expect(recordParseError(second, { code: 'E_PARSE', subjects: [] })).toEqual({
      parsed: false,
      actions: 2,
      valid: 1,
      errors: [...first.errors, { code: 'E_PARSE', subjects: [] }],
    });
    expect(emptyLog).toEqual({ parsed: true, actions: 0, valid: 0, errors: [] });
  });

  test('a canvas is never changed in place, and the same actions give the same canvas', () => {
    fc.assert(
      fc.property(canvases, actionLists, (canvas, actions) => {
        const before = structuredClone(canvas);
        const one = applyActions(canvas, actions);
        expect(canvas).toEqual(before);
        expect(applyActions(canvas, actions)).toEqual(one);
      }),
      { numRuns: 300 },
    );
  });
});

describe('edits', () => {
  test('delete takes the arrows of the shape along, and nothing else', () => {
    const canvas = canvasOf(
      box('g', [0, 0, 400, 200], 'Group'),
      box('a', [20, 60, 100, 60], 'A'),
      box('b', [240, 60, 100, 60], 'B'),
      arrow('a>b'),
      arrow('g>g'),
      arrow('b>b'),
    );
    const outcome = applyAction(canvas, { type: 'delete', id: 'g' });
    if (!outcome.ok) throw new Error(outcome.code);
    expect(outcome.canvas.shapes.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(outcome.canvas.edges).toEqual([
      { from: 'a', to: 'b', label: '' },
      { from: 'b', to: 'b', label: '' },
    ]);
  });

  test('disconnect without a label removes every arrow of that direction', () => {
    const canvas = canvasOf(
      box('a', [0, 0, 50, 50]),
      box('b', [200, 0, 50, 50]),
      arrow('a>b'),
      arrow('a>b', 'x'),
      arrow('b>a'),
    );
    const outcome = applyAction(canvas, { type: 'disconnect', from: 'a', to: 'b' });
    expect(outcome.ok && outcome.canvas.edges).toEqual([{ from: 'b', to: 'a', label: '' }]);
  });

  test('a box that moves takes its label text along, but not a note that merely lies in it', () => {
    const moveTo = (canvas: Canvas): unknown => {
      const outcome = applyAction(canvas, { type: 'move', id: 'a', x: 300, y: 310 });
      return outcome.ok && outcome.canvas.shapes.map(({ id, x, y }) => [id, x, y]);
    };
    expect(moveTo(canvasOf(box('a', [0, 0, 200, 60]), note('t', 10, 20, 'Name')))).toEqual([
      ['a', 300, 310],
      ['t', 310, 330],
    ]);
    expect(moveTo(canvasOf(box('a', [0, 0, 200, 60], 'Name'), note('t', 10, 20, 'note')))).toEqual([
      ['a', 300, 310],
      ['t', 10, 20],
    ]);
  });

  test('a text shape takes the size of its text', () => {
    const outcome = applyAction(two, { type: 'update', id: 't', text: '更长的\n注释' });
    expect(outcome.ok && outcome.canvas.shapes[2]).toEqual({
      id: 't',
      shape: 'text',
      x: 0,
      y: 200,
      width: 48,
      height: 40,
      text: '更长的\n注释',
    });
  });
});

describe('readCanvas', () => {
  test('tells nodes, groups, labels and annotations apart', () => {
    const canvas = canvasOf(
      box('zone', [0, 0, 500, 300]),
      note('title', 10, 10, 'Zone'),
      box('a', [50, 60, 160, 100]),
      note('first', 60, 70, 'User'),
      note('second', 60, 100, 'data'),
      box('b', [280, 60, 160, 60], 'B', 'ellipse'),
      note('free', 600, 10, 'see also'),
      note('inB', 330, 80, 'x'),
    );
    expect(
      readCanvas(canvas).map(({ shape, role, label, parent }) => [shape.id, role, label, parent]),
    ).toEqual([
      ['zone', 'group', 'Zone', null],
      ['title', 'label', 'Zone', 0],
      ['a', 'node', 'User data', 0],
      ['first', 'label', 'User', 2],
      ['second', 'label', 'data', 2],
      ['b', 'node', 'B', 0],
      ['free', 'annotation', 'see also', null],
      ['inB', 'annotation', 'x', 5],
    ]);
  });

  test('a box inside an ellipse or a diamond is no member, and the smallest rectangle around it is its group', () => {
    const canvas = canvasOf(
      box('outer', [0, 0, 600, 600]),
      box('round', [10, 10, 500, 500], undefined, 'ellipse'),
      box('inner', [100, 100, 300, 300]),
      box('leaf', [150, 150, 50, 50]),
    );
    expect(readCanvas(canvas).map(({ role, parent }) => [role, parent])).toEqual([
      ['group', null],
      ['node', 0],
      ['group', 0],
      ['node', 2],
    ]);
  });
});
