/** What was sampled in a step, for people to read: as text, as judged, and with each token's part in the loss. */
import type { Task } from '../envs/types.js';
import type { EpisodeRecord, Trajectory } from '../rollout/index.js';
import type { Tokenizer } from '../text/index.js';
import type { StepSamples } from './grpo-groups.js';
import { isMasked } from './trained-tokens.js';

/** One sampled episode, for the log. */
export interface GRPOCompletion {
  readonly taskId: string;
  /** First message of the user. */
  readonly prompt: string;
  /** The policy's replies; more than one are separated by an empty line. */
  readonly completion: string;
  readonly reward: number | null;
  /** Everything the environment reported. */
  readonly rewards: Readonly<Record<string, number>>;
  /** Mean over its tokens. */
  readonly advantage: number;
  readonly stopReason: string;
  /** All tokens in order, those that share a role joined. */
  readonly segments: readonly TokenRun[];
}

/** Tokens next to each other with the same role in the loss. */
export interface TokenRun {
  readonly role: TokenRole;
  readonly text: string;
}

/**
 * Why a token counts or does not: `prompt` came before the first reply, `trained` was sampled and has a gradient, `environment` came
 * between replies, `masked` was sampled and left out (its episode was cut, or its group carries no signal).
 */
export type TokenRole = 'prompt' | 'trained' | 'environment' | 'masked';

/** All episodes of a step, in the order in which they were sampled. */
export function completionsOf<T extends Task>(
  { groups, trained }: StepSamples<T>,
  tokenizer: Tokenizer,
  config: { readonly maskTruncatedCompletions: boolean },
): GRPOCompletion[] {
  const isTrained = new Set(trained.flatMap(({ episodes }) => episodes));
  return groups.flatMap(({ episodes, advantages }) =>
    episodes.map((episode, index) => {
      const masked = !isTrained.has(episode) || isMasked(episode, config);
      return {
        taskId: episode.taskId,
        prompt: texts(episode, 'user')[0] ?? '',
        completion: texts(episode, 'assistant').join('\n\n'),
        reward: episode.reward,
        rewards: episode.metrics,
        advantage: advantages[index] as number,
        stopReason: episode.stopReason,
        segments: episode.trajectories.flatMap((trajectory) => segmentsOf(trajectory, masked, tokenizer)),
      };
    }),
  );
}

function texts({ messages }: EpisodeRecord, role: 'user' | 'assistant'): string[] {
  return messages.flatMap((message) => (message.role === role ? [message.content] : []));
}

function segmentsOf({ tokens, turns }: Trajectory, masked: boolean, tokenizer: Tokenizer): TokenRun[] {
  const segment = (role: TokenRole, start: number, end: number): TokenRun[] =>
    start === end ? [] : [{ role, text: tokenizer.decode(tokens.subarray(start, end)) }];
  return turns.flatMap(({ start, end }, turn) => [
    ...segment(turn === 0 ? 'prompt' : 'environment', turns[turn - 1]?.end ?? 0, start),
    ...segment(masked ? 'masked' : 'trained', start, end),
  ]);
}
