import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { armNames, type ArmName } from '../recipes/diagram/experiment.js';
import { runExperiment } from '../recipes/diagram/experiment.node.js';
import { baseCheckpoint } from './base.node.js';
import { INTERRUPTED } from './interrupt.node.js';
import { integerList } from './options.js';
import type { SetStatus } from './program.node.js';
import { now, withLive } from './session.node.js';
import { createWatcher, type Watcher } from './watch.js';

interface Options {
  readonly seeds: readonly number[];
  readonly arms: readonly ArmName[];
  readonly out: string;
  readonly results: string;
  readonly base?: string;
  readonly quick?: true;
}

export function addExperiment(program: Command, setStatus: SetStatus): void {
  const experiment = program
    .command('experiment')
    .description('repeat runs over seeds and record what came out');
  experiment
    .command('diagram')
    .description(
      'diagram runs as they are, with the naive reward (hacking), and with GRPO straight from the base (why SFT comes first)',
    )
    .option('--seeds <list>', 'comma-separated', integerList, [1, 2, 3])
    .addOption(new Option('--arms <names...>', 'which runs').choices([...armNames]).default([...armNames]))
    .option('--out <folder>', 'where runs lie', 'runs')
    .option('--results <folder>', 'where diagram.json and the figures go', join('data', 'results'))
    .option('--base <folder>', 'base checkpoint (default: the one that comes with posttrain)')
    .option('--quick', 'tiny runs: shows that it works')
    .addHelpText(
      'after',
      '\nRuns that are finished are not run again: the same command goes on after Ctrl-C.',
    )
    .action(async (options: Options) => {
      if (!(await watchExperiment(options))) setStatus(INTERRUPTED);
    });
}

function watchExperiment({ seeds, arms: only, out, results, quick, ...options }: Options): Promise<boolean> {
  const base = baseCheckpoint(options.base);
  return withLive(async (live, signal) => {
    let watcher: Watcher = createWatcher(now);
    const finished = await runExperiment({
      seeds,
      only,
      quick: quick === true,
      out,
      results,
      base,
      signal,
      onRun: (name) => {
        live.close();
        live.print(name);
        watcher = createWatcher(now);
      },
      emit: (event) => live.show(watcher.next(event)),
    });
    live.close();
    live.print(finished ? `Results: ${join(results, 'diagram.json')}` : 'Stopped. The same command goes on.');
    return finished;
  });
}
