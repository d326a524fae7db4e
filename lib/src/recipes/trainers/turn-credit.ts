/** Who gets the credit? Advantages for each turn of an episode, by three ways of looking at the same rewards. */
import type { ScalarDatum, ScalarEngine } from '../../engine/index.js';
import type { Task } from '../../envs/types.js';
import { gae, spreadOverTurns } from '../../losses/index.js';
import { type EpisodeGroup, type EpisodeRecord, type Trajectory, turnsOf } from '../../rollout/index.js';
import { defineGRPOConfig, type GRPOConfig } from '../../trainers/grpo-config.js';
import { scoreGroups } from '../../trainers/grpo-groups.js';

/** Advantages `[groups][episodes][turns]`. */
export type TurnCredit = (
  groups: readonly EpisodeGroup<Task>[],
) => Promise<readonly (readonly (readonly number[])[])[]>;

/** That of `grpo` with these settings, divided by no deviation: one number for all turns of an episode, or one for each. */
export function groupCredit(config: Partial<GRPOConfig> = {}): TurnCredit {
  const resolved = defineGRPOConfig({ scaleRewards: 'none', ...config });
  return async (groups) => scoreGroups(groups, resolved).map(({ turnAdvantages }) => turnAdvantages);
}

export interface CriticOptions {
  readonly critic: ScalarEngine;
  /** λ of the advantages: 0 trusts the critic one turn ahead. */
  readonly lam: number;
  /** λ of what the critic learns from: 1 is what really came, whatever it thought; less is its own opinion of the turns to come. */
  readonly criticLam: number;
  readonly learningRate: number;
  /** Updates of the critic on each batch. */
  readonly epochs: number;
}

/**
 * PPO's: a critic says what a turn was worth, generalised advantage estimation compares; then the critic learns from the same episodes.
 * That both have a λ of their own is the decoupled GAE of Yuan et al. 2025, arXiv 2503.01491.
 */
export function criticCredit({ critic, lam, criticLam, learningRate, epochs }: CriticOptions): TurnCredit {
  return async (groups) => {
    const episodes = groups.flatMap((group) => group.episodes);
    const values = await valuesOfTurns(critic, episodes);
    const steps = episodes.map((episode, e) => ({
      rewards: turnsOf(episode).map(({ reward }) => reward),
      values: values[e] as readonly number[],
      bootstrapValue: 0,
    }));
    const returns = steps.map((episode) => gae(episode, { gamma: 1, lam: criticLam }).returns);
    const data = criticData(episodes, returns);
    for (let epoch = 0; epoch < epochs; epoch += 1) {
      await critic.forwardBackward(data, { name: 'value', cliprangeValue: null });
      await critic.optimStep({ learningRate });
    }
    const advantages = steps.map((episode) => gae(episode, { gamma: 1, lam }).advantages);
    let end = 0;
    return groups.map((group) => advantages.slice(end, (end += group.episodes.length)));
  };
}

/** What the critic expects before each turn: `[episodes][turns]`. */
async function valuesOfTurns(
  critic: ScalarEngine,
  episodes: readonly EpisodeRecord[],
): Promise<readonly (readonly number[])[]> {
  const trajectories = episodes.flatMap((episode) => episode.trajectories);
  const said = await critic.values(
    trajectories.map((trajectory) => ({ tokens: trajectory.tokens, mask: beforeReplies(trajectory) })),
  );
  let row = 0;
  return episodes.map((episode) =>
    episode.trajectories.flatMap(({ turns }) => {
      const stream = said[row++] as Float32Array;
      return turns.map(({ start }) => stream[start - 1] as number);
    }),
  );
}

/** What the critic should have said before each turn, every turn weighing the same. */
function criticData(
  episodes: readonly EpisodeRecord[],
  returns: readonly (readonly number[])[],
): ScalarDatum[] {
  const turns = returns.reduce((sum, { length }) => sum + length, 0);
  return episodes.flatMap((episode, e) =>
    ofTrajectories(episode, returns[e] as readonly number[]).map(({ trajectory, values }) => ({
      tokens: trajectory.tokens,
      weights: Float32Array.from(beforeReplies(trajectory), (on) => on / turns),
      returns: spreadOverTurns(
        values,
        trajectory.turns.map(({ start }) => ({ start: start - 1, end: start })),
        trajectory.tokens.length,
      ),
    })),
  );
}

/** Each trajectory with the values of its own turns, from those of all turns of the episode. */
export function ofTrajectories(
  { trajectories }: Pick<EpisodeRecord, 'trajectories'>,
  values: readonly number[],
): { readonly trajectory: Trajectory; readonly values: readonly number[] }[] {
  let end = 0;
  return trajectories.map((trajectory) => ({
    trajectory,
    values: values.slice(end, (end += trajectory.turns.length)),
  }));
}

/** `[T]`, 1 at the last token that is read before each reply: what follows it is the value of the state. */
function beforeReplies({ tokens, turns }: Trajectory): Uint8Array {
  const mask = new Uint8Array(tokens.length);
  for (const { start } of turns) mask[start - 1] = 1;
  return mask;
}
