/** Advantages from a critic. A step is a turn or a token: the arithmetic is the same. */

export interface GAEOptions {
  /** γ. TRL: 1, since a reply's end should not matter less for being far away. */
  readonly gamma: number;
  /** λ: 0 trusts the critic one step ahead (TD), 1 trusts only what really happened (Monte Carlo). TRL: 0.95. */
  readonly lam: number;
}

/** One episode, step by step. */
export interface CriticSteps {
  /** rₜ, `[T]`. */
  readonly rewards: ArrayLike<number>;
  /** V(sₜ), the critic's value of the state *before* step t, `[T]`. */
  readonly values: ArrayLike<number>;
  /**
   * V(s_T), the value of the state after the last step. 0 when the episode *terminated*: nothing follows. The critic's value when it
   * was *truncated* (cut by a limit): something would have followed, and calling it 0 would punish whatever was going on.
   */
  readonly bootstrapValue: number;
}

export interface CriticAdvantages<Numbers> {
  /** `[T]` */
  readonly advantages: Numbers;
  /** `Aₜ + V(sₜ)`, what the critic should have said: `[T]`. */
  readonly returns: Numbers;
}

/**
 * Generalised advantage estimation: `Aₜ = δₜ + γλ Aₜ₊₁` with `δₜ = rₜ + γ V(sₜ₊₁) − V(sₜ)`.
 *
 * Throws when rewards and values differ in number.
 *
 * Source: Schulman et al. 2016, arXiv 1506.02438, eq. 16; on truncation, Pardo et al. 2018, arXiv 1712.00378.
 */
export function gae(
  { rewards, values, bootstrapValue }: CriticSteps,
  { gamma, lam }: GAEOptions,
): CriticAdvantages<number[]> {
  if (rewards.length !== values.length)
    throw new Error(
      `gae needs one value for each reward, got ${values.length} values and ${rewards.length} rewards.`,
    );
  const advantages = new Array<number>(rewards.length);
  let nextValue = bootstrapValue;
  let nextAdvantage = 0;
  for (let t = rewards.length - 1; t >= 0; t -= 1) {
    const value = values[t] as number;
    const surprise = (rewards[t] as number) + gamma * nextValue - value;
    nextAdvantage = surprise + gamma * lam * nextAdvantage;
    nextValue = value;
    advantages[t] = nextAdvantage;
  }
  return { advantages, returns: advantages.map((advantage, t) => advantage + (values[t] as number)) };
}

/**
 * `gae` over the tokens a policy sampled, 0 at all others. What the environment said is no step of the policy: nothing is
 * discounted across it, and rewards and values that stand there are not read.
 *
 * @param steps `[T]` per token
 * @param mask `[T]`; 1 = sampled by the policy
 */
export function tokenGAE(
  { rewards, values, bootstrapValue }: CriticSteps,
  mask: Uint8Array,
  options: GAEOptions,
): CriticAdvantages<Float32Array> {
  const positions = Array.from(mask.keys()).filter((t) => mask[t] === 1);
  const at = (stream: ArrayLike<number>): number[] => positions.map((t) => stream[t] as number);
  const steps = gae({ rewards: at(rewards), values: at(values), bootstrapValue }, options);
  const spread = (values: readonly number[]): Float32Array => {
    const stream = new Float32Array(mask.length);
    positions.forEach((t, step) => (stream[t] = values[step] as number));
    return stream;
  };
  return { advantages: spread(steps.advantages), returns: spread(steps.returns) };
}
