/**
 * Positions of nodes across the flow: in each rank as close to their neighbours as the boxes' sizes allow
 * (Sugiyama step 4, solved exactly per rank by isotonic regression).
 */
import { orderRanks, type Arc } from './ranks.js';

/** Room kept where a long arrow passes a rank; heavy, so that boxes make way and long arrows stay straight. */
const passage = { size: 20, weight: 8 } as const;
/** Sweeps down and up stop when nothing moves by this many pixels any more, or after so many rounds. */
const still = 0.5;
const mostRounds = 50;

/**
 * Values closest to `desired` (weighted least squares) with `x[i+1] − x[i] ≥ separations[i]`: the pool-adjacent-violators
 * algorithm (Ayer et al. 1955) on `x[i] − Σ separations[0..i−1]`.
 */
export function separate(
  desired: readonly number[],
  separations: readonly number[],
  weights: readonly number[],
): number[] {
  const offsets = [0];
  for (const separation of separations) offsets.push(offsets.at(-1)! + separation);
  const pools: { value: number; weight: number; count: number }[] = [];
  desired.forEach((value, index) => {
    let pool = { value: value - offsets[index]!, weight: weights[index]!, count: 1 };
    for (let last = pools.at(-1); last !== undefined && last.value > pool.value; last = pools.at(-1)) {
      pools.pop();
      const weight = last.weight + pool.weight;
      const mean = (last.value * last.weight + pool.value * pool.weight) / weight;
      pool = { value: mean, weight, count: last.count + pool.count };
    }
    pools.push(pool);
  });
  const pooled = pools.flatMap(({ value, count }) => new Array<number>(count).fill(value));
  return pooled.map((value, index) => value + offsets[index]!);
}

/**
 * Centres of nodes on the cross axis.
 *
 * @param ranks rank of each node
 * @param sizes cross size of each node, pixels
 * @param arcs acyclic arrows between the nodes, each to a higher rank
 * @param gap free pixels between two neighbours of a rank
 * @param placement `stacked` puts the first of each rank at 0 and packs the rest, `balanced` pulls nodes towards their neighbours
 */
export function spread(
  ranks: readonly number[],
  sizes: readonly number[],
  arcs: readonly Arc[],
  gap: number,
  placement: 'balanced' | 'stacked',
): number[] {
  const chain = withPassages(ranks, arcs);
  const layers = orderRanks(chain.ranks, chain.arcs);
  const size = (node: number): number => sizes[node] ?? passage.size;
  const weight = (node: number): number => (node < sizes.length ? 1 : passage.weight);
  const separations = layers.map((layer) =>
    layer.slice(1).map((node, index) => (size(layer[index]!) + size(node)) / 2 + gap),
  );
  const linked: number[][] = chain.ranks.map(() => []);
  for (const [from, to] of chain.arcs) {
    linked[from]!.push(to);
    linked[to]!.push(from);
  }
  const centres = chain.ranks.map(() => 0);
  layers.forEach((layer, rank) => {
    layer.slice(1).forEach((node, index) => {
      centres[node] = centres[layer[index]!]! + separations[rank]![index]!;
    });
  });
  const wish = (node: number): number => {
    const around = linked[node]!;
    const total = around.reduce((sum, other) => sum + weight(other), 0);
    return total === 0
      ? centres[node]!
      : around.reduce((sum, other) => sum + weight(other) * centres[other]!, 0) / total;
  };
  const settle = (rank: number): number => {
    const layer = layers[rank]!;
    const before = layer.map((node) => centres[node]!);
    const after = separate(layer.map(wish), separations[rank]!, layer.map(weight));
    layer.forEach((node, index) => (centres[node] = after[index]!));
    return Math.max(...after.map((centre, index) => Math.abs(centre - before[index]!)));
  };
  const downAndUp = [...layers.keys(), ...[...layers.keys()].reverse()];
  for (let round = 0; placement === 'balanced' && round < mostRounds; round++) {
    if (Math.max(0, ...downAndUp.map(settle)) < still) break;
  }
  return centres.slice(0, sizes.length);
}

/** Replaces every arrow that skips ranks by a chain through one passage node a rank; passages are numbered after the nodes. */
function withPassages(ranks: readonly number[], arcs: readonly Arc[]): { ranks: number[]; arcs: Arc[] } {
  const allRanks = [...ranks];
  const allArcs: Arc[] = [];
  for (const [from, to] of arcs) {
    let previous = from;
    for (let rank = ranks[from]! + 1; rank < ranks[to]!; rank++) {
      allRanks.push(rank);
      allArcs.push([previous, allRanks.length - 1]);
      previous = allRanks.length - 1;
    }
    allArcs.push([previous, to]);
  }
  return { ranks: allRanks, arcs: allArcs };
}
