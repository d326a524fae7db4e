import type { LogprobScorer } from '../engine/types.js';
import { exampleOf, type SFTRow } from '../trainers/sft-rows.js';

/**
 * Mean negative log-likelihood, in nats, of the tokens SFT would train on; for held-out rows (`eval_loss`).
 * `exp` of it is the perplexity. Throws when there are no rows, or one has nothing to predict.
 */
export async function evaluateLoss(
  scorer: LogprobScorer,
  rows: readonly SFTRow[],
  maxLength = 1024,
): Promise<number> {
  if (rows.length === 0) throw new Error('evaluateLoss needs at least one row.');
  const examples = rows.map((row, index) => exampleOf(row, index, { maxLength, completionOnlyLoss: true }));
  const logprobs = await scorer.logprobs(examples);
  let sum = 0;
  let tokens = 0;
  examples.forEach(({ mask }, row) =>
    mask.forEach((trained, t) => {
      if (trained === 0) return;
      sum -= logprobs[row]?.[t] as number;
      tokens += 1;
    }),
  );
  return sum / tokens;
}
