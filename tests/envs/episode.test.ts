import { describe, expect, test } from 'vitest';
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { diagramEnvironment } from 'posttrain/envs/diagram/environment';
import type { Action, Canvas, DiagramTask, Score, Scorer } from 'posttrain/envs/diagram/types';
import { arrow, box, canvasOf, note, taskOf } from './build.js';

/** Pays one tenth for every shape; succeeds from two on. */
const countShapes: Scorer = (_task, canvas, log): Score => ({
  reward: log.parsed ? Math.min(1, canvas.shapes.length / 10) : 0,
  success: canvas.shapes.length >= 2,
  terms: { shapes: { value: Math.min(1, canvas.shapes.length / 10), evidence: [] } },
});

const world = diagramEnvironment({ scorer: countShapes });
const say = (...actions: Action[]): string => serializeActions(actions);
const A = box('a', [0, 0, 100, 60], 'A');
const B = box('b', [200, 0, 100, 60], 'B');
const C = box('c', [400, 0, 100, 60], 'C');
const finish: Action = { type: 'finish' };

describe('draw', () => {
  test('one reply, scored on what ran', () => {
    const episode = world.start(taskOf({ graph: { nodes: [], edges: [], groups: [], direction: 'LR' } }));
    expect(episode.initialObservation()).toBe(
      'RULES 1600x1200 gap 24 grid 10 decision diamond flow LR\nREQUEST Draw A and B.',
    );
    const result = episode.step(say(A, B, arrow('a>b'), arrow('a>x')));
    expect(result).toEqual({
      reward: 0.2,
      episodeDone: true,
      nextObservation: null,
      stopReason: 'completed',
      metrics: { steps: 1, parsed: 1, actions: 4, valid: 3, errors: 1, success: 1, 'terms/shapes': 0.2 },
    });
    expect(episode.canvas).toEqual(canvasOf(A, B, arrow('a>b')));
    expect(episode.log.errors).toEqual([{ code: 'E_DANGLING', subjects: ['a>x'], actionIndex: 3 }]);
  });

  test('knows only create and connect', () => {
    const episode = world.start(taskOf());
    episode.step(say(A, { type: 'update', id: 'a', text: 'B' }, finish));
    expect(episode.log.errors.map(({ code }) => code)).toEqual(['E_TYPE', 'E_TYPE']);
  });

  test('a reply that cannot be read ends it', () => {
    const episode = world.start(taskOf());
    expect(episode.step('Here you go')).toMatchObject({
      reward: 0,
      episodeDone: true,
      stopReason: 'parse_error',
      metrics: { parsed: 0, actions: 0, errors: 1, success: 0 },
    });
    expect(() => episode.step(say(A))).toThrow('Episode of task task-1 is over');
  });
});

describe('draw-review', () => {
  const task = taskOf({ kind: 'draw-review' });

  test('shows the canvas and what is wrong, and takes 0.01 for every extra look', () => {
    const episode = world.start(task);
    expect(episode.initialObservation()).toBe(
      'RULES 1600x1200 gap 24 grid 10 decision diamond\nSTEPS LEFT 3\nREQUEST Draw A and B.',
    );
    const first = episode.step(say(A, box('b', [90, 0, 100, 60], 'B'), arrow('b>c')));
    expect(first).toEqual({
      reward: 0,
      episodeDone: false,
      nextObservation: [
        'CANVAS 1600x1200',
        'a rect 0,0 100x60 A',
        'b rect 90,0 100x60 B',
        'PROBLEMS E_DANGLING b>c | W_OVERLAP a b',
        'STEPS LEFT 2',
        'REQUEST Draw A and B.',
      ].join('\n'),
      metrics: { steps: 1, parsed: 1, actions: 3, valid: 2, errors: 1 },
    });
    const second = episode.step(say({ type: 'move', id: 'b', x: 200, y: 0 }));
    expect(second.nextObservation).toContain('PROBLEMS none\nSTEPS LEFT 1');
    const third = episode.step(say(C));
    expect(third.stopReason).toBe('max_turns');
    expect(third.reward).toBeCloseTo(0.3 - 0.02, 12);
  });

  test('ends at once with finish, at no cost', () => {
    const result = world.start(task).step(say(A, B, finish));
    expect(result).toMatchObject({ reward: 0.2, episodeDone: true, stopReason: 'completed' });
  });

  test('never pays less than nothing', () => {
    const episode = world.start(task);
    episode.step(say());
    expect(episode.step(say(finish)).reward).toBe(0);
  });

  test('maxSteps lowers the limit', () => {
    const episode = diagramEnvironment({ scorer: countShapes, maxSteps: 1 }).start(task);
    expect(episode.initialObservation()).not.toContain('STEPS LEFT');
    expect(episode.step(say(A))).toMatchObject({ reward: 0.1, episodeDone: true, stopReason: 'max_turns' });
  });
});

