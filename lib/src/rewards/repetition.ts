/**
 * Share of n-grams of a reply that repeat an earlier one, as a penalty in (−1, 0]: a reply stuck in a loop comes near −1. A
 * reply shorter than one n-gram has none: 0. TRL: `get_repetition_penalty_reward` with `max_penalty` −1, on tokens instead of words.
 *
 * @param tokens ids of the reply
 *
 * Source: arXiv 2502.03373, appendix C.2.
 */
export function repetitionPenalty(tokens: ArrayLike<number>, ngramSize: number): number {
  const total = tokens.length - ngramSize + 1;
  if (total < 1) return 0;
  const ids = Array.from(tokens);
  const distinct = new Set(Array.from({ length: total }, (_, i) => ids.slice(i, i + ngramSize).join(' ')));
  return distinct.size / total - 1;
}
