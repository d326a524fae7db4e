import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { experimentNames, experiments, type ExperimentName } from '../recipes/diagram/experiments.js';
import { runExperiment } from '../recipes/diagram/experiment.node.js';
import { baseCheckpoint } from './base.node.js';
import { INTERRUPTED } from './interrupt.node.js';
import { integerList, workersOption } from './options.node.js';
import type { SetStatus } from './program.node.js';
import { now, withLive } from './session.node.js';
import { addTrainerExperiments } from './trainer-experiments.node.js';
import { createWatcher, type Watcher } from './watch.js';

interface Options {
  readonly seeds: readonly number[];
  readonly arms: readonly string[];
  readonly out: string;
  readonly results?: string;
  readonly base?: string;
  readonly workers: number;
  readonly quick?: true;
}

export function addExperiment(program: Command, setStatus: SetStatus): void {
  const group = program.command('experiment').description('repeat runs over seeds and record what came out');
  for (const name of experimentNames) {
    const { description, hypothesis, arms, seeds } = experiments[name];
    group
      .command(name)
      .description(description)
      .addOption(
        new Option('--seeds <list>', 'comma-separated')
          .argParser(integerList)
          .default(seeds, seeds.join(',')),
      )
      .addOption(
        new Option('--arms <names...>', 'which runs').choices(Object.keys(arms)).default(Object.keys(arms)),
      )
      .option('--out <folder>', 'where runs lie', 'runs')
      .option(
        '--results <folder>',
        `where ${name}.json and the figures go (default: data/results, or runs/results-quick with --quick)`,
      )
      .option('--base <folder>', 'base checkpoint (default: the one that comes with posttrain)')
      .addOption(workersOption())
      .option('--quick', 'tiny runs: shows that it works')
      .addHelpText(
        'after',
        `\nHypothesis: ${hypothesis}\n\nRuns that are finished are not run again: the same command goes on after Ctrl-C.`,
      )
      .action(async (options: Options) => {
        if (!(await watchExperiment(name, options))) setStatus(INTERRUPTED);
      });
  }
  addTrainerExperiments(group, setStatus);
}

function watchExperiment(name: ExperimentName, options: Options): Promise<boolean> {
  const { seeds, arms: only, out, workers } = options;
  const quick = options.quick === true;
  const results = options.results ?? (quick ? join('runs', 'results-quick') : join('data', 'results'));
  const base = baseCheckpoint(options.base);
  return withLive(async (live, signal) => {
    let watcher: Watcher = createWatcher(now);
    const finished = await runExperiment({
      name,
      seeds,
      only,
      quick,
      out,
      results,
      base,
      workers,
      signal,
      onRun: (run) => {
        live.close();
        live.print(run);
        watcher = createWatcher(now);
      },
      emit: (event) => live.show(watcher.next(event)),
    });
    live.close();
    live.print(finished ? `Results: ${join(results, `${name}.json`)}` : 'Stopped. The same command goes on.');
    return finished;
  });
}
