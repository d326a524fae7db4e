import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../engine/create.node.js';
import { createScalarEngine, type Engine } from '../../engine/index.js';
import { diagramEnvironment, type DiagramTask } from '../../envs/diagram/index.js';
import { generateTask } from '../../envs/diagram/tasks/index.js';
import { bestOfNKL, evaluate, expectedBestOfN, type TaskResult } from '../../eval/index.js';
import { writeFileAtomic } from '../../files.node.js';
import { mean } from '../../losses/index.js';
import { cloneModel, disposeModel, withScalarHead } from '../../model/index.js';
import { scoreDiagram } from '../../rewards/index.js';
import { distill, gkd, grpo, ppo, rft } from '../../trainers/index.js';
import type { CurvePoint, Experiment, Measured, Progress } from '../trainers/experiment.js';
import {
  type Algorithm,
  algorithmClaims,
  algorithmColumns,
  algorithmFigures,
  algorithmHypothesis,
  algorithmSettings,
  type AlgorithmSettings,
} from './algorithms.js';
import { trainingTasks } from './collect.node.js';
import { EVALUATION_TASK_SEED } from './evaluation.js';
import { openArm } from './experiment.node.js';
import { recipeFor } from './recipe.js';
import { loadPolicy } from './policy.node.js';
import { runDiagram } from './run.node.js';
import { json, parseJson, type RunFolder } from './run-folder.node.js';
import type { StageContext } from './stage.node.js';

export interface AlgorithmOptions extends Pick<StageContext, 'base' | 'workers' | 'signal' | 'emit'> {
  /** Where the runs lie. */
  readonly out: string;
}

/** All algorithms go on from the SFT checkpoint of this run; its GRPO policy, trained for longer than theirs, is the teacher of distillation. */
const START_SEED = 1;

/** The experiment; an arm that is finished is kept in `out`, and not run again. */
export function diagramAlgorithms(options: AlgorithmOptions): Experiment<AlgorithmSettings> {
  return {
    name: 'diagram-algorithms',
    description:
      'REINFORCE, RLOO, PPO, GRPO, DAPO, Dr. GRPO, RFT, best-of-8 and distillation from one SFT checkpoint, on as many episodes',
    hypothesis: algorithmHypothesis,
    seeds: [1, 2, 3],
    settings: algorithmSettings,
    columns: algorithmColumns,
    measure: (seed, settings) => measure(seed, settings, options),
    claims: algorithmClaims,
    remarks: [
      'Only PPO is clearly behind. RFT, REINFORCE, RLOO, GRPO, DAPO and Dr. GRPO differ by less than one of them does from seed to seed: where SFT already ' +
        'draws well four times in ten, any way of making the better samples likelier finds the same 12 points.',
      'OPD ends 0.002 of reward below GRPO, a tenth of its interval: with a fifth of the episodes both kinds of distillation are where the policy gradient is. ' +
        'Their teacher is a policy that GRPO trained for 60 steps, so they are a way to hand skill on, not to find it.',
      'PPO pays for a second model and shares no prompt between samples: two and a half times the seconds of GRPO for a third of its gain after 24 steps.',
      'Every algorithm has the learning rate, batch and clip range of the others; none was tuned by itself.',
      'Seconds are of one core, so that they do not depend on what else the machine did; the critic of PPO computes in one thread.',
    ],
    figures: algorithmFigures,
  };
}

/** What one algorithm came to. */
interface Outcome {
  readonly numbers: Readonly<Record<string, number>>;
  /** Mean reward of each step's samples, over the episodes learned from so far. */
  readonly curve: readonly CurvePoint[];
}

