/** TRL's names: what is bounded (each token's ratio or the sequence's product), and how. */
export type ImportanceSamplingMode = 'token_truncate' | 'token_mask' | 'sequence_truncate' | 'sequence_mask';

/**
 * Corrects for a sampler that computes other log-probabilities than the trainer (another engine, precision or version):
 * `[T]` factors for the token weights, `exp(log π_trainer − log π_sampler)` where the mask is 1, and 0 elsewhere.
 *
 * Over `cap` a factor becomes `cap` (truncate) or 0 (mask). A sequence's ratio is the product over its tokens, so many small
 * mismatches can exceed a cap that no token reaches.
 *
 * @param mask `[T]`; 1 = sampled by the policy. What stands at mask 0 is not read.
 * @param cap TRL: 3
 *
 * Source: Yao et al. 2025, "Your efficient RL framework secretly brings you off-policy RL training"; TRL's `GRPOTrainer`.
 */
export function importanceWeights(
  {
    trainerLogprobs,
    samplerLogprobs,
    mask,
  }: {
    readonly trainerLogprobs: Float32Array;
    readonly samplerLogprobs: Float32Array;
    readonly mask: Uint8Array;
  },
  mode: ImportanceSamplingMode,
  cap: number,
): Float32Array {
  const logRatios = Array.from(mask, (on, t) =>
    on === 1 ? (trainerLogprobs[t] as number) - (samplerLogprobs[t] as number) : 0,
  );
  const ofSequence = mode.startsWith('sequence')
    ? Math.exp(logRatios.reduce((sum, value) => sum + value, 0))
    : undefined;
  const beyondCap = mode.endsWith('mask') ? 0 : cap;
  return Float32Array.from(mask, (on, t) => {
    if (on !== 1) return 0;
    const ratio = ofSequence ?? Math.exp(logRatios[t] as number);
    return ratio > cap ? beyondCap : ratio;
  });
}