describe('edit and repair', () => {
  const initial: Canvas = canvasOf(
    A,
    box('b', [90, 0, 100, 60], 'B'),
    note('t', 0, 200, 'note'),
    arrow('a>b'),
  );

  test('start from the given canvas and its problems', () => {
    const episode = world.start(taskOf({ kind: 'edit', initial, requests: ['Delete the note.'] }));
    expect(episode.initialObservation()).toBe(
      [
        'RULES 1600x1200 gap 24 grid 10 decision diamond',
        'CANVAS 1600x1200',
        'a rect 0,0 100x60 A',
        'b rect 90,0 100x60 B',
        't text 0,200 39x20 note',
        'a>b',
        'PROBLEMS W_OVERLAP a b',
        'STEPS LEFT 2',
        'REQUEST Delete the note.',
      ].join('\n'),
    );
    expect(episode.step(say({ type: 'delete', id: 't' }, finish))).toMatchObject({
      reward: 0.2,
      stopReason: 'completed',
    });
  });

  test.each([
    ['edit' as const, 2],
    ['repair' as const, 3],
  ])('%s allows %d replies without a cost', (kind, limit) => {
    const episode = world.start(taskOf({ kind, initial }));
    for (let i = 1; i < limit; i++) expect(episode.step(say()).episodeDone).toBe(false);
    expect(episode.step(say())).toMatchObject({ reward: 0.3, episodeDone: true, stopReason: 'max_turns' });
  });

  test('a reply that cannot be read ends a later step as well, with the canvas as it was', () => {
    const episode = world.start(taskOf({ kind: 'repair', initial }));
    episode.step(say({ type: 'delete', id: 't' }));
    expect(episode.step('oops').stopReason).toBe('parse_error');
    expect(episode.canvas.shapes.length).toBe(2);
    expect(episode.log.parsed).toBe(false);
  });
});

test('build-up hands out one message a step and ends with the last', () => {
  const episode = world.start(taskOf({ kind: 'build-up', requests: ['Draw A.', 'Add B.', 'Add C.'] }));
  expect(episode.initialObservation()).toContain('STEPS LEFT 3\nREQUEST Draw A.');
  expect(episode.step(say(A)).nextObservation).toContain(
    'a rect 0,0 100x60 A\nPROBLEMS none\nSTEPS LEFT 2\nREQUEST Add B.',
  );
  expect(episode.step(say(B)).nextObservation).toContain('REQUEST Add C.');
  expect(episode.step(say(C))).toMatchObject({ reward: 0.3, stopReason: 'completed', nextObservation: null });
});

describe('episodes of one task', () => {
  test('do not share state, and the same replies give the same results', () => {
    const task = taskOf({ kind: 'draw-review' });
    const replies = [say(A, B), say(C), say(finish)];
    const play = (): unknown[] => {
      const episode = world.start(task);
      return replies.map((reply) => episode.step(reply));
    };
    expect(play()).toEqual(play());
  });
});

describe('what is refused', () => {
  test.each([NaN, Infinity, -0.1, 1.5])('a reward of %d', (reward) => {
    const scorer: Scorer = () => ({ reward, success: true, terms: {} });
    expect(() => diagramEnvironment({ scorer }).start(taskOf()).step(say(A))).toThrow('outside [0, 1]');
  });

  test('a term that is no number', () => {
    const scorer: Scorer = () => ({ reward: 0, success: true, terms: { fit: { value: NaN, evidence: [] } } });
    expect(() => diagramEnvironment({ scorer }).start(taskOf()).step(say(A))).toThrow('outside [0, 1]');
  });

  test.each([0, -1, 1.5, NaN])('maxSteps %d', (maxSteps) => {
    expect(() => diagramEnvironment({ scorer: countShapes, maxSteps })).toThrow('positive integer');
  });

  test.each<[Partial<DiagramTask>, string]>([
    [{ requests: [] }, 'has no request'],
    [{ kind: 'edit' }, 'needs an initial canvas'],
    [{ kind: 'repair' }, 'needs an initial canvas'],
  ])('a task like %j', (changes, message) => {
    expect(() => world.start(taskOf(changes))).toThrow(message);
  });
});

test('observations never speak of rewards', () => {
  const episode = world.start(taskOf({ kind: 'draw-review' }));
  const seen = [episode.initialObservation(), episode.step(say(A, arrow('a>b'))).nextObservation];
  for (const observation of seen) expect(observation).not.toMatch(/reward|score|success|points|0\.\d/i);
});
