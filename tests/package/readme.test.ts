import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { percent } from 'posttrain/display';
import { checkpointTitles } from 'posttrain/recipes/diagram/evaluation';
import type { ExperimentResults, RecordedRun } from 'posttrain/recipes/diagram/experiment';

/** Tables are aligned by the formatter; what counts is what stands in the cells. */
const readme = readFileSync('README.md', 'utf8').replaceAll(/ +/g, ' ');
const { arms, summary } = JSON.parse(readFileSync('data/results/diagram.json', 'utf8')) as ExperimentResults;
const runs = arms['default'] ?? [];

const sampledSuccess = (run: RecordedRun, policy: 'base' | 'sft' | 'grpo', split: string): number =>
  run.results[policy]?.find((result) => result.split === split && result.mode === 'sampled')?.success.value ??
  0;
const range = ({
  mean,
  min,
  max,
}: {
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}): string => `${percent(mean)} (${(min * 100).toFixed(1)}–${(max * 100).toFixed(1)})`;
const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;

describe('README', () => {
  it('says what was measured, policy by policy', () => {
    for (const { policy, parsed, validActions, success, reward } of summary.filter(
      ({ arm }) => arm === 'default',
    )) {
      const numbers = [parsed, validActions, success].map(range);
      expect(readme).toContain(
        `| ${[checkpointTitles[policy], ...numbers, reward.mean.toFixed(3)].join(' | ')} |`,
      );
    }
  });

  it('says what GRPO gained in each seed', () => {
    const points = runs.map(({ gain }) => ((gain?.success.difference ?? 0) * 100).toFixed(1));
    const rewards = runs.map(({ gain }) => (gain?.reward.difference ?? 0).toFixed(3));
    const prose = readme.replaceAll('\n', ' ');
    expect(prose).toContain(`${points.slice(0, -1).join(', ')} and ${points.at(-1)} points`);
    expect(prose).toContain(`${rewards.slice(0, -1).join(', ')} and ${rewards.at(-1)}`);
  });

  it('says what GRPO does not do', () => {
    const of = (policy: 'sft' | 'grpo', mode: 'sampled' | 'greedy'): RecordedRun['results']['sft'] =>
      runs.flatMap((run) => run.results[policy]?.filter((r) => r.split === 'id' && r.mode === mode) ?? []);
    for (const policy of ['sft', 'grpo'] as const) {
      expect(readme).toContain(percent(mean(of(policy, 'greedy')!.map(({ success }) => success.value))));
      expect(readme).toContain(percent(mean(of(policy, 'sampled')!.map(({ passAt }) => passAt['8'] ?? 0))));
    }
  });

  it('says what the naive reward does to success', () => {
    const [sft, grpo] = (['sft', 'grpo'] as const).map((policy) =>
      percent(summary.find((row) => row.arm === 'naive' && row.policy === policy)?.success.mean ?? 0),
    );
    expect(readme.replaceAll('\n', ' ')).toContain(`success falls from ${sft} to ${grpo}`);
  });

  it('says what each changed setting of GRPO gained', () => {
    const sweep = JSON.parse(readFileSync('data/results/diagram-sweep.json', 'utf8')) as ExperimentResults;
    for (const [run] of Object.values(sweep.arms))
      expect(readme).toContain(((run?.gain?.success.difference ?? NaN) * 100).toFixed(1));
  });

  it.each(['ood-size', 'ood-compose', 'ood-rule', 'ood-vocab', 'ood-phrase', 'real'])(
    'says how hard %s is',
    (split) => {
      if (!runs.some((run) => run.results.sft?.some((result) => result.split === split))) return;
      const cells = (['sft', 'grpo'] as const).map((policy) =>
        percent(mean(runs.map((run) => sampledSuccess(run, policy, split)))),
      );
      expect(readme).toMatch(new RegExp(`\\| \`${split}\` \\| [^|]+ \\| ${cells.join(' \\| ')} \\|`));
    },
  );

  it('says how fast it is', () => {
    const bench = JSON.parse(readFileSync('data/results/bench-step.json', 'utf8')) as {
      readonly timesFasterThanStock: number;
      readonly rows: readonly {
        readonly name: string;
        readonly threads: number;
        readonly milliseconds: number;
      }[];
    };
    expect(readme).toContain(`${bench.timesFasterThanStock.toFixed(1)} times faster`);
    for (const { name, threads, milliseconds } of bench.rows)
      expect(readme).toContain(`| ${name} | ${threads} | ${milliseconds.toFixed(0)} ms |`);
  });

  it('shows only pictures that are there', () => {
    const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path]) => path as string);
    expect(pictures.length).toBeGreaterThan(3);
    for (const path of pictures) expect(existsSync(path), path).toBe(true);
  });
});

describe('what the recorded runs show, in each of three seeds', () => {
  const headline = (
    run: RecordedRun,
    policy: 'base' | 'sft' | 'grpo',
  ): NonNullable<RecordedRun['results']['sft']>[number] =>
    run.results[policy]!.find(({ split, mode }) => split === 'id' && mode === 'sampled')!;

  it.each(runs.map((run) => [run.seed, run] as const))(
    'seed %i: the base cannot, SFT can, GRPO does it better',
    (_, run) => {
      expect(headline(run, 'base').parsed?.value).toBeLessThanOrEqual(0.05);
      expect(headline(run, 'sft').tasks).toBe(200);
      expect(headline(run, 'sft').validActions?.value).toBeGreaterThanOrEqual(0.95);
      expect(headline(run, 'sft').success.value).toBeGreaterThanOrEqual(0.3);
      expect(run.gain?.success.difference).toBeGreaterThanOrEqual(0.12);
      expect(run.gain?.reward.difference).toBeGreaterThanOrEqual(0.06);
    },
  );

  it('nearly all replies can be read after SFT, over the seeds', () => {
    expect(mean(runs.map((run) => headline(run, 'sft').parsed?.value ?? 0))).toBeGreaterThanOrEqual(0.97);
  });

  it('the naive reward rises and success does not; without SFT nothing succeeds', () => {
    for (const { gain, curve } of arms['naive'] ?? []) {
      const rewards = curve.map(({ reward }) => reward);
      expect(mean(rewards.slice(-10))).toBeGreaterThan(mean(rewards.slice(0, 10)));
      expect(gain?.success.high).toBeLessThan(0);
    }
    for (const run of arms['from-base'] ?? []) expect(headline(run, 'grpo').success.value).toBeLessThan(0.01);
  });

  it('three seeds of each arm', () => {
    expect(Object.values(arms).map((all) => all.map(({ seed }) => seed))).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });
});
