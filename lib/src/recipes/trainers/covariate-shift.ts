/** Small errors add up where one learns from another's games, and only add where one learns from one's own. */
import { lineChart, standaloneSvg, type Series } from '../../display/index.js';
import { mean } from '../../losses/index.js';
import { expectedReturns } from '../../tabular/index.js';
import type { Claim, CurvePoint, Experiment, Measured, Measurements, Progress } from './experiment.js';
import { errorOnPath, forest, learnThePath, lessons, walkerPolicy } from './forest-path.js';
import { measured, shareColumn } from './measurements.js';

interface Settings {
  /** How often the expert is heard, by every walker: once a move of its walks, which are as long as the one it is judged by. */
  readonly labels: number;
}

type Name = keyof typeof lessons;
const names = Object.keys(lessons) as Name[];
const onPolicy = ['DAgger', 'OPD'] as const satisfies readonly Name[];

/** Moves of a walk: for each, a walker of its own. */
const HORIZONS = [8, 16, 32, 64, 128] as const;
const LONGEST = HORIZONS[HORIZONS.length - 1] as number;

export const covariateShift: Experiment<Settings> = {
  name: 'covariate-shift',
  description:
    'SFT on an expert’s walks against learning from one’s own: cost against the length of the walk',
  hypothesis:
    'Where the expert walks, SFT errs no more often than who learns from their own walks. But where the expert never was, it does not know the way back, so that ' +
    'its cost grows faster with the length of the walk than in proportion (an exponent above 1.3), that of DAgger and on-policy distillation in proportion (0.85 to 1.15).',
  seeds: [1, 2, 3, 4, 5],
  settings: { full: { labels: 2560 }, quick: { labels: 1280 } },
  columns: {
    error: shareColumn('errs on the path', percent),
    short: { header: `cost of ${HORIZONS[0]} moves`, format: (value) => value.toFixed(2) },
    long: { header: `cost of ${LONGEST} moves`, format: (value) => value.toFixed(1) },
    exponent: { header: 'exponent', format: (value) => value.toFixed(2) },
  },
  measure,
  claims,
  remarks: [
    'A walk costs 1 for each move that ends off the path; costs are computed over all that can happen, not sampled. The expert’s are 0.',
    'Every walker hears the expert 2,560 times. A softmax is never certain, so each errs now and then; all that differs is what it has seen when it has erred.',
    'With half as often DAgger’s exponent is 1.12 (1.09 to 1.16 over the seeds): off the path it has not yet learned enough.',
    'Who learns on policy must walk as far as it will be judged by: after walks of 8 moves DAgger’s exponent over 8 to 128 moves was 1.4.',
    'The exponent is the slope of log cost over log moves. Ross and Bagnell (2010) bound it by 2 for behaviour cloning, by 1 for who learns on policy.',
    'A table does not generalise: a place that was never seen is played at random. A network guesses there, which may be better or worse.',
  ],
  figures: ({ curves }) => {
    const chart = lineChart({
      title: 'Moves off the path against moves made',
      description:
        'Expected moves off the path: those of SFT on the expert’s walks grow faster and faster, those of who learned from their own walks in proportion.',
      xLabel: 'moves',
      yLabel: 'moves off the path',
      series: Object.entries(curves['cost'] ?? {}).map(([name, points]): Series => ({ name, points })),
      width: 620,
    });
    return { 'covariate-shift.svg': standaloneSvg(chart) };
  },
};

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

async function* measure(seed: number, { labels }: Settings): AsyncGenerator<Progress, Measured, void> {
  const arms: Record<string, Readonly<Record<string, number>>> = {};
  const cost: Record<string, readonly CurvePoint[]> = {};
  for (const [done, name] of names.entries()) {
    yield { done, total: names.length, note: name };
    const walkers = HORIZONS.map((moves) => {
      const woods = forest(seed, moves);
      const walker = learnThePath(woods, lessons[name], labels / moves, seed);
      const returns = expectedReturns(woods.process, walkerPolicy(woods, walker), moves);
      return { x: moves, y: -(returns.at(-1) as number), error: errorOnPath(woods, walker) };
    });
    cost[name] = walkers.map(({ x, y }) => ({ x, y }));
    arms[name] = {
      error: mean(walkers.map(({ error }) => error)),
      short: walkers[0]?.y as number,
      long: walkers.at(-1)?.y as number,
      exponent: slope(walkers.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }))),
    };
  }
  return { arms, curves: { cost } };
}

/** Of the straight line through the points, by least squares. */
function slope(points: readonly CurvePoint[]): number {
  const centre = (of: (point: CurvePoint) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [centre((point) => point.x), centre((point) => point.y)];
  const product = (of: (point: CurvePoint) => number): number =>
    points.reduce((sum, point) => sum + (point.x - x) * of(point), 0);
  return product((point) => point.y - y) / product((point) => point.x - x);
}

function claims(results: Measurements): Claim[] {
  const exponent = (name: Name): ReturnType<typeof measured> => measured(results, name, 'exponent');
  const cloned = exponent('SFT');
  const errors = (name: Name): readonly number[] => measured(results, name, 'error').values;
  const long = (name: Name): number => measured(results, name, 'long').mean;
  return [
    {
      claim: 'on the path SFT errs no more often than DAgger, every seed',
      holds: errors('SFT').every((error, seed) => error <= (errors('DAgger')[seed] as number)),
      measured: `${percent(measured(results, 'SFT', 'error').mean)} and ${percent(measured(results, 'DAgger', 'error').mean)}`,
    },
    {
      claim: 'the cost of SFT grows with an exponent above 1.3, every seed',
      holds: cloned.min > 1.3,
      measured: `${cloned.min.toFixed(2)} to ${cloned.max.toFixed(2)}`,
    },
    ...onPolicy.map((name) => ({
      claim: `that of ${name} grows in proportion, exponent 0.85 to 1.15, every seed`,
      holds: exponent(name).min >= 0.85 && exponent(name).max <= 1.15,
      measured: `${exponent(name).min.toFixed(2)} to ${exponent(name).max.toFixed(2)}`,
    })),
    {
      claim: `after ${LONGEST} moves SFT has cost three times as much as DAgger, or more`,
      holds: long('SFT') >= 3 * long('DAgger'),
      measured: `${long('SFT').toFixed(1)} and ${long('DAgger').toFixed(1)}`,
    },
  ];
}
