import { join } from 'node:path';
import { Argument, Option, type Command } from 'commander';
import { duration, type Live, type RunView } from '../display/index.js';
import { algorithmComparison } from '../recipes/diagram/algorithms.js';
import { diagramAlgorithms } from '../recipes/diagram/algorithms.node.js';
import type { Experiment, Progress } from '../recipes/trainers/experiment.js';
import { trainerExperiments } from '../recipes/trainers/experiments.js';
import { summaryText } from '../recipes/trainers/measurements.js';
import { runExperiment } from '../recipes/trainers/run.node.js';
import { baseCheckpoint } from './base.node.js';
import { INTERRUPTED } from './interrupt.node.js';
import { integerList, workersOption } from './options.node.js';
import type { SetStatus } from './program.node.js';
import { now, withLive } from './session.node.js';
import { createWatcher } from './watch.js';

interface Options {
  readonly seeds?: readonly number[];
  readonly results?: string;
  readonly quick?: true;
}

interface AlgorithmOptions extends Options {
  readonly out: string;
  readonly base?: string;
  readonly workers: number;
}

/** One command for each small experiment, `trainers` for several, and the one that compares the algorithms on the diagram task. */
export function addTrainerExperiments(group: Command, setStatus: SetStatus): void {
  for (const experiment of trainerExperiments) {
    const { name, description, hypothesis, seeds } = experiment;
    addOptions(group.command(name).description(description), `default: ${seeds.join(',')}`)
      .addHelpText('after', `\nHypothesis: ${hypothesis}`)
      .action(async (options: Options) => {
        if (!(await watchExperiments(() => [experiment], options))) setStatus(INTERRUPTED);
      });
  }
  const names = trainerExperiments.map(({ name }) => name);
  addOptions(
    group.command('trainers').description('the small experiments on the trainers, all or some'),
    'default: each its own',
  )
    .addArgument(new Argument('[names...]', 'which').choices(names).default(names, 'all'))
    .action(async (chosen: readonly string[], options: Options) => {
      const experiments = trainerExperiments.filter(({ name }) => chosen.includes(name));
      if (!(await watchExperiments(() => experiments, options))) setStatus(INTERRUPTED);
    });
  addAlgorithms(group, setStatus);
}

function addAlgorithms(group: Command, setStatus: SetStatus): void {
  const { name, description, hypothesis, seeds } = algorithmComparison;
  addOptions(group.command(name).description(description), `default: ${seeds.join(',')}`)
    .option('--out <folder>', 'where the run they start from and finished arms lie', 'runs')
    .option('--base <folder>', 'base checkpoint (default: the one that comes with posttrain)')
    .addOption(workersOption())
    .addHelpText(
      'after',
      `\nHypothesis: ${hypothesis}\n\nAn hour on two cores. Arms that are finished are not run again: the same command goes on after Ctrl-C.`,
    )
    .action(async (options: AlgorithmOptions) => {
      const { out, workers } = options;
      const base = baseCheckpoint(options.base);
      const finished = await watchExperiments((live, signal) => {
        const watcher = createWatcher(now);
        const emit: Parameters<typeof diagramAlgorithms>[0]['emit'] = (event) =>
          live.show(watcher.next(event));
        return [diagramAlgorithms({ out, base, workers, signal, emit })];
      }, options);
      if (!finished) setStatus(INTERRUPTED);
    });
}

function addOptions(command: Command, defaultSeeds: string): Command {
  return command
    .addOption(new Option('--seeds <list>', `comma-separated (${defaultSeeds})`).argParser(integerList))
    .option(
      '--results <folder>',
      'where the numbers and figures go (default: data/results, or runs/results-quick with --quick)',
    )
    .option('--quick', 'less of everything: shows in seconds how it runs; too short for some claims');
}

function watchExperiments(
  choose: (live: Live, signal: AbortSignal) => readonly Experiment[],
  options: Options,
): Promise<boolean> {
  const quick = options.quick === true;
  const results = options.results ?? (quick ? join('runs', 'results-quick') : join('data', 'results'));
  return withLive(async (live, signal) => {
    const experiments = choose(live, signal);
    for (const experiment of experiments) {
      const started = now();
      const record = await runExperiment(experiment, {
        seeds: options.seeds ?? experiment.seeds,
        quick,
        results,
        signal,
        onProgress: (progress) => live.show(viewOf(experiment, experiments, progress, now() - started)),
      });
      live.close();
      if (record === undefined) {
        live.print(`Stopped; nothing of ${experiment.name} was written.`);
        return false;
      }
      printRecord(
        live,
        summaryText(experiment, record, quick),
        join(results, `${experiment.name}.json`),
        started,
      );
    }
    return true;
  });
}

function printRecord(live: Live, summary: string, file: string, started: number): void {
  live.print(`\n${summary}\n\nResults after ${duration(now() - started)}: ${file}\n`);
}

function viewOf(
  active: Experiment,
  all: readonly Experiment[],
  { done, total, note }: Progress,
  elapsedMs: number,
): RunView {
  const position = all.indexOf(active);
  return {
    stages: all.map(({ name }, i) => ({
      name,
      state: i < position ? 'done' : i === position ? 'active' : 'waiting',
    })),
    step: done,
    totalSteps: total,
    elapsedMs,
    ...(done > 0 ? { remainingMs: (elapsedMs / done) * (total - done) } : {}),
    headline: [{ name: 'now:', value: note }],
    trend: [],
  };
}
