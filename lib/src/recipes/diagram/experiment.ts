import { lineChart, standaloneSvg, trailingMean, type Point, type Series } from '../../display/index.js';
import type { Proportion } from '../../eval/index.js';
import {
  gainOf,
  type CheckpointName,
  type Gain,
  type RunEvaluation,
  type SplitResult,
} from './evaluation.js';
import type { MetricsRecord } from './metrics-log.node.js';
import { overSeeds, type OverSeeds } from './over-seeds.js';
import type { RecipeOptions } from './recipe.js';
import type { RunConfig, StageRecords } from './run-folder.node.js';

/** Runs that differ in one thing each; `default` comes first because the others take over what they share with it. */
export const armNames = ['default', 'naive', 'from-base'] as const;
export type ArmName = (typeof armNames)[number];
export const arms: Readonly<Record<ArmName, RecipeOptions>> = {
  default: {},
  naive: { reward: 'naive' },
  'from-base': { grpoFrom: 'base' },
};

/** One GRPO step of one run. */
export interface CurvePoint {
  readonly step: number;
  /** Mean of the reward that was climbed. */
  readonly reward: number;
  readonly success: number;
}

/** What is kept of a run in `data/results/diagram.json`. */
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
  readonly recipe: RunConfig['recipe'];
  readonly versions: RunConfig['versions'];
  readonly arms: Readonly<Partial<Record<ArmName, readonly RecordedRun[]>>>;
  /** The headline split of every arm and policy, over seeds. */
  readonly summary: readonly SummaryRow[];
}

export interface SummaryRow {
  readonly arm: ArmName;
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
  return armNames.flatMap((arm) =>
    (['base', 'sft', 'grpo'] as const).flatMap((policy) => {
      const results = (recorded[arm] ?? []).flatMap((run) => run.results[policy]?.find(isHeadline) ?? []);
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

const WINDOW = 10;

/** Figures by file name: standalone SVGs with the mean over seeds and their range. */
export function figures({ arms: recorded }: ExperimentResults): Record<string, string> {
  const series = (arm: ArmName, key: 'reward' | 'success', name: string): Series[] => {
    const points = acrossSeeds(recorded[arm] ?? [], key);
    return points.length === 0 ? [] : [{ name, points }];
  };
  const drawn = (title: string, description: string, all: readonly Series[]): string | undefined =>
    all.length === 0
      ? undefined
      : standaloneSvg(
          lineChart({
            title,
            description,
            xLabel: 'GRPO step',
            yLabel: 'share or reward',
            yRange: [0, 1],
            series: all,
          }),
        );
  const figure = {
    'learning.svg': drawn(
      'GRPO with the structure-gated reward',
      `Reward and success of the samples, mean of ${WINDOW} steps, mean and range over seeds.`,
      [...series('default', 'success', 'success'), ...series('default', 'reward', 'reward')],
    ),
    'hacking.svg': drawn(
      'GRPO with the naive reward',
      `The naive reward that is climbed, and success, mean of ${WINDOW} steps, mean and range over seeds.`,
      [...series('naive', 'success', 'success'), ...series('naive', 'reward', 'naive reward')],
    ),
    'sft-first.svg': drawn(
      'GRPO with and without SFT before it',
      `Success of the samples, mean of ${WINDOW} steps, mean and range over seeds.`,
      [...series('default', 'success', 'after SFT'), ...series('from-base', 'success', 'from the base')],
    ),
  };
  return Object.fromEntries(
    Object.entries(figure).flatMap(([name, svg]) => (svg === undefined ? [] : [[name, svg]])),
  );
}

/** The trend of each seed, then mean and range of the trends at each step that all seeds have. */
function acrossSeeds(runs: readonly RecordedRun[], key: 'reward' | 'success'): Point[] {
  const trends = runs.map(({ curve }) =>
    trailingMean(
      curve.map((p) => ({ x: p.step, y: p[key] })),
      WINDOW,
    ),
  );
  const [first = []] = trends;
  return first.flatMap(({ x }, i) => {
    const values = trends.flatMap((trend) => trend[i]?.y ?? []);
    if (values.length < trends.length) return [];
    const { mean, min, max } = overSeeds(values);
    return { x, y: mean, low: min, high: max };
  });
}
