/**
 * Which share of the loss each token carries. A loss here is always a *sum* `Σ wₜ ℓₜ`; all the field's normalisers are
 * ways of choosing `w`, and since `w` is fixed before the batch is cut into micro-batches, the cut cannot change a result.
 *
 * | lossType | wₜ | where it comes from |
 * |---|---|---|
 * | `grpo` | 1 / (B · tokens of its sequence) | DeepSeekMath, arXiv 2402.03300: long wrong answers are punished less per token |
 * | `bnpo` | 1 / (tokens of the local batch) | the local batch is everything in one optimizer update here, so it equals `dapo` |
 * | `dapo` | 1 / (tokens of the whole update) | DAPO, arXiv 2503.14476, eq. 8 |
 * | `cispo` | as `dapo` | MiniMax-M1, arXiv 2506.13585, eq. 4: goes with the loss of that name |
 * | `dr_grpo` | 1 / (B · maxCompletionLength) | Dr. GRPO, arXiv 2503.20783: a constant, so no length bias |
 *
 * B counts every sequence handed in, also one whose tokens are all masked (as TRL does).
 */
export type LossType = 'grpo' | 'bnpo' | 'dr_grpo' | 'dapo' | 'cispo';

export const lossTypes: readonly LossType[] = ['grpo', 'bnpo', 'dr_grpo', 'dapo', 'cispo'];

const count = (mask: Uint8Array): number => mask.reduce((total, on) => total + on, 0);

/**
 * Weights `[T]` of each sequence from its masks `[T]` (1 = trained). All zero when nothing is trained, never NaN.
 *
 * @param maxCompletionLength tokens; only `dr_grpo` uses it.
 */
export function tokenWeights(
  masks: readonly Uint8Array[],
  lossType: LossType,
  maxCompletionLength: number,
): Float32Array[] {
  const sequences = masks.length;
  const batchTokens = masks.reduce((total, mask) => total + count(mask), 0);
  const denominator = (mask: Uint8Array): number => {
    if (lossType === 'grpo') return sequences * count(mask);
    if (lossType === 'dr_grpo') return sequences * maxCompletionLength;
    return batchTokens;
  };
  return masks.map((mask) => {
    const share = 1 / Math.max(1, denominator(mask));
    return Float32Array.from(mask, (on) => (on === 1 ? share : 0));
  });
}
