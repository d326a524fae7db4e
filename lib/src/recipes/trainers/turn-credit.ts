/** Who gets the credit? Advantages for each turn of an episode, by four ways of looking at the same rewards. */
import type { ScalarEngine } from '../../engine/index.js';
import { gae, groupAdvantages, spreadOverTurns, turnAdvantages } from '../../losses/index.js';
import { type EpisodeGroup, type Trajectory, turnsOf } from '../../rollout/index.js';

/** An episode with what its turns were paid. */
export interface TurnRewards {
  /** One, unless the policy wrote a text in tokens that are not its encoding: what it reads next then does not extend them. */
  readonly trajectories: readonly Trajectory[];
  /** `[turns]`, of all trajectories in order. */
  readonly rewards: readonly number[];
}

/** Advantages `[groups][episodes][turns]`. */
export type TurnCredit = (
  groups: readonly (readonly TurnRewards[])[],
) => Promise<readonly (readonly (readonly number[])[])[]>;

/** What the environment paid for each reply of the episodes of a group. */
export function turnRewards<T>({ episodes }: EpisodeGroup<T>): TurnRewards[] {
  return episodes.map((episode) => ({
    trajectories: episode.trajectories,
    rewards: turnsOf(episode).map(({ reward }) => reward),
  }));
}

/** Each trajectory with the values of its own turns, from those of all turns of the episode. */
export function ofTrajectories(
  { trajectories }: TurnRewards,
  values: readonly number[],
): { readonly trajectory: Trajectory; readonly values: readonly number[] }[] {
  let end = 0;
  return trajectories.map((trajectory) => ({
    trajectory,
    values: values.slice(end, (end += trajectory.turns.length)),
  }));
}

/** GRPO: every turn gets what the episode was worth. */
export const episodeCredit: TurnCredit = async (groups) => {
  const totals = groups.map((episodes) =>
    episodes.map(({ rewards }) => rewards.reduce((sum, reward) => sum + reward, 0)),
  );
  const { advantages } = groupAdvantages(totals, 'none');
  return groups.map((episodes, g) =>
    episodes.map(({ rewards }, e) => rewards.map(() => advantages[g]?.[e] as number)),
  );
};

/** Turn-level GRPO: each turn's return against that of the same turn in the group's other episodes. */
export function turnCredit(gamma: number): TurnCredit {
  return async (groups) =>
    turnAdvantages(
      groups.map((episodes) => episodes.map(({ rewards }) => rewards)),
      { gamma, scaleRewards: 'none' },
    );
}

export interface CriticOptions {
  readonly critic: ScalarEngine;
  readonly lam: number;
  readonly learningRate: number;
  /** Updates of the critic on each batch. */
  readonly epochs: number;
}

/** PPO's: a critic says what a turn was worth, generalised advantage estimation compares; then the critic learns what really came. */
export function criticCredit({ critic, lam, learningRate, epochs }: CriticOptions): TurnCredit {
  return async (groups) => {
    const episodes = groups.flat();
    const trajectories = episodes.flatMap((episode) => episode.trajectories);
    const masks = trajectories.map(beforeReplies);
    const said = await critic.values(
      trajectories.map(({ tokens }, row) => ({ tokens, mask: masks[row] as Uint8Array })),
    );
    let row = 0;
    const steps = episodes.map((episode) => {
      const values = episode.trajectories.flatMap(({ turns }) => {
        const stream = said[row++] as Float32Array;
        return turns.map(({ start }) => stream[start - 1] as number);
      });
      return gae({ rewards: episode.rewards, values, bootstrapValue: 0 }, { gamma: 1, lam });
    });
    const turns = episodes.reduce((sum, { rewards }) => sum + rewards.length, 0);
    const targets = episodes.flatMap((episode, e) => ofTrajectories(episode, steps[e]?.returns as number[]));
    const data = targets.map(({ trajectory: { tokens, turns: spans }, values }, n) => ({
      tokens,
      weights: Float32Array.from(masks[n] as Uint8Array, (on) => on / turns),
      returns: spreadOverTurns(
        values,
        spans.map(({ start }) => ({ start: start - 1, end: start })),
        tokens.length,
      ),
    }));
    for (let epoch = 0; epoch < epochs; epoch += 1) {
      await critic.forwardBackward(data, { name: 'value', cliprangeValue: null });
      await critic.optimStep({ learningRate });
    }
    let next = 0;
    return groups.map((group) => group.map(() => steps[next++]?.advantages as number[]));
  };
}

/** `[T]`, 1 at the last token that is read before each reply: what follows it is the value of the state. */
function beforeReplies({ tokens, turns }: Trajectory): Uint8Array {
  const mask = new Uint8Array(tokens.length);
  for (const { start } of turns) mask[start - 1] = 1;
  return mask;
}
