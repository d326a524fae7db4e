/**
 * RLVP, Reinforcement Learning from Verifiable Penalties (arXiv 2607.07435): reward the outcome, penalise the path. What an episode
 * achieved is compared with its group; what a turn did wrong is charged to that turn's tokens alone.
 */
import { groupAdvantages } from './advantages.js';

/**
 * | channels | outcome channel compares | process channel | name in the paper's code |
 * |---|---|---|---|
 * | `outcome` | outcomes | – | `outcome` |
 * | `scalar` | outcomes with penalties folded in | – | `c1` |
 * | `token` | outcomes | yes | `c2` |
 * | `hybrid` | outcomes with penalties folded in | yes | `c3` |
 */
export type RLVPChannels = 'outcome' | 'scalar' | 'token' | 'hybrid';

export interface RLVPOptions {
  /** λ, the price of a violation. Paper's code: 0.5. */
  readonly lambda: number;
  /** β, the reward of a discharged obligation: without one the shortest way to break no rule is to do nothing. Paper's code: 0.5. */
  readonly processCredit: number;
  /** Paper's headline: `hybrid`. */
  readonly channels: RLVPChannels;
}

export interface ProcessTurn {
  /** Trained tokens of the turn. */
  readonly tokens: number;
  /** Rules the turn broke, judged on the state before it. */
  readonly violations: number;
  /** Obligations it discharged; each counts once in an episode. */
  readonly discharges: number;
}

export interface ProcessEpisode {
  /** `null` keeps the episode out of the comparison (unscorable, or a scripted demonstration), not out of the process channel. */
  readonly outcome: number | null;
  readonly turns: readonly ProcessTurn[];
}

/** Folded into one number, more violations (or discharges) than this add nothing: a long episode must not drown its outcome. */
const FOLDED_COUNT_LIMIT = 2;

/**
 * Advantages `[groups][episodes][turns]`, for every token of a turn: `A_out + A_proc · N_action / N_proc`.
 *
 * - `A_out = R − mean R of the group`, where R is the outcome, in `scalar` and `hybrid` less `λ · min(violations, 2)` plus
 *   `processCredit · min(discharges, 2)` of the episode. Not divided by a deviation.
 * - `A_proc = −λ · violations + processCredit · discharges` of the turn.
 *
 * Together with `dapo` weights, 1 / N_action, a token's coefficient is `A_out / N_action + A_proc / N_proc`: each channel divided
 * by its own number of tokens. Divided by a common one, penalties would fade just when all outcomes are equal.
 * N_action counts all tokens of all groups, N_proc those whose turn has a process advantage other than 0.
 *
 * @param zeroStdThreshold outcomes of a group that differ by less count as equal (see `groupAdvantages`)
 */
export function rlvpAdvantages(
  groups: readonly (readonly ProcessEpisode[])[],
  options: RLVPOptions,
  zeroStdThreshold = 1e-3,
): number[][][] {
  const outcomes = groupAdvantages(
    groups.map((episodes) => episodes.map((episode) => comparedOutcome(episode, options))),
    'none',
    zeroStdThreshold,
  ).advantages;
  const turns = groups.flat().flatMap((episode) => episode.turns);
  const actionTokens = countTokens(turns);
  const processTokens = countTokens(turns.filter((turn) => processAdvantage(turn, options) !== 0));
  const balance = actionTokens / Math.max(1, processTokens);
  return groups.map((episodes, g) =>
    episodes.map((episode, e) =>
      episode.turns.map((turn) => (outcomes[g]?.[e] as number) + processAdvantage(turn, options) * balance),
    ),
  );
}

function comparedOutcome(
  { outcome, turns }: ProcessEpisode,
  { lambda, processCredit, channels }: RLVPOptions,
): number | null {
  if (outcome === null || channels === 'outcome' || channels === 'token') return outcome;
  const folded = (count: (turn: ProcessTurn) => number): number =>
    Math.min(
      turns.reduce((total, turn) => total + count(turn), 0),
      FOLDED_COUNT_LIMIT,
    );
  return (
    outcome - lambda * folded((turn) => turn.violations) + processCredit * folded((turn) => turn.discharges)
  );
}

function processAdvantage(
  { violations, discharges }: ProcessTurn,
  { lambda, processCredit, channels }: RLVPOptions,
): number {
  if (channels === 'outcome' || channels === 'scalar') return 0;
  return processCredit * discharges - lambda * violations;
}

const countTokens = (turns: readonly ProcessTurn[]): number =>
  turns.reduce((total, { tokens }) => total + tokens, 0);
