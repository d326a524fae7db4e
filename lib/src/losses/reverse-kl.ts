export interface ReverseKLOptions {
  /** Weight of the teacher's opinion. Tinker: 1. */
  readonly klPenaltyCoef: number;
  /** How much of what comes later a token answers for; 0 = for itself only, which was enough on-policy. Tinker: 0. */
  readonly klDiscountFactor: number;
}

/**
 * On-policy distillation from sampled tokens: `[T]` advantages `Aₜ = aₜ + klDiscountFactor · Aₜ₊₁` with
 * `aₜ = −klPenaltyCoef · (log π_studentₜ − log π_teacherₜ)` where the mask is 1, and 0 elsewhere. In a policy gradient they
 * descend the reverse KL(student ‖ teacher) of the student's own samples; only the teacher's log-probabilities of these tokens
 * are needed. `generalizedJSD` with β 1 is the same over the full vocabulary: less noise, more numbers.
 *
 * @param mask `[T]`; 1 = sampled by the student. What stands at mask 0 is not read.
 *
 * Source: "On-Policy Distillation", Thinking Machines Lab, 2025; arXiv 2306.13649.
 */
export function reverseKLAdvantages(
  {
    logprobs,
    teacherLogprobs,
    mask,
  }: { readonly logprobs: Float32Array; readonly teacherLogprobs: Float32Array; readonly mask: Uint8Array },
  { klPenaltyCoef, klDiscountFactor }: ReverseKLOptions,
): Float32Array {
  const advantages = new Float32Array(mask.length);
  let later = 0;
  for (let t = mask.length - 1; t >= 0; t -= 1) {
    if (mask[t] !== 1) continue;
    const own = -klPenaltyCoef * ((logprobs[t] as number) - (teacherLogprobs[t] as number));
    later = own + klDiscountFactor * later;
    advantages[t] = later;
  }
  return advantages;
}
