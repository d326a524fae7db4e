import { describe, expect, test } from 'vitest';
import { lint } from 'posttrain/envs/diagram/lint';
import { defaultRules } from 'posttrain/envs/diagram/canvas';
import { describeProblem } from 'posttrain/envs/diagram/observation';
import type { Action } from 'posttrain/envs/diagram/types';
import { arrow, box, canvasOf, note } from './build.js';

const lintsOf = (...actions: Action[]): string[] => lint(canvasOf(...actions)).map(describeProblem);

const a = box('a', [0, 0, 160, 60], 'A');

describe('each lint: what raises it and what just does not', () => {
  const cases: readonly [string, readonly Action[], readonly Action[]][] = [
    ['W_OVERLAP a b', [a, box('b', [159, 59, 160, 60])], [a, box('b', [260, 160, 160, 60])]],
    // A text may lie in any box, a box only in a rectangle.
    [
      'W_OVERLAP a b',
      [box('a', [0, 0, 200, 200], 'A', 'ellipse'), box('b', [50, 50, 100, 100])],
      [box('a', [0, 0, 200, 200]), box('b', [50, 50, 100, 100])],
    ],
    ['W_OVERLAP a t', [a, note('t', 150, 20, 'sticks out')], [a, note('t', 10, 20, 'inside')]],
    ['W_TEXT_FIT a', [box('a', [0, 0, 60, 60], 'Database')], [box('a', [0, 0, 87, 60], 'Database')]],
    [
      'W_THROUGH a>c b',
      [a, box('b', [260, 0, 160, 60]), box('c', [520, 0, 160, 60]), arrow('a>c')],
      [a, box('b', [260, 80, 160, 60]), box('c', [520, 0, 160, 60]), arrow('a>c')],
    ],
    [
      'W_CROSS a>d b>c',
      [
        a,
        box('b', [260, 0, 160, 60]),
        box('c', [0, 200, 160, 60]),
        box('d', [260, 200, 160, 60]),
        arrow('a>d'),
        arrow('b>c'),
      ],
      [
        a,
        box('b', [260, 0, 160, 60]),
        box('c', [0, 200, 160, 60]),
        box('d', [260, 200, 160, 60]),
        arrow('a>c'),
        arrow('b>d'),
      ],
    ],
    ['W_CLOSE a b', [a, box('b', [183, 0, 160, 60])], [a, box('b', [184, 0, 160, 60])]],
    [
      'W_EDGE_LABEL a>b',
      [a, box('b', [220, 0, 160, 60]), arrow('a>b', 'key pressed')],
      [a, box('b', [280, 0, 160, 60]), arrow('a>b', 'key pressed')],
    ],
    [
      'W_FAR a>b',
      [a, box('b', [873, 0, 160, 60]), arrow('a>b')],
      [a, box('b', [872, 0, 160, 60]), arrow('a>b')],
    ],
    [
      'W_DECISION_EXITS d',
      [box('d', [300, 0, 100, 100], 'D?', 'diamond'), a, arrow('d>a', 'yes')],
      [
        box('d', [300, 0, 100, 100], 'D?', 'diamond'),
        a,
        box('b', [600, 0, 160, 100]),
        arrow('d>a', 'yes'),
        arrow('d>b', 'no'),
      ],
    ],
    [
      'W_DECISION_EXITS d',
      [
        box('d', [300, 0, 100, 100], 'D?', 'diamond'),
        a,
        box('b', [600, 0, 160, 100]),
        arrow('d>a', 'yes'),
        arrow('d>b'),
      ],
      [
        box('d', [300, 0, 100, 100], 'D', 'ellipse'),
        a,
        box('b', [600, 0, 160, 100]),
        arrow('d>a', 'yes'),
        arrow('d>b'),
      ],
    ],
  ];

  test.each(cases)('%s', (problem, bad, good) => {
    expect(lintsOf(...bad)).toEqual([problem]);
    expect(lintsOf(...good)).toEqual([]);
  });

  test('labels of two arrows on top of each other', () => {
    const corners = [
      a,
      box('b', [0, 300, 160, 60], 'B'),
      box('c', [400, 0, 160, 60], 'C'),
      box('d', [400, 300, 160, 60], 'D'),
    ];
    expect(lintsOf(...corners, arrow('a>d', 'down'), arrow('b>c', 'up'))).toEqual([
      'W_CROSS a>d b>c',
      'W_EDGE_LABEL a>d',
      'W_EDGE_LABEL b>c',
    ]);
  });

  test('the smallest gap is a rule of the task', () => {
    const canvas = canvasOf(a, box('b', [200, 0, 160, 60]));
    expect(lint(canvas)).toEqual([]);
    expect(lint(canvas, { ...defaultRules, minGap: 60 }).map(describeProblem)).toEqual(['W_CLOSE a b']);
  });

  test('a group is neither crossed nor crowded by what is in it', () => {
    const inside = [
      box('g', [0, 0, 600, 200], 'Group'),
      box('a', [20, 60, 160, 60], 'A'),
      box('b', [420, 60, 160, 60], 'B'),
    ];
    expect(
      lintsOf(
        ...inside,
        box('c', [420, 300, 160, 60], 'C'),
        arrow('a>b', 'label'),
        arrow('a>c', 'out'),
        arrow('b>c'),
      ),
    ).toEqual([]);
  });
});
