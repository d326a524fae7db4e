/** Small tasks and canvases, written out so that expected values can be worked out by hand. */
import { defaultRules } from 'posttrain/envs/diagram/canvas';
import { textSize } from 'posttrain/envs/diagram/text-metrics';
import type {
  ActionLog,
  Canvas,
  DiagramTask,
  Edge,
  ExpectedGraph,
  Shape,
  ShapeKind,
} from 'posttrain/envs/diagram/types';

export const cleanLog: ActionLog = { parsed: true, actions: 10, valid: 10, errors: [] };

/** A 100 × 60 rectangle unless told otherwise. */
export function box(
  id: string,
  text: string,
  x: number,
  y: number,
  options: { width?: number; height?: number; shape?: ShapeKind } = {},
): Shape {
  return { id, shape: 'rectangle', x, y, width: 100, height: 60, ...options, text };
}

export function text(id: string, words: string, x: number, y: number): Shape {
  return { id, shape: 'text', x, y, ...textSize(words), text: words };
}

/** Edges as `a>b` or `a>b label`. */
export function canvasOf(shapes: readonly Shape[], arrows: readonly string[] = []): Canvas {
  const edges = arrows.map((arrow): Edge => {
    const [, from, to, label] = /^(\w+)>(\w+) ?(.*)$/.exec(arrow)!;
    return { from: from!, to: to!, label: label! };
  });
  return { width: 1600, height: 1200, shapes, edges };
}

/** Nodes as `id Label`, edges as for `canvasOf`. */
export function graphOf(
  nodes: readonly string[],
  arrows: readonly string[] = [],
  more: Partial<ExpectedGraph> = {},
): ExpectedGraph {
  return {
    nodes: nodes.map((node) => ({ id: node.split(' ')[0]!, label: node.slice(node.indexOf(' ') + 1) })),
    edges: canvasOf([], arrows).edges.map(({ from, to, label }) =>
      label === '' ? { from, to } : { from, to, label },
    ),
    groups: [],
    ...more,
  };
}

export function taskOf(graph: ExpectedGraph, more: Partial<DiagramTask> = {}): DiagramTask {
  return {
    id: 'sample',
    split: 'test',
    kind: more.initial ? 'edit' : 'draw',
    requests: ['Draw a flow.'],
    graph,
    rules: defaultRules,
    lang: 'en',
    family: 'pipeline',
    meta: {},
    ...more,
  };
}

/** Three boxes in a row, 60 px apart: A → B → C. */
export const row = {
  graph: graphOf(['a A', 'b B', 'c C'], ['a>b', 'b>c']),
  shapes: [box('n1', 'A', 0, 0), box('n2', 'B', 160, 0), box('n3', 'C', 320, 0)],
  arrows: ['n1>n2', 'n2>n3'],
};
