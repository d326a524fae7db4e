import { join } from 'node:path';
import type { Command } from 'commander';
import { percent } from '../display/index.js';
import { pretrain } from '../recipes/base/pretrain.node.js';
import { baseRecipe, quickBaseRecipe } from '../recipes/base/recipe.js';
import { INTERRUPTED } from './interrupt.node.js';
import { workersOption } from './options.node.js';
import type { SetStatus } from './program.node.js';
import { now, withLive } from './session.node.js';

interface Options {
  readonly corpus: string;
  readonly out?: string;
  readonly quick?: true;
  readonly resume?: true;
  readonly workers: number;
}

export function addPretrain(program: Command, setStatus: SetStatus): void {
  program
    .command('pretrain')
    .description(
      'make the base model that diagram runs start from (it comes with posttrain; this is how it was made)',
    )
    .option('--corpus <folder>', 'text files to read', join('data', 'corpus'))
    .option(
      '--out <folder>',
      'where the checkpoint goes (default: data/base, or runs/base-quick with --quick)',
    )
    .option('--quick', 'a few steps only: shows that it works')
    .addOption(workersOption())
    .option('--resume', 'go on with a run that was stopped')
    .action(async (options: Options) => {
      if (!(await watchPretraining(options))) setStatus(INTERRUPTED);
    });
}

function watchPretraining({ corpus, quick, resume, workers, ...options }: Options): Promise<boolean> {
  // a few steps must never replace the base that every run starts from
  const out = options.out ?? (quick ? join('runs', 'base-quick') : join('data', 'base'));
  return withLive(async (live, signal) => {
    const started = now();
    const losses: number[] = [];
    const finished = await pretrain({
      recipe: quick ? quickBaseRecipe : baseRecipe,
      corpusDir: corpus,
      outDir: out,
      resume: resume === true,
      workers,
      signal,
      onPoint: ({ step, loss, mean_token_accuracy: accuracy }, totalSteps) => {
        losses.push(loss);
        const elapsedMs = now() - started;
        live.show({
          stages: [{ name: 'pretraining', state: 'active' }],
          step,
          totalSteps,
          elapsedMs,
          remainingMs: (elapsedMs / losses.length) * (totalSteps - step),
          headline: [
            { name: 'loss', value: loss.toFixed(3) },
            { name: 'next token right', value: percent(accuracy) },
          ],
          trend: losses,
        });
      },
    });
    live.close();
    live.print(
      finished ? `The base model is in ${out}.` : 'Stopped. Go on with: npx posttrain pretrain --resume',
    );
    return finished;
  });
}
