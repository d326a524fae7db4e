import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../engine/create.node.js';
import { diagramEnvironment, type DiagramEpisode, type DiagramTask } from '../../envs/diagram/index.js';
import {
  curriculumSplits,
  generateTask,
  realTasks,
  splits,
  type Split,
} from '../../envs/diagram/tasks/index.js';
import { evaluate, type SplitEvaluation } from '../../eval/index.js';
import { writeFileAtomic } from '../../files.node.js';
import { disposeModel } from '../../model/index.js';
import { scoreDiagram, verifyDiagram } from '../../rewards/index.js';
import {
  checkpointNames,
  checkpointTitles,
  EVALUATION_TASK_SEED,
  type CheckpointName,
  type Mode,
  type PolicyEvaluation,
  type SplitResult,
} from './evaluation.js';
import type { Drawing } from './events.js';
import { loadPolicy } from './policy.node.js';
import type { DiagramRecipe } from './recipe.js';
import { json, parseJson } from './run-folder.node.js';
import type { StageContext } from './stage.node.js';

/** Measures base, SFT and GRPO on the same tasks with the same dice. Each policy's part is kept, so a stopped stage goes on. */
export async function evaluateStage(context: StageContext): Promise<void> {
  const { folder, config, base } = context;
  const names = checkpointNames.filter((name) => name !== 'sft' || config.recipe.grpoFrom === 'sft');
  const plans = names.map((name) => ({ name, parts: partsOf(config.recipe, name) }));
  const totalSteps = plans.flatMap(({ parts }) => parts).reduce((sum, { tasks }) => sum + tasks.length, 0);
  let finished = 0;
  for (const { name, parts } of plans) {
    const path = policyPath(folder.path, name);
    if (!existsSync(path)) {
      const checkpoint = name === 'base' ? base : folder.checkpoint(name);
      writeFileAtomic(
        path,
        json(await evaluatePolicy(context, name, checkpoint, parts, finished, totalSteps)),
      );
    }
    finished += parts.reduce((sum, { tasks }) => sum + tasks.length, 0);
  }
  const whole = Object.fromEntries(names.map((name) => [name, parseJson(policyPath(folder.path, name))]));
  writeFileAtomic(folder.evaluation, json(whole));
}

/** The tasks of one split, and how they are answered. */
interface Part {
  readonly mode: Mode;
  readonly tasks: readonly DiagramTask[];
  readonly samplesPerTask: number;
  /** How many of the drawings are shown in the report. */
  readonly shown: number;
}

function partsOf(recipe: DiagramRecipe, name: CheckpointName): Part[] {
  const { idTasks, otherTasks, samplesPerTask, galleryTasks } = recipe.evaluation;
  const available: readonly Split[] = recipe.profile === 'full' ? splits : [...curriculumSplits, 'real'];
  return available
    .filter((split) => split !== 'train')
    .flatMap((split): Part[] => {
      const isId = split === 'id';
      const tasks = tasksOf(split, isId ? idTasks : otherTasks, recipe.profile);
      // the base hardly ever stops by itself, so its samples are the slowest, and one is enough to see that
      const sampled = {
        mode: 'sampled',
        tasks,
        samplesPerTask: isId && name !== 'base' ? samplesPerTask : 1,
        shown: 0,
      } as const;
      return [sampled, { mode: 'greedy', tasks, samplesPerTask: 1, shown: isId ? galleryTasks : 0 }];
    });
}

function tasksOf(split: Split, count: number, profile: DiagramRecipe['profile']): DiagramTask[] {
  if (split === 'real') return realTasks().slice(0, count);
  return Array.from({ length: count }, (_, index) =>
    generateTask({ seed: EVALUATION_TASK_SEED, split, index, profile }),
  );
}

async function evaluatePolicy(
  { config, workers, signal, emit }: StageContext,
  name: CheckpointName,
  checkpoint: string,
  parts: readonly Part[],
  before: number,
  totalSteps: number,
): Promise<PolicyEvaluation> {
  const { model, tokenizer } = await loadPolicy(checkpoint);
  const engine = createEngine(model, { workers });
  const results: SplitResult[] = [];
  const drawings: Drawing[] = [];
  let finished = before;
  try {
    for (const { mode, tasks, samplesPerTask, shown } of parts) {
      const [evaluation] = await evaluate<DiagramTask, DiagramEpisode>({
        engine,
        tokenizer,
        env: diagramEnvironment({ scorer: scoreDiagram }),
        tasks,
        numGenerations: samplesPerTask,
        temperature: mode === 'greedy' ? 0 : 1,
        maxCompletionLength: config.recipe.evaluation.maxCompletionLength,
        seed: config.seed,
        verify: (task, { canvas, log }) => verifyDiagram(task, canvas, log).success,
        signal,
        onProgress: (done) =>
          emit({
            kind: 'step',
            stage: 'evaluate',
            step: finished + done,
            totalSteps,
            metrics: {},
            note: `${checkpointTitles[name]} on ${tasks[0]?.split ?? ''}, ${mode}`,
          }),
      });
      finished += tasks.length;
      if (evaluation === undefined) continue;
      results.push(withoutEpisodes(evaluation, mode));
      drawings.push(...drawingsOf(evaluation, tasks.slice(0, shown)));
    }
  } finally {
    engine.dispose();
    disposeModel(model);
  }
  return { results, drawings };
}

function withoutEpisodes({ perTask, ...summary }: SplitEvaluation, mode: Mode): SplitResult {
  return {
    ...summary,
    mode,
    perTask: perTask.map(({ taskId, success, reward }) => ({ taskId, success, reward })),
  };
}

function drawingsOf({ perTask }: SplitEvaluation<DiagramEpisode>, tasks: readonly DiagramTask[]): Drawing[] {
  return tasks.flatMap((task, i) => {
    const result = perTask[i];
    const world = result?.worlds[0];
    if (result === undefined || world === undefined) return [];
    const request = task.requests.join(' / ');
    const readable = world.log.parsed ? { canvas: world.canvas } : {};
    return { request, ...readable, reward: result.reward, success: result.success === 1 };
  });
}

function policyPath(run: string, name: CheckpointName): string {
  return join(run, 'evaluation', `${name}.json`);
}
