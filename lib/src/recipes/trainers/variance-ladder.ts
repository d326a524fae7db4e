/** How noisy is each estimate of the same gradient, and of which gradient is it an estimate at all? */
import { dotPlot, lineChart, short, standaloneSvg } from '../../display/index.js';
import { type GRPOConfig, grpoPresets } from '../../trainers/index.js';
import {
  exactGradient,
  lengthGradient,
  mark,
  policyTree,
  PROMPTS,
  quietestBaseline,
  successRate,
  verdict,
} from './bandit.js';
import type { Claim, CurvePoint, Experiment, Measured, Measurements, Progress } from './experiment.js';
import { estimateOften, type Moments } from './gradient-estimates.js';
import { measured } from './measurements.js';
import type { Reply, ReplyTree } from './reply-tree.js';

interface Settings {
  /** How often each gradient is estimated. */
  readonly estimates: number;
  /** Samples of each of the four prompts in one estimate. */
  readonly numGenerations: number;
  /** Steps in which the policy learns what it says before it is measured. */
  readonly pretrainingSteps: number;
}

interface Estimator {
  readonly config: Partial<GRPOConfig>;
  /** What its mean is of the exact gradient, as a function of samples a prompt and of prompts; absent where it is no multiple of it. */
  readonly share?: (samples: number, prompts: number) => number;
}

const { drGrpo, rloo } = grpoPresets;
const estimators = {
  REINFORCE: { config: { ...grpoPresets.reinforce, baseline: 'none' }, share: () => 1 },
  '− mean of the batch': { config: grpoPresets.reinforce, share: (n, prompts) => 1 - 1 / (n * prompts) },
  RLOO: { config: { ...rloo, beta: 0 }, share: () => 1 },
  'Dr. GRPO': { config: drGrpo, share: (n) => 1 - 1 / n },
  'Dr. GRPO / std': { config: { ...drGrpo, scaleRewards: 'group' } },
  'Dr. GRPO / length': { config: { ...drGrpo, lossType: 'grpo' } },
  GRPO: { config: { ...grpoPresets.grpo, beta: 0 } },
} as const satisfies Record<string, Estimator>;
type Name = keyof typeof estimators;
const names = Object.keys(estimators) as Name[];

export const varianceLadder: Experiment<Settings> = {
  name: 'variance-ladder',
  description:
    'noise and bias of REINFORCE, RLOO, GRPO and Dr. GRPO against the exact gradient, at equal samples',
  hypothesis:
    'Noise: REINFORCE > mean of the batch > RLOO = Dr. GRPO. These four are unbiased, up to (n − 1)/n where the own sample is in the mean. ' +
    'GRPO is not: dividing by the deviation favours prompts that are very easy or very hard, dividing by the length favours long wrong replies.',
  seeds: [1, 2, 3, 4, 5],
  settings: {
    full: { estimates: 3000, numGenerations: 8, pretrainingSteps: 150 },
    quick: { estimates: 600, numGenerations: 8, pretrainingSteps: 80 },
  },
  columns: {
    variance: { header: 'variance', format: short },
    varianceOfMarks: { header: '… of marks', format: short },
    noise: { header: 'noise / signal', format: (value) => value.toFixed(1) },
    scale: { header: 'scale', format: (value) => value.toFixed(3) },
    bias: { header: 'bias, s.e.', format: (value) => value.toFixed(1) },
    angle: { header: 'angle', format: (value) => `${value.toFixed(0)}°` },
    wrongLength: { header: 'wrong length', format: (value) => value.toFixed(2) },
  },
  measure,
  claims,
  remarks: [
    'Variance: trace of the covariance, after the mean was scaled to the exact gradient’s size. Noise / signal: the same over the squared length of the mean.',
    'Bias: distance of the mean of all estimates from the exact gradient (times its share, or the best multiple where there is none) over its standard error; about 1 without bias.',
    'Wrong length: by how many tokens wrong replies grow, per unit step along the mean estimate.',
    'With rewards of 0 or 1 the ladder’s last step goes the other way. A prompt’s own mean has the noise of seven samples, and is no better aimed: what is rare has the larger gradient, so that the quietest baseline lies between the prompt’s success rate and the mean of all. Where prompts start from different marks, the prompt’s own mean is what is needed.',
    'RLOO and Dr. GRPO are one estimate: r − mean is (n − 1)/n times r − mean of the others, sample by sample.',
  ],
  figures,
};

