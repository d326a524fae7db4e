/** The experiments on the diagram recipe: what each varies, why, and how its curves are drawn. */
import { lineChart, standaloneSvg, trailingMean, type Point, type Series } from '../../display/index.js';
import { overSeeds } from '../../eval/index.js';
import type { ExperimentResults, RecordedRun } from './experiment.js';
import type { RecipeOptions } from './recipe.js';

export const experimentNames = ['diagram', 'diagram-sweep'] as const;
export type ExperimentName = (typeof experimentNames)[number];

export interface Experiment {
  readonly description: string;
  /** What is expected, written before it is measured. */
  readonly hypothesis: string;
  /** Runs that differ from `default` in one thing each. It comes first: the others take over what they share with it. */
  readonly arms: Readonly<Record<string, RecipeOptions>> & { readonly default: RecipeOptions };
  readonly seeds: readonly number[];
  readonly figures: Readonly<Record<string, Figure>>;
}

interface Figure {
  readonly title: string;
  readonly description: string;
  readonly lines: readonly Line[];
}

/** What is drawn of one arm, and what it is called. */
type Line = readonly [name: string, arm: string, key: 'reward' | 'success'];

const sweepArms = {
  default: {},
  'learning rate 2.5e-5': { grpo: { learningRate: 2.5e-5 } },
  'learning rate 2.5e-4': { grpo: { learningRate: 2.5e-4 } },
  'scaleRewards none': { grpo: { scaleRewards: 'none' } },
  'no warm-up': { grpo: { warmupSteps: 0 } },
  '8 prompts': { grpo: { promptsPerStep: 8 } },
} as const satisfies Record<string, RecipeOptions>;

export const experiments: Readonly<Record<ExperimentName, Experiment>> = {
  diagram: {
    description:
      'the default run, the same with the naive reward (hacking), and GRPO straight from the base (why SFT comes first)',
    hypothesis:
      'GRPO after SFT raises success by 12 points and reward by 0.06 or more; with the naive reward that reward rises and success does not; from the base both stay near zero.',
    arms: { default: {}, naive: { reward: 'naive' }, 'from-base': { grpoFrom: 'base' } },
    seeds: [1, 2, 3],
    figures: {
      'learning.svg': {
        title: 'GRPO with the structure-gated reward',
        description: 'Reward and success of the samples',
        lines: [
          ['success', 'default', 'success'],
          ['reward', 'default', 'reward'],
        ],
      },
      'hacking.svg': {
        title: 'GRPO with the naive reward',
        description: 'The naive reward that is climbed, and success',
        lines: [
          ['success', 'naive', 'success'],
          ['naive reward', 'naive', 'reward'],
        ],
      },
      'sft-first.svg': {
        title: 'GRPO with and without SFT before it',
        description: 'Success of the samples',
        lines: [
          ['after SFT', 'default', 'success'],
          ['from the base', 'from-base', 'success'],
        ],
      },
    },
  },
  'diagram-sweep': {
    description:
      'GRPO of the default run with one setting changed at a time: what makes it climb or collapse',
    hypothesis:
      'The learning rate decides: a third of it climbs slower, three times as much destroys what SFT built.',
    arms: sweepArms,
    seeds: [1],
    figures: {
      'diagram-sweep.svg': {
        title: 'GRPO at three learning rates',
        description: 'Success of the samples',
        lines: [
          ['2.5e-5', 'learning rate 2.5e-5', 'success'],
          ['8e-5', 'default', 'success'],
          ['2.5e-4', 'learning rate 2.5e-4', 'success'],
        ],
      },
    },
  },
};

const WINDOW = 10;

/** Figures by file name: standalone SVGs with the mean over seeds and their range. Those without a run are left out. */
export function drawFigures(name: ExperimentName, { arms }: ExperimentResults): Record<string, string> {
  return Object.fromEntries(
    Object.entries(experiments[name].figures).flatMap(([file, { title, description, lines }]) => {
      const series = lines.flatMap(([name, arm, key]): Series[] => {
        const points = acrossSeeds(arms[arm] ?? [], key);
        return points.length === 0 ? [] : [{ name, points }];
      });
      if (series.length === 0) return [];
      const chart = lineChart({
        title,
        description: `${description}, mean of ${WINDOW} steps, mean and range over seeds.`,
        xLabel: 'GRPO step',
        yLabel: 'share or reward',
        yRange: [0, 1],
        series,
      });
      return [[file, standaloneSvg(chart)]];
    }),
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
