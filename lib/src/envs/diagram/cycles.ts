/**
 * Which arrows close a cycle, as indices: those that a depth-first walk, sources first, finds leading back onto its own
 * path. Without them the graph is acyclic. Self-loops are never among them.
 *
 * Nodes are visited in the order given, and the arrows of a node in theirs, so the same graph always gives the same set.
 */
export function closingArrows<Id>(
  nodes: readonly Id[],
  arrows: readonly (readonly [from: Id, to: Id])[],
): Set<number> {
  const leaving = new Map<Id, number[]>();
  const entered = new Set<Id>();
  arrows.forEach(([from, to], index) => {
    if (from === to) return;
    entered.add(to);
    const indices = leaving.get(from);
    if (indices) indices.push(index);
    else leaving.set(from, [index]);
  });
  const closing = new Set<number>();
  const onPath = new Set<Id>();
  const finished = new Set<Id>();
  const walk = (node: Id): void => {
    onPath.add(node);
    for (const index of leaving.get(node) ?? []) {
      const [, to] = arrows[index]!;
      if (onPath.has(to)) closing.add(index);
      else if (!finished.has(to)) walk(to);
    }
    onPath.delete(node);
    finished.add(node);
  };
  for (const node of [...nodes.filter((id) => !entered.has(id)), ...nodes])
    if (!finished.has(node)) walk(node);
  return closing;
}
