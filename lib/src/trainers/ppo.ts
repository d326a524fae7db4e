import type { ScalarEngine } from '../engine/scalar-types.js';
import type { Engine, LogprobScorer, OptimParams } from '../engine/types.js';
import type { Task } from '../envs/types.js';
import { randomStream } from '../tensor/random.js';
import { stopTokens } from '../text/index.js';
import { optimParamsAt } from './optimizer-config.js';
import { ppoData, ppoEpisodes, type PPORow } from './ppo-batch.js';
import { definePPOConfig, type PPOConfig } from './ppo-config.js';
import { approxKL, objectiveMetrics, type PPOUpdate, updateMetrics } from './ppo-metrics.js';
import { openReference } from './reference.js';
import { countRefused } from './refused-steps.js';
import { agreementMetrics, requireAgreement } from './sampled-batch.js';
import { type Learned, type SampledOptions, type SampledStep, sampledSteps } from './sampled-steps.js';
import { episodesOf, samplingStart, type SamplingState } from './sampling.js';

export interface PPOOptions<T extends Task> extends SampledOptions<T> {
  /** Says what reward to expect; made from the policy at the start (`withScalarHead`), and trained with it. The caller disposes it. */
  readonly critic: ScalarEngine;
  readonly config?: Partial<PPOConfig>;
  /** What `klCoef` > 0 pulls towards; default: a frozen copy of the policy at the start. A resumed run must be given the same one. */
  readonly reference?: LogprobScorer;
  /** Where to go on: the `state` of the last step, after `engine.load` and `critic.load`. Default: from the start. */
  readonly state?: PPOState;
}

export type PPOState = SamplingState;

/**
 * `metrics`: TRL's `objective/kl` and `objective/non_score_reward` (only with klCoef > 0), `objective/entropy`, `objective/scores`,
 * `objective/rlhf_reward`, `policy/approxkl_avg`, `policy/clipfrac_avg`, `policy/entropy_avg`, `loss/policy_avg`, `loss/value_avg`,
 * `val/clipfrac_avg`, `val/ratio`, `val/ratio_var`, `val/num_eos_tokens`; verl's `critic/vf_explained_var`, `critic/grad_norm`; `policy/num_updates`, `loss`,
 * `grad_norm`, `learning_rate`, `sampling/…`, `step_skipped`, and those of every `SampledStep`.
 */
export type PPOStep = SampledStep;

/**
 * Proximal policy optimization with a critic, as in RLHF: sample; charge every token for its distance from the reference; let the critic
 * say what it expected, token by token; make what went better than expected likelier, what went worse less likely, `numPpoEpochs` times,
 * within the clip range. One yield per step.
 *
 * Unlike `grpo` it needs no second sample of a task, and it tells the tokens of an episode apart: each has an advantage of its own. The
 * price is a second model, which must learn before it helps; `critic/vf_explained_var` tells how far it is.
 * ```ts
 * const critic = createScalarEngine(withScalarHead(policy));
 * for await (const step of ppo({ engine: createLocalEngine(policy), critic, tokenizer, env, tasks })) console.log(step.metrics);
 * ```
 * Sources: Schulman et al. 2017, arXiv 1707.06347; Ouyang et al. 2022, arXiv 2203.02155; TRL's `PPOTrainer`.
 *
 * @throws ConfigError before the first step; LogprobMismatchError in the first; NonFiniteError after three updates in a row that policy or
 *   critic refused.
 */
