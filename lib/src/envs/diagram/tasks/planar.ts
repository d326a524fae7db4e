/**
 * Whether small arrows can be drawn without crossings. Nodes with at most two neighbours never decide it, so they are
 * contracted away first; what is left with fewer than nine lines, or fewer than five nodes, is planar (Kuratowski: K5
 * has ten lines, K3,3 nine). Larger rests count as not planar, which no graph of the generator reaches.
 */
export function isPlanar(arrows: readonly { readonly from: number; readonly to: number }[]): boolean {
  const neighbours = new Map<number, Set<number>>();
  const link = (a: number, b: number): void => {
    if (a === b) return;
    neighbours.set(a, (neighbours.get(a) ?? new Set()).add(b));
    neighbours.set(b, (neighbours.get(b) ?? new Set()).add(a));
  };
  for (const { from, to } of arrows) link(from, to);

  const light = (): number | undefined =>
    [...neighbours.keys()].find((node) => neighbours.get(node)!.size <= 2);
  for (let node = light(); node !== undefined; node = light()) {
    const [a, b] = neighbours.get(node)!;
    neighbours.delete(node);
    for (const others of neighbours.values()) others.delete(node);
    if (a !== undefined && b !== undefined) link(a, b);
  }
  const lines = [...neighbours.values()].reduce((sum, { size }) => sum + size, 0) / 2;
  return neighbours.size < 5 || lines < 9;
}
