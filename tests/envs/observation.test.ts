import { describe, expect, test } from 'vitest';
import { emptyCanvas } from 'posttrain/envs/diagram/canvas';
import { MAX_PROBLEMS, describeProblem, observe } from 'posttrain/envs/diagram/observation';
import { arrow, box, canvasOf, note, taskOf } from './build.js';

const { rules } = taskOf();

describe('observe', () => {
  test('a first draw observation: rules and request', () => {
    expect(observe({ rules, request: 'Draw A and B.' })).toBe(
      'RULES 1600x1200 gap 24 grid 10 decision diamond\nREQUEST Draw A and B.',
    );
    const changed = {
      canvasWidth: 700,
      canvasHeight: 1400,
      minGap: 60,
      grid: 25,
      decisionShape: 'ellipse',
    } as const;
    expect(observe({ rules: changed, direction: 'RL', request: '画一个框。' })).toBe(
      'RULES 700x1400 gap 60 grid 25 decision ellipse flow RL\nREQUEST 画一个框。',
    );
  });

  test('a later observation: the canvas as a table, problems, steps left, request', () => {
    const canvas = canvasOf(
      box('n1', [60, 60, 160, 60], 'API'),
      box('n2', [320, 60, 160, 60], 'Data\nbase \\ store', 'ellipse'),
      box('n3', [580, 60, 160, 60], undefined, 'diamond'),
      note('t', 60, 200, '注释'),
      arrow('n1>n2', 'reads'),
      arrow('n2>n3'),
    );
    const problems = [
      { code: 'E_DANGLING' as const, subjects: ['n1>n9'], actionIndex: 4 },
      { code: 'E_KEY' as const, subjects: [], actionIndex: 0 },
      { code: 'W_TEXT_FIT' as const, subjects: ['n2'] },
      { code: 'W_CLOSE' as const, subjects: ['n1', 'n2'] },
    ];
    expect(observe({ canvas, problems, stepsLeft: 2, request: 'rename Database to Store' })).toBe(
      [
        'CANVAS 1600x1200',
        'n1 rect 60,60 160x60 API',
        'n2 ellipse 320,60 160x60 Data\\nbase \\\\ store',
        'n3 diamond 580,60 160x60',
        't text 60,200 32x20 注释',
        'n1>n2 reads',
        'n2>n3',
        'PROBLEMS E_DANGLING n1>n9 | E_KEY action 1 | W_TEXT_FIT n2 | W_CLOSE n1 n2',
        'STEPS LEFT 2',
        'REQUEST rename Database to Store',
      ].join('\n'),
    );
  });

  test('an empty canvas without problems', () => {
    expect(observe({ canvas: emptyCanvas(), problems: [], stepsLeft: 1, request: 'x' })).toBe(
      'CANVAS 1600x1200\nPROBLEMS none\nSTEPS LEFT 1\nREQUEST x',
    );
  });

  test('at most twelve problems', () => {
    const problems = Array.from({ length: 20 }, (_, i) => ({
      code: 'W_TEXT_FIT' as const,
      subjects: [`n${i}`],
    }));
    const line = observe({ problems, request: 'x' }).split('\n')[0]!;
    expect(line.split(' | ').length).toBe(MAX_PROBLEMS);
    expect(line).toContain('n11');
    expect(line).not.toContain('n12');
  });
});

test('a problem without a place or a subject is its code', () => {
  expect(describeProblem({ code: 'E_PARSE', subjects: [] })).toBe('E_PARSE');
});
