import type { Canvas, DiagramTask } from '../envs/diagram/types.js';
import { drawingIds } from './drawing.js';

/**
 * What of the finished drawing message `turn` of a build-up has asked for, or an earlier one: shapes come with the first
 * message that names them, arrows with the first that names both ends, groups with their last member, and the rest
 * with the last message.
 */
export function stageOf(task: DiagramTask, finished: Canvas, turn: number): Canvas {
  const { graph, requests } = task;
  const last = requests.length - 1;
  const named = requests.map((message) =>
    labelsIn(
      message,
      graph.nodes.map(({ label }) => label),
    ),
  );
  const firstNaming = (labels: readonly string[], from: number): number => {
    const found = named.findIndex((all, index) => index >= from && labels.every((label) => all.has(label)));
    return found === -1 ? last : found;
  };
  const ids = drawingIds(graph);
  const labelOf = new Map(graph.nodes.map(({ id, label }) => [id, label]));
  const stage = new Map(graph.nodes.map(({ id, label }) => [id, firstNaming([label], 0)]));
  const stageOfMember = (id: string): number =>
    stage.get(id) ??
    Math.max(
      ...graph.groups.filter((group) => group.id === id).flatMap(({ members }) => members.map(stageOfMember)),
    );
  graph.groups.forEach(({ id }) => stage.set(id, stageOfMember(id)));

  // Arrows are told in order, so none comes in an earlier message than the one before it.
  let told = 0;
  const edges = graph.edges.flatMap(({ from, to }, index) => {
    const labels = [from, to].flatMap((id) => labelOf.get(id) ?? []);
    told = Math.max(firstNaming(labels, told), stage.get(from)!, stage.get(to)!);
    return told <= turn ? [finished.edges[index]!] : [];
  });
  const drawn = new Set([...stage].filter(([, message]) => message <= turn).map(([id]) => ids.get(id)!));
  return { ...finished, shapes: finished.shapes.filter(({ id }) => drawn.has(id)), edges };
}

/** The labels that a message names; a label inside a longer one ("Order" in "Order item") does not count. */
function labelsIn(message: string, labels: readonly string[]): Set<string> {
  let rest = message;
  const found = new Set<string>();
  for (const label of [...labels].sort((a, b) => b.length - a.length)) {
    if (!rest.includes(label)) continue;
    found.add(label);
    rest = rest.replaceAll(label, '\n');
  }
  return found;
}
