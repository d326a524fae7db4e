import { overSeeds, type OverSeeds, type Proportion } from '../../eval/index.js';
import {
  checkpointNames,
  gainOf,
  type CheckpointName,
  type Gain,
  type RunEvaluation,
  type SplitResult,
} from './evaluation.js';
import type { MetricsRecord } from './metrics-log.node.js';
import type { RunConfig, StageRecords } from './run-folder.node.js';

/** One GRPO step of one run. */
export interface CurvePoint {
  readonly step: number;
  /** Mean of the reward that was climbed. */
  readonly reward: number;
  readonly success: number;
}

/** What is kept of a run. */
export interface RecordedRun {
  readonly seed: number;
  readonly seconds: number;
  readonly peakMemory: number;
  readonly results: Readonly<Partial<Record<CheckpointName, readonly RecordedResult[]>>>;
  readonly gain?: Gain;
  readonly curve: readonly CurvePoint[];
}

export type RecordedResult = Pick<
  SplitResult,
  'split' | 'mode' | 'tasks' | 'samplesPerTask' | 'success' | 'reward' | 'passAt' | 'meanLength'
> & { readonly parsed?: Proportion; readonly validActions?: Proportion; readonly verified?: Proportion };

export interface ExperimentResults {
  readonly hypothesis: string;
  /** Of the first arm and seed. */
  readonly recipe: RunConfig['recipe'];
  readonly versions: RunConfig['versions'];
  /** Runs by the name of their arm. */
  readonly arms: Readonly<Record<string, readonly RecordedRun[]>>;
  /** The headline split of every arm and policy, over seeds. */
  readonly summary: readonly SummaryRow[];
}

export interface SummaryRow {
  readonly arm: string;
  readonly policy: CheckpointName;
  readonly parsed: OverSeeds;
  readonly validActions: OverSeeds;
  readonly success: OverSeeds;
  readonly reward: OverSeeds;
}

/** What to keep of a finished run. */
export function recordRun(
  { seed }: RunConfig,
  stages: StageRecords,
  metrics: readonly MetricsRecord[],
  evaluation: RunEvaluation,
): RecordedRun {
  const records = Object.values(stages);
  const gain = gainOf(evaluation);
  return {
    seed,
    seconds: records.reduce((sum, { seconds }) => sum + seconds, 0),
    peakMemory: Math.max(...records.map(({ peakMemory }) => peakMemory)),
    results: Object.fromEntries(
      Object.entries(evaluation).map(([name, { results }]) => [name, results.map(recordResult)]),
    ),
    ...(gain && { gain }),
    curve: metrics
      .filter(({ stage }) => stage === 'grpo')
      .map(({ step, metrics: m }) => ({
        step,
        reward: m['reward'] ?? 0,
        success: m['rewards/success/mean'] ?? 0,
      })),
  };
}

function recordResult({ perTask: _, metrics: __, clippedRatio: ___, ...kept }: SplitResult): RecordedResult {
  return kept;
}

/** The headline numbers of all arms, over seeds. */
export function summarize(recorded: ExperimentResults['arms']): SummaryRow[] {
  return Object.entries(recorded).flatMap(([arm, runs]) =>
    checkpointNames.flatMap((policy) => {
      const results = runs.flatMap((run) => run.results[policy]?.find(isHeadline) ?? []);
      if (results.length === 0) return [];
      const of = (pick: (result: RecordedResult) => number): OverSeeds => overSeeds(results.map(pick));
      return {
        arm,
        policy,
        parsed: of(({ parsed }) => parsed?.value ?? 0),
        validActions: of(({ validActions }) => validActions?.value ?? 0),
        success: of(({ success }) => success.value),
        reward: of(({ reward }) => reward),
      };
    }),
  );
}

function isHeadline({ split, mode }: RecordedResult): boolean {
  return split === 'id' && mode === 'sampled';
}
