/** How the learning rate changes over a run. */
export interface LearningRateSchedule {
  /** Peak, reached after the warm-up. */
  readonly learningRate: number;
  /** `constant`: stays at the peak; `cosine`: falls to 0 along half a cosine. */
  readonly lrSchedulerType: 'constant' | 'cosine';
  /** Updates during which the rate rises linearly from `peak / warmupSteps` to the peak. */
  readonly warmupSteps: number;
}

/**
 * Learning rate of update `update` (0-based) of a run of `totalUpdates`.
 *
 * Warm-up counts from one, so that the first update already moves (Hugging Face counts from zero and wastes it); after it
 * `cosine` is `peak · ½ (1 + cos(π · progress))` as in `get_cosine_schedule_with_warmup`.
 */
export function learningRateAt(update: number, totalUpdates: number, schedule: LearningRateSchedule): number {
  const { learningRate, lrSchedulerType, warmupSteps } = schedule;
  if (update < warmupSteps) return (learningRate * (update + 1)) / warmupSteps;
  if (lrSchedulerType === 'constant') return learningRate;
  const progress = Math.min(1, (update - warmupSteps) / Math.max(1, totalUpdates - warmupSteps));
  return learningRate * 0.5 * (1 + Math.cos(Math.PI * progress));
}
