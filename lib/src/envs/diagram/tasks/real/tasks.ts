import { defaultRules, emptyCanvas } from '../../canvas.js';
import type { Canvas, DiagramTask } from '../../types.js';
import { difficulty } from '../assemble.js';
import { realPrompts, type RealPrompt } from './prompts.js';

/** The split `real`: twenty tasks from the world, reported on their own and never tuned on. */
export function realTasks(): DiagramTask[] {
  return realPrompts.map(toTask);
}

function toTask(prompt: RealPrompt): DiagramTask {
  const graph = {
    nodes: prompt.nodes.map(([id, label, shape]) => ({ id, label, ...(shape && { shape }) })),
    edges: prompt.edges.map(([from, to, label]) => ({ from, to, ...(label !== undefined && { label }) })),
    groups: (prompt.groups ?? []).map(([id, label, members]) => ({ id, label, members })),
    ...(prompt.dir && { direction: prompt.dir }),
    ...(prompt.undirected && { undirected: true }),
    ...(prompt.keep && { keep: prompt.keep }),
  };
  return {
    id: prompt.id,
    split: 'real',
    kind: prompt.init ? 'edit' : 'draw',
    requests: [prompt.prompt],
    graph,
    ...(prompt.init && { initial: toCanvas(prompt.init) }),
    rules: defaultRules,
    lang: prompt.lang,
    family: prompt.family,
    meta: { ...difficulty(graph), source: prompt.src, risk: prompt.risk },
  };
}

function toCanvas({ nodes, edges }: NonNullable<RealPrompt['init']>): Canvas {
  return {
    ...emptyCanvas(),
    shapes: nodes.map(([id, text, shape, x, y, width, height]) => ({ id, shape, x, y, width, height, text })),
    edges: edges.map(([from, to, label = '']) => ({ from, to, label })),
  };
}
