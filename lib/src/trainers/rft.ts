import type { Task } from '../envs/types.js';
import { mean } from '../losses/index.js';
import { bestEpisode, type EpisodeGroup, type EpisodeRecord, ranOutOfTokens } from '../rollout/index.js';
import type { Values } from './metrics.js';
import { type OptimizerConfig, optimizerDefaults } from './optimizer-config.js';
import { defineRFTConfig, type RFTConfig } from './rft-config.js';
import { type Learned, type SampledOptions, type SampledStep, sampledSteps } from './sampled-steps.js';
import type { SamplingState } from './sampling.js';
import type { TokensRow } from './sft-rows.js';
import { sft, type SFTStep } from './sft.js';

export interface RFTOptions<T extends Task> extends SampledOptions<T> {
  readonly config?: Partial<RFTConfig>;
}

export type RFTState = SamplingState;

/**
 * `metrics`: `num_kept` (rows that were learned), `num_duplicates` (equal samples of a task that were dropped), `frac_tasks_kept`
 * (share of tasks with any kept sample), `loss`, `mean_token_accuracy`, `entropy`, `grad_norm` (means over the round's updates),
 * `learning_rate`, `step_skipped`, and those of every `SampledStep`.
 */
export type RFTStep = SampledStep;

/**
 * Rejection sampling fine-tuning, or expert iteration: sample each task several times, keep what the reward accepts, learn it by SFT,
 * and again with the policy that this has made. One yield per round.
 *
 * Of equal samples of a task one is learned (RFT: distinct ways to be right, not the same one often), and none that was cut, or the
 * policy would learn not to stop. It only ever learns from success: what never comes up among the samples stays out of reach, and
 * nothing is learned from failures. A round that keeps nothing changes nothing and reports `step_skipped` 1.
 *
 * Sources: Yuan et al. 2023, arXiv 2308.01825 (RFT); Dong et al. 2023, arXiv 2304.06767 (RAFT, `keepBest`); Singh et al. 2023,
 * arXiv 2312.06585 (ReST^EM, which begins each round from the base policy; here it goes on from the last).
 *
 * @throws ConfigError before the first round; NonFiniteError after three refused updates in a row.
 */
export async function* rft<T extends Task>(options: RFTOptions<T>): AsyncGenerator<RFTStep, void, void> {
  const config = defineRFTConfig(options.config);
  yield* sampledSteps(options, config, async (groups, state) => {
    const kept = groups.map((group) => distinctRows(selectEpisodes(group, config)));
    const rows = kept.flatMap((task) => task.rows);
    const selection = {
      num_kept: rows.length,
      num_duplicates: kept.reduce((sum, { duplicates }) => sum + duplicates, 0),
      frac_tasks_kept: mean(kept.map((task) => (task.rows.length > 0 ? 1 : 0))),
    };
    if (rows.length === 0)
      return { metrics: { ...selection, step_skipped: 1 }, updates: 0, refused: state.refused };
    const { metrics, ...counts } = await fineTune(options, rows, config, state);
    return { metrics: { ...selection, ...metrics }, ...counts };
  });
}

/** The samples of a task that are good enough to learn. */
function selectEpisodes<T extends Task>(
  { episodes }: EpisodeGroup<T>,
  { rewardThreshold, keepBest }: RFTConfig,
): EpisodeRecord[] {
  const least = rewardThreshold ?? -Infinity;
  const good = episodes.filter(
    (episode) => !ranOutOfTokens(episode) && (episode.reward ?? -Infinity) >= least,
  );
  const best = keepBest ? bestEpisode(good) : undefined;
  return best === undefined ? good : [best];
}

/** What is learned from the samples of one task: each trajectory once. */
function distinctRows(episodes: readonly EpisodeRecord[]): {
  readonly rows: readonly TokensRow[];
  readonly duplicates: number;
} {
  const trajectories = episodes.flatMap((episode) => episode.trajectories);
  const distinct = new Map(trajectories.map((trajectory) => [trajectory.tokens.join(), trajectory]));
  const rows = [...distinct.values()].map(({ tokens, actionMask: mask }) => ({ tokens, mask }));
  return { rows, duplicates: trajectories.length - rows.length };
}

async function fineTune<T extends Task>(
  { engine }: RFTOptions<T>,
  rows: readonly TokensRow[],
  config: RFTConfig,
  { step, refused }: SamplingState,
): Promise<Learned> {
  const { batchSize, numTrainEpochs, seed } = config;
  const steps: SFTStep[] = [];
  const run = sft({
    engine,
    rows,
    config: {
      ...optimizerOf(config),
      batchSize: Math.min(batchSize, rows.length),
      numTrainEpochs,
      maxLength: engine.maxLength,
      seed: seed + step,
    },
    state: { step: 0, updates: 0, numTokens: 0, refused },
  });
  for await (const each of run) steps.push(each);
  const last = steps.at(-1) as SFTStep;
  return { metrics: meansOf(steps), updates: last.state.updates, refused: last.state.refused };
}

/** The optimizer's part of the settings. */
function optimizerOf(config: RFTConfig): OptimizerConfig {
  const { learningRate, lrSchedulerType, warmupSteps } = config;
  const names = Object.keys(optimizerDefaults) as (keyof typeof optimizerDefaults)[];
  const rest = Object.fromEntries(names.map((name) => [name, config[name]])) as typeof optimizerDefaults;
  return { learningRate, lrSchedulerType, warmupSteps, ...rest };
}

function meansOf(steps: readonly SFTStep[]): Values {
  const meanOf = (name: string): number | undefined => {
    const measured = steps.flatMap(({ metrics }) => metrics[name] ?? []);
    return measured.length === 0 ? undefined : mean(measured);
  };
  return {
    loss: meanOf('loss'),
    mean_token_accuracy: meanOf('mean_token_accuracy'),
    entropy: meanOf('entropy'),
    grad_norm: meanOf('grad_norm'),
    learning_rate: steps.at(-1)?.metrics['learning_rate'],
    step_skipped: steps.every(({ metrics }) => metrics['step_skipped'] === 1) ? 1 : 0,
  };
}