async function* measure(seed: number, settings: Settings): AsyncGenerator<Progress, Measured, void> {
  const total = names.length + 1;
  yield { done: 0, total, note: 'pre-training, then all replies' };
  const tree = await policyTree(seed, settings.pretrainingSteps);
  const exact = exactGradient(tree);
  const arms: Record<string, Record<string, number>> = {};
  const difficulty: Record<string, CurvePoint[]> = {};
  for (const [index, name] of names.entries()) {
    yield { done: index + 1, total, note: name };
    const { config, share }: Estimator = estimators[name];
    const options = { seed, ...settings, preset: config };
    const moments = estimateOften(tree, { ...options, reward: verdict });
    arms[name] = {
      ...compare(tree, exact, moments, share?.(settings.numGenerations, PROMPTS.length)),
      varianceOfMarks: varianceOf(tree, exact, estimateOften(tree, { ...options, reward: mark })),
    };
    difficulty[name] = promptWeights(tree, exact, moments.mean);
  }
  difficulty['predicted / std'] = relative(
    tree.replies.map((replies, prompt) =>
      deviationWeight(successRate(replies, prompt), settings.numGenerations),
    ),
  );
  const baselines = {
    'success rate': PROMPTS.map(({ right }, prompt) => ({
      x: right,
      y: successRate(tree.replies[prompt] as readonly Reply[], prompt),
    })),
    'least variance': PROMPTS.map(({ right }, prompt) => ({ x: right, y: quietestBaseline(tree, prompt) })),
  };
  return { arms, curves: { difficulty, baselines } };
}

/** Trace of the covariance, when the estimate is as long as the exact gradient on average. */
function varianceOf(tree: ReplyTree, exact: Float64Array, { mean, trace }: Moments): number {
  return trace * (tree.product(exact, exact) / tree.product(mean, exact)) ** 2;
}

/** What an estimator is like, in units of the exact gradient. */
function compare(
  tree: ReplyTree,
  exact: Float64Array,
  { count, mean, trace }: Moments,
  share: number | undefined,
): Record<string, number> {
  const [ofMean, ofExact, both] = [
    tree.product(mean, mean),
    tree.product(exact, exact),
    tree.product(mean, exact),
  ];
  const scale = both / ofExact;
  const expected = share ?? scale;
  const difference = mean.map((coefficient, token) => coefficient - expected * (exact[token] as number));
  const towards = (gradient: Float64Array): number => tree.product(gradient, mean) / Math.sqrt(ofMean);
  return {
    variance: varianceOf(tree, exact, { count, mean, trace }),
    noise: trace / ofMean,
    scale,
    bias: Math.sqrt(tree.product(difference, difference) / (trace / count)),
    angle: (Math.acos(Math.min(1, both / Math.sqrt(ofMean * ofExact))) * 180) / Math.PI,
    wrongLength: towards(lengthGradient(tree, 0)),
    rightLength: towards(lengthGradient(tree, 1)),
  };
}

/** How much each prompt's own gradient counts, relative to the mean over prompts; without bias all count 1. */
function promptWeights(tree: ReplyTree, exact: Float64Array, mean: Float64Array): CurvePoint[] {
  const weights = tree.replies.map((replies) => {
    const own = new Set(replies.flatMap(({ path }) => path));
    const ownExact = exact.map((coefficient, token) => (own.has(token) ? coefficient : 0));
    const ownMean = mean.map((coefficient, token) => (own.has(token) ? coefficient : 0));
    return tree.product(ownMean, ownExact) / tree.product(ownExact, ownExact);
  });
  return relative(weights);
}

/**
 * What dividing by the group's deviation must do to a prompt of success rate p: with k of n right,
 * `Σᵢ Aᵢ ∇log πᵢ / n = q (1 − q) / s · (∇ of a right reply − ∇ of a wrong one)` with `q = k/n` and `s = √(q (1 − q) n / (n − 1))`,
 * where the exact gradient has p (1 − p).
 */
function deviationWeight(p: number, n: number): number {
  let expected = 0;
  let probability = (1 - p) ** n;
  for (let k = 0; k <= n; k += 1) {
    const q = k / n;
    expected += probability * Math.sqrt((q * (1 - q) * (n - 1)) / n);
    probability *= ((n - k) / (k + 1)) * (p / (1 - p));
  }
  return expected / (p * (1 - p));
}

function relative(weights: readonly number[]): CurvePoint[] {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  return weights.map((weight, prompt) => ({ x: PROMPTS[prompt]?.right as number, y: weight / mean }));
}