async function* measure(
  seed: number,
  settings: AlgorithmSettings,
  options: AlgorithmOptions,
): AsyncGenerator<Progress, Measured, void> {
  const arms = Object.entries(settings.algorithms);
  yield { done: 0, total: arms.length, note: 'the run they start from' };
  const start = await openStart(settings, options);
  const outcomes: [string, Outcome][] = [];
  for (const [done, [name, algorithm]] of arms.entries()) {
    yield { done, total: arms.length, note: name };
    const path = outcomePath(options.out, name, seed, settings);
    if (!existsSync(path)) {
      const note = (text: string): Progress => ({ done, total: arms.length, note: `${name}, ${text}` });
      const outcome = yield* tryAlgorithm(algorithm, seed, settings, start, options, note);
      mkdirSync(options.out, { recursive: true });
      writeFileAtomic(path, json(outcome));
    }
    outcomes.push([name, parseJson(path) as Outcome]);
  }
  const curves = outcomes.flatMap(([name, { curve }]) => (curve.length > 0 ? [[name, curve] as const] : []));
  return {
    arms: Object.fromEntries(outcomes.map(([name, { numbers }]) => [name, numbers])),
    curves: { reward: Object.fromEntries(curves) },
  };
}

/** The default run with seed 1, which `posttrain experiment diagram` shares; made when it is not there. */
async function openStart(
  { quick }: AlgorithmSettings,
  { out, ...shared }: AlgorithmOptions,
): Promise<RunFolder> {
  const { folder, config } = await openArm({ name: 'diagram', out, quick }, START_SEED, 'default');
  if (!(await runDiagram({ folder, config, ...shared }))) throw shared.signal.reason;
  return folder;
}

function outcomePath(out: string, name: string, seed: number, { quick }: AlgorithmSettings): string {
  const arm = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return join(out, `algorithm-${quick ? 'quick-' : ''}${arm}-seed${seed}.json`);
}

