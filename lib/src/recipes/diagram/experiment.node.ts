import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../files.node.js';
import type { RunEvaluation } from './evaluation.js';
import type { RunEvent } from './events.js';
import {
  armNames,
  arms,
  figures,
  recordRun,
  summarize,
  type ArmName,
  type ExperimentResults,
  type RecordedRun,
} from './experiment.js';
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
  readonly seeds: readonly number[];
  readonly only: readonly ArmName[];
  readonly quick: boolean;
  /** Where the runs lie. */
  readonly out: string;
  /** Folder for `diagram.json` and the figures. */
  readonly results: string;
  readonly base: string;
  readonly signal: AbortSignal;
  readonly onRun: (name: string) => void;
  readonly emit: (event: RunEvent) => void;
}

/**
 * Runs every arm with every seed and records what came out; runs that are finished are not run again. Returns false when it
 * was asked to stop, after which the same call goes on.
 */
export async function runExperiment(options: ExperimentOptions): Promise<boolean> {
  const { seeds, only, signal } = options;
  const recorded: Partial<Record<ArmName, RecordedRun[]>> = {};
  let reference: RunConfig | undefined;
  for (const seed of seeds) {
    for (const arm of armNames.filter((name) => only.includes(name))) {
      const { folder, config } = await openArm(options, seed, arm);
      options.onRun(config.name);
      if (!(await runDiagram({ folder, config, base: options.base, signal, emit: options.emit })))
        return false;
      (recorded[arm] ??= []).push(
        recordRun(config, finishedStages(folder), readMetrics(folder.metrics), evaluationOf(folder)),
      );
      reference ??= config;
    }
  }
  if (reference !== undefined) writeResults(options.results, reference, recorded);
  return true;
}

function evaluationOf(folder: RunFolder): RunEvaluation {
  return parseJson(folder.evaluation) as RunEvaluation;
}

function writeResults(
  dir: string,
  { recipe, versions }: RunConfig,
  recorded: ExperimentResults['arms'],
): void {
  const results: ExperimentResults = { recipe, versions, arms: recorded, summary: summarize(recorded) };
  writeFileAtomic(join(dir, 'diagram.json'), json(results));
  for (const [name, svg] of Object.entries(figures(results))) writeFileAtomic(join(dir, name), svg);
}

async function openArm(
  { out, quick }: ExperimentOptions,
  seed: number,
  arm: ArmName,
): Promise<{ folder: RunFolder; config: RunConfig }> {
  const nameOf = (name: ArmName): string => `experiment-${quick ? 'quick-' : ''}${name}-seed${seed}`;
  const path = join(out, nameOf(arm));
  if (existsSync(runFolder(path).config)) return openRun(path);
  const config = await describeRun(nameOf(arm), seed, recipeFor({ quick, ...arms[arm] }));
  const folder = createRun(out, config);
  takeOver(runFolder(join(out, nameOf('default'))), folder, config);
  return { folder, config };
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
