/** Short ways to write canvases in tests. */
import { applyActions, emptyCanvas } from 'posttrain/envs/diagram/canvas';
import type { Action, Canvas, DiagramTask, ShapeKind } from 'posttrain/envs/diagram/types';

type BoxKind = Exclude<ShapeKind, 'text'>;

/** A box given as `[x, y, width, height]`. */
export function box(
  id: string,
  [x, y, width, height]: readonly [number, number, number, number],
  text?: string,
  shape: BoxKind = 'rectangle',
): Action {
  return { type: 'create', shape, id, x, y, width, height, ...(text === undefined ? {} : { text }) };
}

export function note(id: string, x: number, y: number, text: string): Action {
  return { type: 'create', shape: 'text', id, x, y, text };
}

/** `arrow('a>b', 'yes')`. */
export function arrow(ends: string, label?: string): Action {
  const [from = '', to = ''] = ends.split('>');
  return { type: 'connect', from, to, ...(label === undefined ? {} : { label }) };
}

/** The canvas after actions that must all be valid. */
export function canvasOf(...actions: Action[]): Canvas {
  const { canvas, log } = applyActions(emptyCanvas(), actions);
  if (log.errors.length > 0) throw new Error(`invalid test canvas: ${JSON.stringify(log.errors)}`);
  return canvas;
}

/** A `draw` task that asks for nothing in particular. */
export function taskOf(changes: Partial<DiagramTask> = {}): DiagramTask {
  return {
    id: 'task-1',
    split: 'train',
    kind: 'draw',
    requests: ['Draw A and B.'],
    graph: { nodes: [], edges: [], groups: [] },
    rules: { canvasWidth: 1600, canvasHeight: 1200, minGap: 24, grid: 10, decisionShape: 'diamond' },
    lang: 'en',
    family: 'basic',
    meta: {},
    ...changes,
  };
}
