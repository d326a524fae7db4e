import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../files.node.js';
import { recipeSchema, stageNames, type DiagramRecipe, type StageName } from './recipe.js';

/** What a run is: everything that decides its numbers. Stands in `config.json`. */
export interface RunConfig {
  readonly pipeline: 'diagram';
  readonly name: string;
  readonly seed: number;
  readonly recipe: DiagramRecipe;
  /** The file that the teacher's answers were taken from; absent when the run's own teacher gave them. */
  readonly trajectories?: string | undefined;
  /** Versions of what computed it, e.g. `posttrain`, `node`, `backend`. */
  readonly versions: Readonly<Record<string, string>>;
}

const configSchema = z.strictObject({
  pipeline: z.literal('diagram'),
  name: z.string(),
  seed: z.int().min(0),
  recipe: recipeSchema,
  trajectories: z.string().optional(),
  versions: z.record(z.string(), z.string()),
});

/** Where everything of a run lies. */
export interface RunFolder {
  readonly path: string;
  readonly config: string;
  readonly stages: string;
  readonly metrics: string;
  readonly completions: string;
  readonly trajectories: string;
  readonly evaluation: string;
  readonly report: string;
  /** Hugging Face layout, written when the stage is finished. */
  checkpoint(stage: 'sft' | 'grpo'): string;
  /** What the stage needs to go on after a break; removed when it is finished. */
  trainerState(stage: 'sft' | 'grpo'): string;
}

export function runFolder(path: string): RunFolder {
  const inside = (...parts: string[]): string => join(path, ...parts);
  return {
    path,
    config: inside('config.json'),
    stages: inside('stages.json'),
    metrics: inside('metrics.jsonl'),
    completions: inside('completions'),
    trajectories: inside('teacher', 'trajectories.jsonl'),
    evaluation: inside('evaluation.json'),
    report: inside('report.html'),
    checkpoint: (stage) => inside(stage),
    trainerState: (stage) => inside(stage, 'trainer-state.safetensors'),
  };
}

/** Starts a new run's folder. Throws when the name is taken. */
export function createRun(out: string, config: RunConfig): RunFolder {
  requireFileName(config.name);
  const folder = runFolder(join(out, config.name));
  if (existsSync(folder.config)) {
    throw new Error(
      `${folder.path} exists already; go on with it by adding --resume, or choose another --name`,
    );
  }
  mkdirSync(folder.path, { recursive: true });
  writeFileAtomic(folder.config, json(config));
  return folder;
}

/** Opens an existing run. Throws when it is missing or its config cannot be read. */
export function openRun(path: string): { readonly folder: RunFolder; readonly config: RunConfig } {
  const folder = runFolder(path);
  if (!existsSync(folder.config)) {
    throw new Error(
      `${path} is not a run: it has no config.json; start one without --resume, or check --name and --out`,
    );
  }
  const result = configSchema.safeParse(parseJson(folder.config));
  if (!result.success) {
    const [problem] = result.error.issues;
    throw new Error(
      `${folder.config}: ${problem?.path.join('.') ?? ''}: ${problem?.message}; it was written by another version or edited, so start a new run`,
    );
  }
  return { folder, config: result.data };
}

/** What a finished stage cost. */
export interface StageRecord {
  /** Wall-clock time in the process that finished it; what an earlier one did before a break is not counted. */
  readonly seconds: number;
  /** Highest resident memory of the process so far, bytes. */
  readonly peakMemory: number;
}

export type StageRecords = Partial<Record<StageName, StageRecord>>;

export function finishedStages(folder: RunFolder): StageRecords {
  return existsSync(folder.stages) ? (parseJson(folder.stages) as StageRecords) : {};
}

export function markFinished(folder: RunFolder, stage: StageName, record: StageRecord): void {
  writeFileAtomic(folder.stages, json({ ...finishedStages(folder), [stage]: record }));
}

export function isFinished(folder: RunFolder): boolean {
  const finished = finishedStages(folder);
  return stageNames.every((stage) => finished[stage] !== undefined);
}

/** Runs in `out`, the one touched last first. */
export function listRuns(out: string): RunFolder[] {
  if (!existsSync(out)) return [];
  return readdirSync(out)
    .map((name) => runFolder(join(out, name)))
    .filter((folder) => existsSync(folder.config))
    .map((folder) => ({
      folder,
      touched: statSync(existsSync(folder.stages) ? folder.stages : folder.config).mtimeMs,
    }))
    .sort((a, b) => b.touched - a.touched)
    .map(({ folder }) => folder);
}

/** `diagram-1`, `diagram-2`, …: the first that is free; quick runs are counted by themselves, as `diagram-quick-1`, …. */
export function nextRunName(out: string, quick: boolean): string {
  for (let i = 1; ; i += 1) {
    const name = `diagram-${quick ? 'quick-' : ''}${i}`;
    if (!existsSync(join(out, name))) return name;
  }
}

/** Reads JSON. Throws with the path and the remedy when it is damaged. */
export function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`${resolve(path)} is damaged (${error.message}); remove it and run the command again`);
  }
}

/** As people and `diff` like it. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function requireFileName(name: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new Error(
      `run name ${JSON.stringify(name)} must be 1 to 64 letters, digits, dots, dashes or underscores, starting with a letter or digit`,
    );
  }
}
