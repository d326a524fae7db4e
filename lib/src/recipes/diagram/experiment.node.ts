import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../files.node.js';
import type { RunEvaluation } from './evaluation.js';
import type { RunEvent } from './events.js';
import { recordRun, summarize, type ExperimentResults, type RecordedRun } from './experiment.js';
import { drawFigures, experiments, type ExperimentName } from './experiments.js';
import { readMetrics, appendMetrics } from './metrics-log.node.js';
import { recipeFor } from './recipe.js';
import { describeRun, runDiagram } from './run.node.js';
import {
  createRun,
  finishedStages,
  json,
  markFinished,
  openRun,
  parseJson,
  runFolder,
  type RunConfig,
  type RunFolder,
} from './run-folder.node.js';

export interface ExperimentOptions {
  readonly name: ExperimentName;
  readonly seeds: readonly number[];
  /** Arms to run. */
  readonly only: readonly string[];
  readonly quick: boolean;
  /** Where the runs lie. */
  readonly out: string;
  /** Folder for `<name>.json` and the figures. */
  readonly results: string;
  readonly base: string;
  /** Threads to compute with; they change no result. */
  readonly workers: number;
  readonly signal: AbortSignal;
  readonly onRun: (name: string) => void;
  readonly emit: (event: RunEvent) => void;
}

/**
 * Runs every arm with every seed and records what came out; runs that are finished are not run again. Returns false when it
 * was asked to stop, after which the same call goes on.
 */
export async function runExperiment(options: ExperimentOptions): Promise<boolean> {
  const { name, seeds, only, base, workers, signal, emit } = options;
  const shared = { base, workers, signal, emit };
  const recorded: Record<string, RecordedRun[]> = {};
  let reference: RunConfig | undefined;
  for (const seed of seeds) {
    for (const arm of Object.keys(experiments[name].arms).filter((arm) => only.includes(arm))) {
      const { folder, config } = await openArm(options, seed, arm);
      options.onRun(config.name);
      if (!(await runDiagram({ folder, config, ...shared }))) return false;
      (recorded[arm] ??= []).push(
        recordRun(config, finishedStages(folder), readMetrics(folder.metrics), evaluationOf(folder)),
      );
      reference ??= config;
    }
  }
  if (reference !== undefined) writeResults(options, reference, recorded);
  return true;
}

function evaluationOf(folder: RunFolder): RunEvaluation {
  return parseJson(folder.evaluation) as RunEvaluation;
}

function writeResults(
  { name, results: dir }: ExperimentOptions,
  { recipe, versions }: RunConfig,
  arms: ExperimentResults['arms'],
): void {
  const { hypothesis } = experiments[name];
  const results: ExperimentResults = { hypothesis, recipe, versions, arms, summary: summarize(arms) };
  writeFileAtomic(join(dir, `${name}.json`), json(results));
  for (const [file, svg] of Object.entries(drawFigures(name, results))) writeFileAtomic(join(dir, file), svg);
}

/** The run of an arm; a new one takes over the stages that it shares with a finished default run. */
export async function openArm(
  { name, out, quick }: Pick<ExperimentOptions, 'name' | 'out' | 'quick'>,
  seed: number,
  arm: string,
): Promise<{ folder: RunFolder; config: RunConfig }> {
  const path = join(out, runName(arm, seed, quick));
  if (existsSync(runFolder(path).config)) return openRun(path);
  const recipe = recipeFor({ quick, ...experiments[name].arms[arm] });
  const config = await describeRun(runName(arm, seed, quick), seed, recipe);
  const folder = createRun(out, config);
  takeOver(runFolder(join(out, runName('default', seed, quick))), folder, config);
  return { folder, config };
}

function runName(arm: string, seed: number, quick: boolean): string {
  return `experiment-${quick ? 'quick-' : ''}${arm.replaceAll(' ', '-')}-seed${seed}`;
}

/** Stages before GRPO are the same in all arms of a seed: they are copied, not computed again. */
function takeOver(from: RunFolder, to: RunFolder, { recipe }: RunConfig): void {
  if (finishedStages(from).evaluate === undefined || from.path === to.path) return;
  copy(join(from.path, 'evaluation', 'base.json'), join(to.path, 'evaluation', 'base.json'));
  if (recipe.grpoFrom === 'base') return;
  copy(join(from.path, 'evaluation', 'sft.json'), join(to.path, 'evaluation', 'sft.json'));
  copy(from.checkpoint('sft'), to.checkpoint('sft'));
  copy(from.trajectories, to.trajectories);
  for (const record of readMetrics(from.metrics))
    if (record.stage === 'sft') appendMetrics(to.metrics, record);
  for (const stage of ['teacher', 'sft'] as const) {
    const record = finishedStages(from)[stage];
    if (record !== undefined) markFinished(to, stage, record);
  }
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
}
