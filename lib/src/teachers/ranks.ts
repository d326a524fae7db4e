/**
 * Layers of a directed graph (Sugiyama, Tagawa & Toda 1981, steps 1–3): break cycles, assign ranks, order each rank.
 * Nodes are the integers `0..n-1`; every result depends on the order of nodes and arrows alone.
 */
import { closingArrows } from '../envs/diagram/cycles.js';

/** An arrow between two nodes. */
export type Arc = readonly [from: number, to: number];

/** Turns every arrow that closes a cycle round, so that what is left is acyclic; self-loops are dropped. */
export function breakCycles(count: number, arcs: readonly Arc[]): Arc[] {
  const closing = closingArrows([...Array(count).keys()], arcs);
  return arcs.flatMap(([from, to], index): Arc[] => {
    if (from === to) return [];
    return [closing.has(index) ? [to, from] : [from, to]];
  });
}

/** The rank of each node of an acyclic graph: one past its deepest predecessor, sources pulled up to their first successor. */
export function longestPathRanks(count: number, arcs: readonly Arc[]): number[] {
  const ranks = new Array<number>(count).fill(0);
  for (let pass = 0; pass < count; pass++) {
    for (const [from, to] of arcs) ranks[to] = Math.max(ranks[to]!, ranks[from]! + 1);
  }
  const entered = new Set(arcs.map(([, to]) => to));
  for (let node = 0; node < count; node++) {
    const successors = arcs.filter(([from]) => from === node).map(([, to]) => ranks[to]!);
    if (!entered.has(node) && successors.length > 0) ranks[node] = Math.min(...successors) - 1;
  }
  return ranks;
}

/**
 * Orders the nodes within each rank to reduce crossings: barycentre sweeps, alternately down and up, the best order seen wins.
 * Ties keep the given order, so a graph that has no crossings is drawn as it was told.
 */
export function orderRanks(ranks: readonly number[], arcs: readonly Arc[], sweeps = 8): number[][] {
  const height = Math.max(-1, ...ranks) + 1;
  let layers: number[][] = Array.from({ length: height }, () => []);
  ranks.forEach((rank, node) => layers[rank]!.push(node));
  const linked = neighbours(ranks.length, [...arcs, ...arcs.map(([from, to]): Arc => [to, from])]);
  let best = layers;
  let fewest = crossings(ranks, layers, arcs);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const down = sweep % 2 === 0;
    layers = layers.map((layer) => [...layer]);
    for (let step = 1; step < height; step++) {
      const rank = down ? step : height - 1 - step;
      const fixed = layers[down ? rank - 1 : rank + 1]!;
      const place = new Map(fixed.map((node, index) => [node, index]));
      const keys = new Map(
        layers[rank]!.map((node, index) => [node, barycentre(linked[node]!, place, index)]),
      );
      layers[rank]!.sort((a, b) => keys.get(a)! - keys.get(b)!);
    }
    const count = crossings(ranks, layers, arcs);
    if (count < fewest) [best, fewest] = [layers, count];
  }
  return best;
}

function barycentre(linked: readonly number[], place: ReadonlyMap<number, number>, fallback: number): number {
  const places = linked.flatMap((node) => place.get(node) ?? []);
  return places.length === 0 ? fallback : places.reduce((sum, value) => sum + value, 0) / places.length;
}

function crossings(ranks: readonly number[], layers: readonly number[][], arcs: readonly Arc[]): number {
  const place = new Array<number>(ranks.length).fill(0);
  for (const layer of layers) layer.forEach((node, index) => (place[node] = index));
  let count = 0;
  arcs.forEach(([from, to], index) => {
    for (const [otherFrom, otherTo] of arcs.slice(index + 1)) {
      if (ranks[from] !== ranks[otherFrom] || ranks[to] !== ranks[otherTo]) continue;
      if ((place[from]! - place[otherFrom]!) * (place[to]! - place[otherTo]!) < 0) count++;
    }
  });
  return count;
}

function neighbours(count: number, arcs: readonly Arc[]): number[][] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (const [from, to] of arcs) lists[from]!.push(to);
  return lists;
}
