import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { writeFileAtomic } from '../files.node.js';
import { formatNotebook } from '../notebook/format.js';
import { hasJupyterLab, howToGetJupyterLab, openJupyterLab } from '../notebook/jupyter-lab.node.js';
import { clearNotebook, newNotebook, outdated, pairedFiles } from '../notebook/notebook-files.node.js';
import { type NotebookRun, runNotebook } from '../notebook/run.node.js';
import { INTERRUPTED, listenForInterrupt } from './interrupt.node.js';
import { createRunLog } from './notebook-log.node.js';
import type { SetStatus } from './program.node.js';
import { rejectUnknownCommand } from './unknown-command.node.js';

interface RunCommandOptions {
  readonly out?: string;
  readonly fast?: true;
  readonly record?: true;
  readonly quiet?: true;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

export function addNotebook(program: Command, setStatus: SetStatus): void {
  const notebook = program
    .command('notebook')
    .description('open, run and tidy notebooks')
    .addHelpText(
      'after',
      `
A notebook is two files: NAME.ts, which people write and review ("// %%" begins a cell of code, "// %% [markdown]" one of text), and
NAME.ipynb, which is made from it.

Examples:
  posttrain notebook                             # JupyterLab
  posttrain notebook new my-experiment
  posttrain notebook run my-experiment.ts --fast
  posttrain notebook format my-experiment.ipynb  # after an edit in Jupyter`,
    );
  notebook
    .command('open', { isDefault: true })
    .description('open JupyterLab with our kernel')
    .argument('[paths...]', 'folder or notebooks (default: this folder)')
    .action(async (paths: string[]) => {
      if (paths[0] !== undefined) rejectUnknownCommand(notebook, paths[0]);
      if (hasJupyterLab()) setStatus(await openJupyterLab(paths));
      else {
        say(howToGetJupyterLab);
        setStatus(1);
      }
    });
  notebook
    .command('run')
    .description(
      'run notebooks without Jupyter, each in a process of its own; stops at the first cell that fails',
    )
    .argument('<files...>', 'notebooks, or their sources')
    .option('--out <folder>', 'write them there with their outputs')
    .option('--fast', 'do everything in little (isFast() in a cell); also by POSTTRAIN_FAST=1')
    .option('--record', 'what a notebook saves as its results becomes data/results/NAME.json')
    .option('--quiet', 'leave out what the cells show')
    .action(async (files: string[], options: RunCommandOptions) => {
      const fast = options.fast === true || process.env['POSTTRAIN_FAST'] === '1';
      if (fast && options.record)
        throw new Error(
          '--record keeps numbers, and those of a fast run mean nothing; leave out one of the two',
        );
      const kill = new AbortController();
      const interrupt = listenForInterrupt(
        () => process.stderr.write('\nInterrupting …\n'),
        () => kill.abort(),
      );
      try {
        for (const file of files) {
          say(file);
          const run = await runNotebook(file, {
            fast,
            record: options.record === true,
            ...createRunLog(options.quiet === true),
            signal: interrupt.signal,
            kill: kill.signal,
          });
          if (options.out !== undefined)
            writeFileAtomic(executedFile(options.out, file), formatNotebook(run.notebook));
          sayEnd(run);
          if (run.interrupted !== undefined) return setStatus(INTERRUPTED);
          if (run.failure !== undefined) return setStatus(1);
        }
      } finally {
        interrupt.release();
      }
    });
  notebook
    .command('new')
    .description('begin a notebook')
    .argument('<name>', 'its file, with or without .ts')
    .action((name: string) => {
      for (const { path } of newNotebook(name)) say(path);
    });
  notebook
    .command('format')
    .description('make notebooks from their sources, and sources from notebooks that were edited; no outputs')
    .addHelpText(
      'after',
      `
Text of a source cites recorded results: {{01:wins.greedy}} becomes the number wins.greedy of data/results/01.json, in the nearest
folder that has data/results. Odd keys, indices and selectors stand in brackets, * means all of them, and two paths can be subtracted:
{{diagram-algorithms:arms[Dr. GRPO].success - arms[SFT].success}}. A format may follow: {{01:wins.greedy|percent}}. Formats: short (the
default), percent, percent0, integer, fixed2, seconds, points, interval, percentInterval, pointsInterval. Of { value, low, high } the
value is taken; {{01:wins.greedy.low}} is an end.`,
    )
    .argument('<files...>', 'sources or notebooks: the file that is right')
    .option('--check', 'change nothing, fail where a file is not as it should be')
    .action((files: string[], { check }: { check?: true }) => {
      const wrong = outdated(files.flatMap(pairedFiles));
      for (const { path, content } of wrong) {
        say(check ? `${path} is not up to date` : path);
        if (!check) writeFileAtomic(path, content);
      }
      if (check && wrong.length > 0) setStatus(1);
    });
  notebook
    .command('clear')
    .description('remove outputs and execution counts')
    .argument('<files...>', 'notebooks')
    .action((files: string[]) => files.forEach(clearNotebook));
}

function sayEnd({ cells, failure, interrupted }: NotebookRun): void {
  if (interrupted)
    return say(`  interrupted ${interrupted.cell ? `in ${interrupted.cell.id}` : 'before the first cell'}`);
  const seconds = cells.reduce((sum, run) => sum + run.seconds, 0).toFixed(1);
  if (failure === undefined) return say(`  ${cells.length} cells passed in ${seconds} s`);
  const { cell, error } = failure;
  const namesLine = error.traceback.some((line) => line.includes(`${cell.id}:`));
  const source = namesLine ? [] : [cell.source, ''];
  say([`  ${cell.id} failed:`, '', ...source, ...error.traceback].join('\n'));
}

function executedFile(folder: string, file: string): string {
  return join(folder, basename(file).replace(/\.ts$/, '.ipynb'));
}
