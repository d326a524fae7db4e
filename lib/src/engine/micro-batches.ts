/**
 * Groups sequences of similar length so that each group, padded to its longest member, holds at most `tokenBudget` tokens.
 * A sequence longer than the budget gets a group of its own.
 *
 * @returns indices into `lengths`, longest first; every index exactly once.
 */
export function planMicroBatches(lengths: readonly number[], tokenBudget: number): number[][] {
  const lengthOf = (index: number): number => lengths[index] as number;
  const longestFirst = lengths.map((_, index) => index).sort((a, b) => lengthOf(b) - lengthOf(a) || a - b);
  const groups: number[][] = [];
  for (const index of longestFirst) {
    const group = groups.at(-1);
    if (group !== undefined && (group.length + 1) * lengthOf(group[0] as number) <= tokenBudget)
      group.push(index);
    else groups.push([index]);
  }
  return groups;
}
