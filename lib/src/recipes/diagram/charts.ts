import { lineChart, trailingMean, type LineChart, type Series } from '../../display/index.js';
import type { MetricsRecord } from './metrics-log.node.js';
import type { StageName } from './recipe.js';

/** Steps over which the trend is averaged. */
const WINDOW = 10;

interface Curve {
  readonly stage: StageName;
  readonly key: string;
  readonly title: string;
  readonly yLabel: string;
  readonly yRange?: LineChart['yRange'];
}

const CURVES: readonly Curve[] = [
  { stage: 'sft', key: 'loss', title: 'SFT: loss', yLabel: 'nats per token' },
  {
    stage: 'sft',
    key: 'mean_token_accuracy',
    title: 'SFT: next token right',
    yLabel: 'share',
    yRange: [0, 1],
  },
  { stage: 'grpo', key: 'reward', title: 'GRPO: reward', yLabel: 'mean of the samples' },
  { stage: 'grpo', key: 'rewards/success/mean', title: 'GRPO: success', yLabel: 'share of the samples' },
  { stage: 'grpo', key: 'kl', title: 'GRPO: distance from the SFT policy', yLabel: 'KL, nats per token' },
  { stage: 'grpo', key: 'entropy', title: 'GRPO: entropy', yLabel: 'nats per token' },
];

/** One chart for every curve that was measured, raw values faint behind their trailing mean. */
export function runCharts(metrics: readonly MetricsRecord[]): string[] {
  return CURVES.flatMap((curve) => {
    const points = metrics
      .filter((record) => record.stage === curve.stage)
      .flatMap(({ step, metrics: { [curve.key]: y } }) => (y === undefined ? [] : [{ x: step, y }]));
    if (points.length === 0) return [];
    const trend = trailingMean(points, WINDOW);
    const name = `mean of ${WINDOW} steps`;
    const series: Series[] = [
      { name: 'each step', behind: name, points },
      { name, points: trend },
    ];
    const [first, last] = [trend[0]!, trend.at(-1)!];
    return lineChart({
      title: curve.title,
      description: `${curve.title} over ${points.length} steps, from ${first.y.toPrecision(3)} to ${last.y.toPrecision(3)} (faint: each step; strong: ${name}).`,
      xLabel: 'step',
      yLabel: curve.yLabel,
      series,
      ...(curve.yRange === undefined ? {} : { yRange: curve.yRange }),
    });
  });
}
