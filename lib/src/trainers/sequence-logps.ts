import type { LogprobScorer } from '../engine/types.js';
import type { Example } from './sft-rows.js';

/** Log-probability of each whole reply, in nats: the sum over its masked tokens, which are the only ones that are not 0. */
export function sequenceLogps(logprobs: readonly Float32Array[]): number[] {
  return logprobs.map((stream) => stream.reduce((sum, logprob) => sum + logprob, 0));
}

/** Log-probabilities of whole replies under a reference. */
export async function scoreExamples(
  scorer: Pick<LogprobScorer, 'logprobs'>,
  examples: readonly Example[],
): Promise<number[]> {
  return sequenceLogps(await scorer.logprobs(examples));
}
