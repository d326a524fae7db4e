import type { BinaryJudge, JudgeRecord } from '../rewards/judge.js';
import type { RewardFunction } from './reward-function.js';
import type { EpisodeRecord } from './types.js';

export interface VetoOptions {
  /** Judgements at a time; default 4. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
}

/**
 * The environment's own rewards, some of them taken away: an episode that the judge vetoes earns 0, one that it accepts earns what the environment
 * paid and not more, and one that it cannot judge is not learned from (`null`). It is asked only where something was paid, as it could
 * change nothing elsewhere. A completion that talks the judge round has therefore won nothing but its own reward.
 * @throws Error when not one of the episodes it was asked about could be judged: that is an outage and no noise.
 */
export function withVetoes(
  judge: BinaryJudge,
  { concurrency = 4, signal }: VetoOptions = {},
): RewardFunction {
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw new RangeError(`concurrency must be a positive integer, got ${concurrency}`);
  return async (episodes) => {
    const paid = episodes.filter(({ reward }) => reward !== null && reward > 0);
    const opinions = new Map<EpisodeRecord, JudgeRecord>();
    const left = paid.values();
    const work = async (): Promise<void> => {
      for (const episode of left) opinions.set(episode, await judge.judge(questionOf(episode), signal));
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    const unscored = [...opinions.values()].filter(({ verdict }) => verdict === null);
    if (paid.length > 0 && unscored.length === paid.length) {
      throw new Error(`the judge could judge none of ${paid.length} episodes; ${unscored[0]!.reason}`);
    }
    return episodes.map((episode) => rewardAfter(episode.reward, opinions.get(episode)));
  };
}

function questionOf({ taskId, sampleIndex, messages }: EpisodeRecord): Parameters<BinaryJudge['judge']>[0] {
  const said = (by: 'user' | 'assistant'): string =>
    messages
      .filter(({ role }) => role === by)
      .map(({ content }) => content)
      .join('\n\n');
  return { id: `${taskId}#${sampleIndex}`, prompt: said('user'), completion: said('assistant') };
}

function rewardAfter(reward: number | null, opinion: JudgeRecord | undefined): number | null {
  if (opinion === undefined) return reward;
  if (opinion.verdict === null) return null;
  return opinion.verdict === 'veto' ? 0 : reward;
}
