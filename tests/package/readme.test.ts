import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { percent } from 'posttrain/display';
import { mean } from 'posttrain/losses';
import { checkpointTitles, type CheckpointName, type Mode } from 'posttrain/recipes/diagram/evaluation';
import type { ExperimentResults, RecordedResult, RecordedRun } from 'posttrain/recipes/diagram/experiment';
import type { OverSeeds } from 'posttrain/eval/over-seeds';
import type { ExperimentRecord, Measurement } from 'posttrain/recipes/trainers/experiment';

const recorded = (name: string): unknown => JSON.parse(readFileSync(`data/results/${name}.json`, 'utf8'));
const { arms, summary } = recorded('diagram') as ExperimentResults;
const runs = arms['default']!;

/** Cells and lines are aligned and broken by the formatter; what counts is what they say. */
const readme = readFileSync('README.md', 'utf8').replaceAll(/\s+/g, ' ');

function resultOf(
  run: RecordedRun,
  policy: CheckpointName,
  split = 'id',
  mode: Mode = 'sampled',
): RecordedResult {
  return run.results[policy]!.find((result) => result.split === split && result.mode === mode)!;
}
const overRuns = (number: (run: RecordedRun) => number): string => percent(mean(runs.map(number)));
const points = (share: number): string => (share * 100).toFixed(1);
const range = ({ mean, min, max }: OverSeeds): string => `${percent(mean)} (${points(min)}–${points(max)})`;
const listed = (texts: readonly string[]): string => `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;

type BackendsRow = Readonly<Record<'wasm' | 'tensorflow', { readonly milliseconds: number }>>;

describe('README', () => {
  it.each(summary.filter(({ arm }) => arm === 'default'))('says how $policy does', (row) => {
    const shares = [row.parsed, row.validActions, row.success].map(range);
    expect(readme).toContain(
      `| ${[checkpointTitles[row.policy], ...shares, row.reward.mean.toFixed(3)].join(' | ')} |`,
    );
  });

  it('says what GRPO gained in each seed', () => {
    expect(readme).toContain(`${listed(runs.map(({ gain }) => points(gain!.success.difference)))} points`);
    expect(readme).toContain(listed(runs.map(({ gain }) => gain!.reward.difference.toFixed(3))));
  });

  it('says what GRPO does not do', () => {
    const [before, after] = (['sft', 'grpo'] as const).map((policy) => ({
      passAt8: overRuns((run) => resultOf(run, policy).passAt['8']!),
      greedy: overRuns((run) => resultOf(run, policy, 'id', 'greedy').success.value),
    }));
    expect(readme).toContain(`${before!.passAt8} of the requests before it and ${after!.passAt8} after it`);
    expect(readme).toContain(`SFT already succeeds on ${before!.greedy} and GRPO on ${after!.greedy}`);
  });

  it('says what a run costs', () => {
    const minutes = Math.max(...runs.map(({ seconds }) => seconds)) / 60;
    const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
    // the peak is the process's: only the first run had it to itself
    const [alone, together] = [runs[0]!.peakMemory, Math.max(...runs.map(({ peakMemory }) => peakMemory))];
    expect(readme).toContain(
      `at most ${minutes.toFixed(1)} minutes on two cores and ${gib(alone)} of memory (${gib(together)} when`,
    );
  });

  it('says what the naive reward does to success', () => {
    const rewards = arms['naive']!.map(({ curve }) => curve.map(({ reward }) => reward));
    const [first, last] = [
      rewards.map((all) => mean(all.slice(0, 10))),
      rewards.map((all) => mean(all.slice(-10))),
    ];
    const [sft, grpo] = (['sft', 'grpo'] as const).map((name) =>
      percent(summary.find(({ arm, policy }) => arm === 'naive' && policy === name)!.success.mean),
    );
    expect(readme).toContain(`${mean(first).toFixed(2)} → ${mean(last).toFixed(2)}`);
    expect(readme).toContain(`success falls from ${sft} to ${grpo}`);
  });

  it('says what each changed setting of GRPO gained', () => {
    const sweep = recorded('diagram-sweep') as ExperimentResults;
    const gained = (arm: string): string => points(sweep.arms[arm]![0]!.gain!.success.difference);
    for (const sentence of [
      `gains ${gained('default')} points; with a third of the learning rate ${gained('learning rate 2.5e-5')}, ` +
        `with three times ${gained('learning rate 2.5e-4')},`,
      `with half the prompts a step ${gained('8 prompts')}. Without warm-up (${gained('no warm-up')})`,
      `not divided by their deviation (${gained('scaleRewards none')})`,
    ])
      expect(readme).toContain(sentence);
  });

  it.each(['ood-size', 'ood-rule', 'ood-vocab', 'ood-phrase', 'real'])('says how hard %s is', (split) => {
    const cells = (['sft', 'grpo'] as const).map((policy) =>
      overRuns((run) => resultOf(run, policy, split).success.value),
    );
    expect(readme).toMatch(new RegExp(`\\| \`${split}\` \\| [^|]+ \\| ${cells.join(' \\| ')} \\|`));
  });

  it('says how fast it is', () => {
    const bench = recorded('bench-step') as {
      readonly timesFasterThanStock: number;
      readonly rows: readonly {
        readonly name: string;
        readonly threads: number;
        readonly milliseconds: number;
        readonly tokensPerSecond: number;
      }[];
    };
    expect(readme).toContain(`${bench.timesFasterThanStock.toFixed(1)} times faster`);
    for (const { name, threads, milliseconds } of bench.rows)
      expect(readme).toContain(`| ${name} | ${threads} | ${milliseconds.toFixed(0)} ms |`);

    const theirs = (key: 'milliseconds' | 'tokensPerSecond', threads: number): string => {
      const [own, torch] = ['posttrain', 'PyTorch'].map((maker) =>
        bench.rows.find((row) => row.name.startsWith(maker) && row.threads === threads),
      );
      return (torch![key] / own![key]).toFixed(2);
    };
    expect(readme).toContain(
      `trains in ${theirs('milliseconds', 1)} of our time on one thread and ${theirs('milliseconds', 2)} on two, and samples at ` +
        `${theirs('tokensPerSecond', 1)} and ${theirs('tokensPerSecond', 2)} of our speed`,
    );
    const grpo = recorded('bench-grpo') as {
      readonly timesFasterThanTRL: number;
      readonly timesFasterThanTRLWithoutCheckpointing: number;
    };
    expect(readme).toContain(
      `is ${grpo.timesFasterThanTRL.toFixed(1)} times as fast as TRL's as it comes, and ` +
        `${grpo.timesFasterThanTRLWithoutCheckpointing.toFixed(1)} times as fast as TRL's without its gradient checkpointing`,
    );
    const { stepRatio } = recorded('bench-native') as { readonly stepRatio: number };
    expect(readme).toContain(`a step in ${stepRatio.toFixed(2)} times PyTorch's time`);
    const [smallest] = (recorded('bench-backends') as { readonly rows: readonly BackendsRow[] }).rows;
    const { wasm, tensorflow } = smallest as BackendsRow;
    expect(readme).toContain(
      `${(wasm.milliseconds / tensorflow.milliseconds).toFixed(1)} times as fast as WebAssembly`,
    );
  });

  it('says how the algorithms compare', () => {
    const { arms: compared } = recorded('diagram-algorithms') as ExperimentRecord;
    const interval = ({ mean, low, high }: Measurement, format: (value: number) => string): string =>
      `${format(mean)} (${format(low!)}–${format(high!)})`;
    for (const [name, { success, reward, episodes }] of Object.entries(compared)) {
      const cells = [interval(success!, points), interval(reward!, (value) => value.toFixed(3))];
      expect(readme).toContain(`| ${name} | ${cells.join(' | ')} |`);
      if (episodes!.mean > 0)
        expect(readme).toContain(` ${Math.round(episodes!.mean).toLocaleString('en')} |`);
    }
  });

  it('shows only pictures that are there', () => {
    const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path]) => path as string);
    expect(pictures.length).toBeGreaterThan(3);
    for (const path of pictures) expect(existsSync(path), path).toBe(true);
  });
});

