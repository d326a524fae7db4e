import type { Canvas, DiagramTask, Shape } from '../envs/diagram/types.js';
import { drawingIds } from './drawing.js';

/**
 * What of the finished drawing has been asked for by message `turn` of a build-up: the shapes whose labels the messages
 * so far name, and the arrows between them; everything at the last message. A frame comes with its last member.
 */
export function stageOf(task: DiagramTask, finished: Canvas, turn: number): Canvas {
  if (turn >= task.requests.length - 1) return finished;
  const said = task.requests.slice(0, turn + 1).join('\n');
  const ids = drawingIds(task.graph);
  const unnamed = new Set(
    task.graph.nodes.filter(({ label }) => !said.includes(label)).map(({ id }) => ids.get(id)!),
  );
  const open = new Set(
    task.graph.groups
      .filter(
        ({ label, members }) => !said.includes(label) || members.some((id) => unnamed.has(ids.get(id)!)),
      )
      .map(({ id }) => ids.get(id)!),
  );
  const isThere = ({ id }: Pick<Shape, 'id'>): boolean => !unnamed.has(id) && !open.has(id);
  return {
    ...finished,
    shapes: finished.shapes.filter(isThere),
    edges: finished.edges.filter(({ from, to }) => isThere({ id: from }) && isThere({ id: to })),
  };
}