function claims(results: Measurements): Claim[] {
  const of = (name: Name, measure: string): number => measured(results, name, measure).mean;
  const worst = (name: Name, measure: string): number => measured(results, name, measure).max;
  const ladder = ['REINFORCE', '− mean of the batch', 'RLOO', 'Dr. GRPO'] as const;
  const [reinforce = 0, batch = 0, leaveOneOut = 0, group = 0] = ladder.map((name) => of(name, 'variance'));
  const marks = ladder.map((name) => of(name, 'varianceOfMarks'));
  const unbiased = names.filter((name) => 'share' in estimators[name]);
  const weight = (name: string, prompt: number): number =>
    results.curves['difficulty']?.[name]?.[prompt]?.y ?? 0;
  const line = (name: string, prompt: number): number =>
    results.curves['baselines']?.[name]?.[prompt]?.y ?? 0;
  const baseline = (prompt: number): number => line('least variance', prompt);
  const successOf = (prompt: number): number => line('success rate', prompt);
  const predicted = PROMPTS.map(
    (_, prompt) => weight('Dr. GRPO / std', prompt) / weight('predicted / std', prompt),
  );
  const range = (values: readonly number[]): string => values.map((value) => value.toFixed(2)).join(', ');
  return [
    {
      claim: 'variance: REINFORCE > mean of the batch > RLOO, rewards 0 or 1',
      holds: reinforce > batch && batch > leaveOneOut,
      measured: [reinforce, batch, leaveOneOut].map(short).join(', '),
    },
    {
      claim: 'the same with marks that start elsewhere for each prompt',
      holds: marks.every((variance, i) => i === 0 || i === 3 || variance < (marks[i - 1] as number)),
      measured: marks.slice(0, 3).map(short).join(', '),
    },
    {
      claim:
        'the quietest baseline is nearer to the mean of all than the success rate is, for the easiest and the hardest prompt',
      holds: baseline(0) < successOf(0) && baseline(3) > successOf(3),
      measured: `success rates ${range(PROMPTS.map(({ right }) => right))}, quietest baselines ${range(PROMPTS.map((_, prompt) => baseline(prompt)))}`,
    },
    {
      claim: 'RLOO and Dr. GRPO are the same estimate up to its size',
      holds: Math.abs(group / leaveOneOut - 1) < 1e-3,
      measured: `variance ${short(leaveOneOut)} and ${short(group)}`,
    },
    {
      claim: 'these four are unbiased: within 3 standard errors, every seed',
      holds: unbiased.every((name) => worst(name, 'bias') < 3),
      measured: `most ${Math.max(...unbiased.map((name) => worst(name, 'bias'))).toFixed(2)}`,
    },
    {
      claim: 'the own sample in the mean shrinks the gradient to (n − 1)/n = 0.875',
      holds: Math.abs(of('Dr. GRPO', 'scale') - 0.875) < 0.01,
      measured: of('Dr. GRPO', 'scale').toFixed(3),
    },
    {
      claim: 'dividing by the deviation or the length is biased: beyond 3 standard errors, every seed',
      holds: (['Dr. GRPO / std', 'Dr. GRPO / length', 'GRPO'] as const).every(
        (name) => measured(results, name, 'bias').min > 3,
      ),
      measured: (['Dr. GRPO / std', 'Dr. GRPO / length', 'GRPO'] as const)
        .map((name) => of(name, 'bias').toFixed(0))
        .join(', '),
    },
    {
      claim: 'the deviation favours easy and hard prompts, as much as the binomial says (within 5 %)',
      holds:
        weight('Dr. GRPO / std', 0) > weight('Dr. GRPO / std', 1) &&
        weight('Dr. GRPO / std', 3) > weight('Dr. GRPO / std', 2) &&
        predicted.every((ratio) => Math.abs(ratio - 1) < 0.05),
      measured: `weights ${range(PROMPTS.map((_, prompt) => weight('Dr. GRPO / std', prompt)))}`,
    },
    {
      claim: 'without it all prompts count the same (within 5 %)',
      holds: PROMPTS.every((_, prompt) => Math.abs(weight('Dr. GRPO', prompt) - 1) < 0.05),
      measured: `weights ${range(PROMPTS.map((_, prompt) => weight('Dr. GRPO', prompt)))}`,
    },
    {
      claim: 'dividing by the length makes wrong replies longer than the exact gradient does, every seed',
      holds: measured(results, 'Dr. GRPO / length', 'wrongLength').values.every(
        (value, i) => value > (measured(results, 'Dr. GRPO', 'wrongLength').values[i] as number),
      ),
      measured: `${of('Dr. GRPO / length', 'wrongLength').toFixed(2)} tokens a unit step against ${of('Dr. GRPO', 'wrongLength').toFixed(2)}`,
    },
  ];
}

function figures(results: Measurements): Record<string, string> {
  const noise = dotPlot({
    title: 'Noise of one estimate from the same 32 samples',
    description: `Variance over the squared length of the mean, for ${names.join(', ')}.`,
    xLabel: 'variance / squared length of the mean',
    dots: names.map((name) => {
      const { mean, min, max } = measured(results, name, 'noise');
      return { name, value: mean, low: min, high: max };
    }),
  });
  const difficulty = lineChart({
    title: 'How much a prompt counts',
    description:
      'Weight of each prompt’s gradient against its success rate: GRPO’s division by the deviation favours both ends.',
    xLabel: 'success rate of the prompt',
    yLabel: 'weight, mean 1',
    series: ['Dr. GRPO', 'Dr. GRPO / std', 'predicted / std'].map((name) => ({
      name,
      points: results.curves['difficulty']?.[name] ?? [],
    })),
  });
  return { 'variance-ladder.svg': standaloneSvg(noise), 'difficulty.svg': standaloneSvg(difficulty) };
}