/** Trains a copy of the checkpoint, then measures it. */
async function* tryAlgorithm(
  algorithm: Algorithm,
  seed: number,
  settings: AlgorithmSettings,
  start: RunFolder,
  { workers }: AlgorithmOptions,
  note: (text: string) => Progress,
): AsyncGenerator<Progress, Outcome, void> {
  const { model, tokenizer } = await loadPolicy(start.checkpoint('sft'));
  const sftModel = cloneModel(model);
  const teacherModel = (await loadPolicy(start.checkpoint('grpo'))).model;
  const critic = algorithm.trainer === 'ppo' ? withScalarHead(model) : undefined;
  const [engine, sft, teacher] = [model, sftModel, teacherModel].map((each) =>
    createEngine(each, { workers }),
  ) as [Engine, Engine, Engine];
  const criticEngine = critic && createScalarEngine(critic);
  try {
    const counter = countingEnvironment();
    const curve: CurvePoint[] = [];
    const cpuBefore = process.cpuUsage();
    if ('config' in algorithm) {
      const common = { engine, tokenizer, env: counter.env, tasks: practiceTasks(seed, settings) };
      for await (const step of train(algorithm, seed, { ...common, teacher, critic: criticEngine })) {
        curve.push({ x: counter.count(), y: step.metrics['reward'] as number });
        yield note(`step ${step.step} of ${step.totalSteps}`);
        if (counter.count() >= settings.episodes) break;
      }
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    const cost = { episodes: counter.count(), seconds: (user + system) / 1e6 };
    yield note('evaluation');
    const evaluated = await evaluateOn(algorithm, seed, settings, engine, tokenizer);
    const numbers =
      algorithm.trainer === 'best-of-n'
        ? bestOf(algorithm.n, evaluated)
        : { ...means(evaluated), ...(await distances(evaluated, sft)) };
    return { numbers: { ...numbers, ...cost }, curve };
  } finally {
    for (const each of [engine, sft, teacher, criticEngine]) each?.dispose();
    for (const each of [model, sftModel, teacherModel, critic]) if (each) disposeModel(each);
  }
}

interface TrainerParts extends Omit<Parameters<typeof grpo<DiagramTask>>[0], 'config'> {
  readonly teacher: Engine;
  readonly critic: ReturnType<typeof createScalarEngine> | undefined;
}

/** Its trainer, whatever it is: what all of them yield. */
function train(
  algorithm: Extract<Algorithm, { readonly config: object }>,
  seed: number,
  { teacher, critic, ...common }: TrainerParts,
): AsyncIterable<{
  readonly step: number;
  readonly totalSteps: number;
  readonly metrics: Readonly<Record<string, number>>;
}> {
  switch (algorithm.trainer) {
    case 'grpo':
      return grpo({ ...common, config: { ...algorithm.config, seed } });
    case 'ppo':
      if (critic === undefined) throw new Error('PPO needs a critic.');
      return ppo({ ...common, critic, config: { ...algorithm.config, seed } });
    case 'rft':
      return rft({ ...common, config: { ...algorithm.config, seed } });
    case 'distill':
      return distill({ ...common, teacher, config: { ...algorithm.config, seed } });
    case 'gkd':
      return gkd({ ...common, teacher, config: { ...algorithm.config, seed } });
  }
}

/** The diagram environment, and how many episodes were started in it. */
function countingEnvironment(): {
  readonly env: ReturnType<typeof diagramEnvironment>;
  readonly count: () => number;
} {
  const env = diagramEnvironment({ scorer: scoreDiagram });
  let count = 0;
  return {
    env: {
      ...env,
      start: (task) => {
        count += 1;
        return env.start(task);
      },
    },
    count: () => count,
  };
}

/** Training tasks that the teacher has not answered, as many as there are episodes, so that none comes twice. */
function practiceTasks(seed: number, { episodes, quick }: AlgorithmSettings): DiagramTask[] {
  const taught = recipeFor({ quick }).teacher.tasks;
  return trainingTasks(seed, taught, episodes, 'curriculum');
}

async function evaluateOn(
  algorithm: Algorithm,
  seed: number,
  { evaluation }: AlgorithmSettings,
  engine: Engine,
  tokenizer: Parameters<typeof evaluate>[0]['tokenizer'],
): Promise<readonly TaskResult[]> {
  const { tasks, samplesPerTask, maxCompletionLength } = evaluation;
  const [result] = await evaluate({
    engine,
    tokenizer,
    env: diagramEnvironment({ scorer: scoreDiagram }),
    tasks: Array.from({ length: tasks }, (_, index) =>
      generateTask({ seed: EVALUATION_TASK_SEED, split: 'id', index, profile: 'curriculum' }),
    ),
    numGenerations: algorithm.trainer === 'best-of-n' ? algorithm.n : samplesPerTask,
    maxCompletionLength,
    seed,
  });
  return result?.perTask ?? [];
}

function means(perTask: readonly TaskResult[]): Record<string, number> {
  return {
    success: mean(perTask.map(({ success }) => success)),
    reward: mean(perTask.map(({ reward }) => reward)),
  };
}

/** What the best of `n` samples is worth where the reward chooses it; its KL is the bound for samples without ties. */
function bestOf(n: number, perTask: readonly TaskResult[]): Record<string, number> {
  const worth = (value: 'success' | 'reward'): number =>
    mean(
      perTask.map(({ episodes }) =>
        expectedBestOfN(
          episodes.map(({ reward, metrics }) => ({
            score: reward ?? 0,
            value: (value === 'reward' ? reward : metrics['success']) ?? 0,
          })),
          n,
        ),
      ),
    );
  return { success: worth('success'), reward: worth('reward'), kl: bestOfNKL(n) };
}

/** How far the policy has gone, estimated from its own samples: KL(policy ‖ SFT) of a reply, and its entropy at a token; nats. */
async function distances(perTask: readonly TaskResult[], sft: Engine): Promise<Record<string, number>> {
  const trajectories = perTask.flatMap(({ episodes }) => episodes.flatMap((episode) => episode.trajectories));
  const before = await sft.logprobs(
    trajectories.map(({ tokens, actionMask }) => ({ tokens, mask: actionMask })),
  );
  const total = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);
  const now = total(trajectories.map(({ logprobs }) => total(logprobs)));
  const tokens = total(trajectories.map(({ actionMask }) => total(actionMask)));
  return {
    kl: (now - total(before.map(total))) / trajectories.length,
    entropy: -now / tokens,
  };
}
