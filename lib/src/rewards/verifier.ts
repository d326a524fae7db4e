/**
 * A second opinion for evaluation: a strict yes or no that shares no scoring code with the reward. Where both disagree, one
 * of them is wrong; the share of rewarded successes that the verifier refuses is the reward's false-positive rate.
 *
 * It shares with the environment only what defines a drawing: text metrics, and where arrows run.
 */
import type { ActionLog, Canvas, DiagramTask, ExpectedGraph, Shape } from '../envs/diagram/types.js';
import { geometryFaults, isWithin } from './verifier-geometry.js';
import type { Identification } from './verifier-geometry.js';

export interface Verdict {
  readonly success: boolean;
  /** What is wrong, in words; empty exactly when `success`. */
  readonly faults: readonly string[];
}

/** Checks that a canvas is the requested graph, label for label, and that it can be read. For evaluation, not for training. */
export function verifyDiagram(task: DiagramTask, canvas: Canvas, log: ActionLog): Verdict {
  const faults = log.errors.map(({ code, subjects }) => [code, ...subjects].join(' '));
  if (!log.parsed && faults.length === 0) faults.push('unreadable reply');
  const identified = identify(task, canvas);
  if (identified === null) faults.push('not the requested graph');
  else faults.push(...disturbedShapes(task, canvas), ...geometryFaults(task, canvas, identified));
  return { success: faults.length === 0, faults };
}

interface Label {
  readonly text: string;
  /** Ids of the text shapes it is spelled with. */
  readonly spelledBy: readonly string[];
}

/** A box's own text, or the text shapes whose innermost box it is. */
function labelOf(box: Shape, canvas: Canvas): Label {
  if (box.text !== '') return { text: exact(box.text), spelledBy: [] };
  const texts = canvas.shapes.filter((text) => text.shape === 'text' && innermost(text, canvas) === box);
  return { text: exact(texts.map(({ text }) => text).join(' ')), spelledBy: texts.map(({ id }) => id) };
}

function innermost(inner: Shape, canvas: Canvas): Shape | undefined {
  return canvas.shapes
    .filter((outer) => outer.shape === 'rectangle' || (inner.shape === 'text' && outer.shape !== 'text'))
    .filter((outer) => outer !== inner && isWithin(inner, outer, 4))
    .sort((a, b) => a.width * a.height - b.width * b.height)[0];
}

/** What a reader sees of a label: case and punctuation count, invisible characters and line breaks do not. */
function exact(label: string): string {
  return label
    .normalize('NFC')
    .replace(/\p{Cf}/gu, '')
    .split(/\s+/u)
    .filter(Boolean)
    .join(' ');
}

/**
 * The isomorphism from the wanted graph to the canvas, by backtracking, or `null` when there is none. Shapes of the
 * starting canvas stand for the wanted node of the same id.
 */
function identify(task: DiagramTask, canvas: Canvas): Identification | null {
  const { graph, initial } = task;
  const boxes = canvas.shapes.filter(({ shape }) => shape !== 'text');
  const wanted = [
    ...graph.nodes,
    ...graph.groups.map(({ id, label }) => ({ id, label, shape: 'rectangle' as const })),
  ];
  const labels = new Map(boxes.map((box) => [box, labelOf(box, canvas)]));
  const spelling = [...labels.values()].flatMap(({ spelledBy }) => spelledBy);
  const isComplete =
    boxes.length === wanted.length &&
    canvas.edges.length === graph.edges.length &&
    spelling.length === canvas.shapes.length - boxes.length;
  if (!isComplete) return null;

  const initialIds = new Set(initial?.shapes.map(({ id }) => id));
  const candidates = wanted.map(({ id, label, shape }) =>
    boxes.filter(
      (box) =>
        exact(label) !== '' &&
        labels.get(box)!.text === exact(label) &&
        (shape === undefined || shape === box.shape) &&
        (!initialIds.has(id) || box.id === id),
    ),
  );
  const chosen = new Map<string, Shape>();
  const taken = new Set<Shape>();
  const extend = (depth: number): boolean => {
    const node = wanted[depth];
    if (!node) return hasSameArrows(graph, canvas, chosen) && hasSameGroups(graph, canvas, chosen);
    for (const box of candidates[depth]!) {
      if (taken.has(box)) continue;
      taken.add(box);
      chosen.set(node.id, box);
      if (arrowsAgree(graph, canvas, chosen, node.id) && extend(depth + 1)) return true;
      taken.delete(box);
      chosen.delete(node.id);
    }
    return false;
  };
  return extend(0) ? chosen : null;
}

/** Whether the arrows between a node and those already chosen are as many as wanted: prunes the search. */
function arrowsAgree(graph: ExpectedGraph, canvas: Canvas, chosen: Identification, node: string): boolean {
  const me = chosen.get(node)!.id;
  return [...chosen].every(([other, { id }]) => {
    const wanted = graph.edges.filter(({ from, to }) => joins(from, to, node, other, graph.undirected));
    const drawn = canvas.edges.filter(({ from, to }) => joins(from, to, me, id, graph.undirected));
    return wanted.length === drawn.length;
  });
}

function joins(from: string, to: string, a: string, b: string, undirected: boolean | undefined): boolean {
  return (from === a && to === b) || (undirected === true && from === b && to === a);
}

function hasSameArrows(graph: ExpectedGraph, canvas: Canvas, chosen: Identification): boolean {
  const name = (from: string, to: string, label: string): string => {
    const ends = graph.undirected ? [from, to].sort() : [from, to];
    return JSON.stringify([...ends, exact(label)]);
  };
  const wanted = graph.edges.map(({ from, to, label = '' }) =>
    name(chosen.get(from)!.id, chosen.get(to)!.id, label),
  );
  const drawn = canvas.edges.map(({ from, to, label }) => name(from, to, label));
  return wanted.sort().join() === drawn.sort().join();
}

/** Every box lies in exactly the groups that were asked for. */
function hasSameGroups(graph: ExpectedGraph, canvas: Canvas, chosen: Identification): boolean {
  return [...chosen].every(([id, box]) => {
    const wanted = graph.groups.find(({ members }) => members.includes(id));
    return innermost(box, canvas) === (wanted && chosen.get(wanted.id));
  });
}

function disturbedShapes({ graph, initial }: DiagramTask, canvas: Canvas): string[] {
  return (graph.keep ?? [])
    .filter((id) => {
      const before = initial?.shapes.find((shape) => shape.id === id);
      const after = canvas.shapes.find((shape) => shape.id === id);
      return before?.x !== after?.x || before?.y !== after?.y;
    })
    .map((id) => `${id} moved`);
}