describe('what the recorded runs show', () => {
  it('three seeds of each arm', () => {
    for (const all of Object.values(arms)) expect(all.map(({ seed }) => seed)).toEqual([1, 2, 3]);
    expect(Object.keys(arms)).toEqual(['default', 'naive', 'from-base']);
  });

  it.each(runs)('seed $seed: the base cannot, SFT can, GRPO does it better', (run) => {
    expect(resultOf(run, 'base').parsed!.value).toBeLessThanOrEqual(0.05);
    expect(resultOf(run, 'sft').tasks).toBe(200);
    expect(resultOf(run, 'sft').parsed!.value).toBeGreaterThanOrEqual(0.97);
    expect(resultOf(run, 'sft').validActions!.value).toBeGreaterThanOrEqual(0.95);
    expect(resultOf(run, 'sft').success.value).toBeGreaterThanOrEqual(0.3);
    expect(run.gain!.success.difference).toBeGreaterThanOrEqual(0.12);
    expect(run.gain!.reward.difference).toBeGreaterThanOrEqual(0.06);
  });

  it('the naive reward rises and success falls; without SFT nothing succeeds', () => {
    for (const { gain, curve } of arms['naive']!) {
      const rewards = curve.map(({ reward }) => reward);
      expect(mean(rewards.slice(-10))).toBeGreaterThan(mean(rewards.slice(0, 10)));
      expect(gain!.success.high).toBeLessThan(0);
    }
    for (const run of arms['from-base']!) expect(resultOf(run, 'grpo').success.value).toBeLessThan(0.01);
  });
});
