import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createCritic, createEngine } from '../../engine/create.node.js';
import type { Engine } from '../../engine/index.js';
import { diagramEnvironment, type DiagramTask } from '../../envs/diagram/index.js';
import { generateTask } from '../../envs/diagram/tasks/index.js';
import { bestOfNKL, evaluate, expectedBestOfN, type TaskResult } from '../../eval/index.js';
import { writeFileAtomic } from '../../files.node.js';
import { mean } from '../../losses/index.js';
import { disposeModel, type Model, withScalarHead } from '../../model/index.js';
import { scoreDiagram } from '../../rewards/index.js';
import { distill, gkd, grpo, type GRPOOptions, ppo, rft, type SampledStep } from '../../trainers/index.js';
import type { CurvePoint, Experiment, Measured, Progress } from '../trainers/experiment.js';
import { type Algorithm, algorithmComparison, type AlgorithmSettings } from './algorithms.js';
import { trainingTasks } from './collect.node.js';
import { EVALUATION_TASK_SEED } from './evaluation.js';
import { openArm } from './experiment.node.js';
import { recipeFor } from './recipe.js';
import { loadPolicy, type Policy } from './policy.node.js';
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
  return { ...algorithmComparison, measure: (seed, settings) => measure(seed, settings, options) };
}

/** What one algorithm came to. */
interface Outcome {
  readonly numbers: Readonly<Record<string, number>>;
  /** Mean reward of each step's samples, over the episodes started so far. */
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
  const { engine, model, tokenizer, close } = await openPolicy(start.checkpoint('sft'), workers);
  try {
    const counter = countingEnvironment();
    const curve: CurvePoint[] = [];
    const cpuBefore = process.cpuUsage();
    if ('config' in algorithm) {
      const common = { engine, tokenizer, env: counter.env, tasks: practiceTasks(seed, settings) };
      const teaching = { checkpoint: start.checkpoint('grpo'), workers };
      for await (const step of train(algorithm, seed, model, teaching, common)) {
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
        : { ...means(evaluated), ...(await distances(evaluated, start.checkpoint('sft'), workers)) };
    return { numbers: { ...numbers, ...cost }, curve };
  } finally {
    close();
  }
}

/** A checkpoint that acts, learns and scores until it is closed. */
async function openPolicy(
  checkpoint: string,
  workers: number,
): Promise<Policy & { readonly engine: Engine; readonly close: () => void }> {
  const policy = await loadPolicy(checkpoint);
  const engine = createEngine(policy.model, { workers });
  const close = (): void => {
    engine.dispose();
    disposeModel(policy.model);
  };
  return { ...policy, engine, close };
}

/** What all trainers yield. */
type TrainerSteps = AsyncGenerator<Pick<SampledStep, 'step' | 'totalSteps' | 'metrics'>, void, void>;

/** The steps of an algorithm's trainer, with the critic or the teacher that it needs. */
async function* train(
  algorithm: Extract<Algorithm, { readonly config: object }>,
  seed: number,
  model: Model,
  teaching: { readonly checkpoint: string; readonly workers: number },
  common: Omit<GRPOOptions<DiagramTask>, 'config'>,
): TrainerSteps {
  switch (algorithm.trainer) {
    case 'grpo':
      return yield* grpo({ ...common, config: { ...algorithm.config, seed } });
    case 'rft':
      return yield* rft({ ...common, config: { ...algorithm.config, seed } });
    case 'ppo': {
      const judge = withScalarHead(model);
      const critic = createCritic(judge, { workers: teaching.workers });
      try {
        return yield* ppo({ ...common, critic, config: { ...algorithm.config, seed } });
      } finally {
        critic.dispose();
        disposeModel(judge);
      }
    }
    case 'distill':
    case 'gkd': {
      const { engine: teacher, close } = await openPolicy(teaching.checkpoint, teaching.workers);
      try {
        return yield* algorithm.trainer === 'gkd'
          ? gkd({ ...common, teacher, config: { ...algorithm.config, seed } })
          : distill({ ...common, teacher, config: { ...algorithm.config, seed } });
      } finally {
        close();
      }
    }
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
async function distances(
  perTask: readonly TaskResult[],
  checkpoint: string,
  workers: number,
): Promise<Record<string, number>> {
  const trajectories = perTask.flatMap(({ episodes }) => episodes.flatMap((episode) => episode.trajectories));
  const { engine, close } = await openPolicy(checkpoint, workers);
  const sequences = trajectories.map(({ tokens, actionMask }) => ({ tokens, mask: actionMask }));
  const before = await engine.logprobs(sequences).finally(close);
  const total = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);
  const now = total(trajectories.map(({ logprobs }) => total(logprobs)));
  const tokens = total(trajectories.map(({ actionMask }) => total(actionMask)));
  return {
    kl: (now - total(before.map(total))) / trajectories.length,
    entropy: -now / tokens,
  };
}
