/** A canvas made to say what is wanted, with everything that was right left in its place. */
import { contains, type Box } from '../envs/diagram/geometry.js';
import { readCanvas } from '../envs/diagram/hierarchy.js';
import type { Canvas, Edge, ExpectedGraph, Shape, WantedNode } from '../envs/diagram/types.js';
import { layoutGroups } from './drawing.js';
import { hasEdge } from './edits.js';
import { wrapGroups } from './groups.js';

/** Drops what nobody wants, and puts labels, kinds of shape and arrows right. */
export function withStructure(graph: ExpectedGraph, canvas: Canvas): Canvas {
  const wanted = new Map<string, WantedNode>(
    [...graph.nodes, ...graph.groups].map((node) => [node.id, node]),
  );
  const read = readCanvas(canvas);
  const shapes = read.flatMap(({ shape, role, label, parent }): Shape[] => {
    if (role === 'label') {
      const owner = read[parent!]!;
      return wanted.get(owner.shape.id)?.label === owner.label ? [shape] : [];
    }
    const node = wanted.get(shape.id);
    if (node === undefined) return [];
    const kind = node.shape ?? shape.shape;
    return [{ ...shape, shape: kind, text: label === node.label ? shape.text : node.label }];
  });
  return connected(graph, { ...canvas, shapes });
}

/** The canvas with exactly the wanted arrows, as far as both ends exist; those that are there keep their place. */
export function connected(graph: ExpectedGraph, canvas: Canvas): Canvas {
  const exists = (id: string): boolean => canvas.shapes.some((shape) => shape.id === id);
  const isThere = (edge: Edge): boolean =>
    hasEdge(canvas, edge) ||
    (graph.undirected === true && hasEdge(canvas, { from: edge.to, to: edge.from, label: edge.label }));
  const wanted = graph.edges
    .map(({ from, to, label = '' }): Edge => ({ from, to, label }))
    .filter(({ from, to }) => exists(from) && exists(to));
  const matches = (edge: Edge): boolean =>
    wanted.some(
      ({ from, to, label }) =>
        label === edge.label &&
        ((from === edge.from && to === edge.to) ||
          (graph.undirected === true && from === edge.to && to === edge.from)),
    );
  return { ...canvas, edges: [...canvas.edges.filter(matches), ...wanted.filter((edge) => !isThere(edge))] };
}

/** The canvas with every group drawn, and stretched where a member sticks out. */
export function framed(graph: ExpectedGraph, canvas: Canvas, grid: number): Canvas {
  const groups = layoutGroups(graph);
  const leaves = new Map(
    canvas.shapes.filter((shape) => isNode(graph, shape)).map((shape) => [shape.id, shape as Box]),
  );
  const complete = groups.filter(({ members }) =>
    members.every((id) => leaves.has(id) || groups.some((group) => group.id === id)),
  );
  const ideal = wrapGroups(leaves, complete, grid);
  const boxes = new Map<string, Box>(canvas.shapes.map((shape) => [shape.id, shape]));
  // Inner groups are listed after outer ones: stretch from the inside out.
  for (const { id, members } of [...complete].reverse()) {
    const old = boxes.get(id);
    if (old === undefined) boxes.set(id, ideal.get(id)!);
    else if (!members.every((member) => contains(old, boxes.get(member)!)))
      boxes.set(id, union(old, ideal.get(id)!));
  }
  const missing = complete.filter(({ id }) => !canvas.shapes.some((shape) => shape.id === id));
  const labels = new Map(graph.groups.map(({ id, label }) => [id, label]));
  return {
    ...canvas,
    shapes: [
      ...missing.map(({ id }): Shape => ({
        ...boxes.get(id)!,
        id,
        shape: 'rectangle',
        text: labels.get(id)!,
      })),
      ...canvas.shapes.map((shape): Shape => {
        const { x, y, width, height } = boxes.get(shape.id)!;
        return { ...shape, x, y, width, height };
      }),
    ],
  };
}

function union(a: Box, b: Box): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}

/** Whether a shape stands for a wanted node. */
export function isNode(graph: ExpectedGraph, { id, shape }: Shape): boolean {
  return shape !== 'text' && graph.nodes.some((node) => node.id === id);
}