export async function* ppo<T extends Task>(options: PPOOptions<T>): AsyncGenerator<PPOStep, void, void> {
  const { engine, critic, tokenizer } = options;
  const config = definePPOConfig(options.config);
  const endTokens = stopTokens(tokenizer);
  const { step } = options.state ?? samplingStart;
  const reference = config.klCoef === 0 ? undefined : await openReference(options, step);

  try {
    yield* sampledSteps(options, config, async (groups, state) => {
      const judges = { critic, reference };
      const episodes = await ppoEpisodes(episodesOf(groups), judges, config, engine.policyVersion);
      const rows = episodes.flatMap((episode) => episode.rows);
      if (!rows.some(({ trajectory }) => trajectory.actionMask.includes(1)))
        return { metrics: { step_skipped: 1 }, updates: 0, refused: state.refused };
      const { metrics, ...counts } = await learn({ engine, critic }, rows, config, state);
      return { metrics: { ...objectiveMetrics(episodes, config, endTokens), ...metrics }, ...counts };
    });
  } finally {
    reference?.close();
  }
}

interface Engines {
  readonly engine: Engine;
  readonly critic: ScalarEngine;
}

/** `numPpoEpochs` × `numMiniBatches` updates of policy and critic, or until the policy is further than `targetKl` from its samples. */
async function learn(
  engines: Engines,
  rows: readonly PPORow[],
  config: PPOConfig,
  state: PPOState,
): Promise<Learned> {
  const { numPpoEpochs, numMiniBatches, maxSteps, targetKl } = config;
  const totalUpdates = maxSteps * numPpoEpochs * numMiniBatches;
  const done: PPOUpdate[] = [];
  let { updates, refused } = state;
  let learningRate = 0;

  for (const batch of miniBatches(rows, config, state.step)) {
    const params = optimParamsAt(updates, totalUpdates, config);
    const update = await updateOnce(engines, batch, params, config, state.step === 0 && done.length === 0);
    refused = countRefused(refused, update.optim, state.step + 1, update.policy.data);
    if (update.optim.stepped) updates += 1;
    ({ learningRate } = params);
    done.push(update);
    if (targetKl !== null && approxKL(update) > targetKl) break;
  }

  const { policy, forward } = done[0] as PPOUpdate;
  return {
    metrics: {
      learning_rate: learningRate,
      step_skipped: done.every(({ optim }) => optim.stepped) ? 0 : 1,
      ...agreementMetrics(policy, forward),
      ...updateMetrics(done, config),
    },
    updates: updates - state.updates,
    refused,
  };
}

/** One update of both; it counts as taken when neither refused it. */
async function updateOnce(
  { engine, critic }: Engines,
  rows: readonly PPORow[],
  params: OptimParams,
  config: PPOConfig,
  isFirst: boolean,
): Promise<PPOUpdate> {
  const { temperature, cliprange, cliprangeValue } = config;
  const data = ppoData(rows, config);
  const loss = { epsilon: cliprange, epsilonHigh: cliprange, delta: null, beta: 0 };
  const forward = await engine.forwardBackward(
    data.policy.data,
    { name: 'policy_gradient', ...loss },
    temperature,
  );
  if (isFirst) requireAgreement(data.policy, forward, config);
  const valueForward = await critic.forwardBackward(data.critic, { name: 'value', cliprangeValue });
  const optim = await engine.optimStep(params);
  const criticOptim = await critic.optimStep(params);
  const stepped = optim.stepped && criticOptim.stepped;
  return { ...data, forward, valueForward, optim: { ...optim, stepped }, criticOptim };
}

/** The rows of each update of a step: all of them in every epoch, in a new order, cut into `numMiniBatches` parts. */
function miniBatches(
  rows: readonly PPORow[],
  { numPpoEpochs, numMiniBatches, seed }: PPOConfig,
  step: number,
): PPORow[][] {
  return Array.from({ length: numPpoEpochs }, (_, epoch) => {
    const shuffled = randomStream(seed, 'ppo-mini-batches', step, epoch).shuffle(rows);
    const cut = (part: number): number => Math.floor((part * rows.length) / numMiniBatches);
    return Array.from({ length: numMiniBatches }, (_, part) => shuffled.slice(cut(part), cut(part + 1)));
  })
    .flat()
    .filter((batch) => batch.some(({ trajectory }) => trajectory.actionMask.includes(1)));
}
