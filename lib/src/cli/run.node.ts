import { join, relative } from 'node:path';
import { Option, type Command } from 'commander';
import {
  achievement,
  profileNames,
  recipeFor,
  rewardNames,
  type DiagramRecipe,
  type RewardName,
} from '../recipes/diagram/index.js';
import type { RunEvaluation } from '../recipes/diagram/evaluation.js';
import {
  createRun,
  isFinished,
  listRuns,
  nextRunName,
  openRun,
  parseJson,
  type RunConfig,
  type RunFolder,
} from '../recipes/diagram/run-folder.node.js';
import { describeRun, runDiagram } from '../recipes/diagram/run.node.js';
import { adoptTrajectories, requireTrajectories } from '../recipes/diagram/trajectories.node.js';
import type { StageContext } from '../recipes/diagram/stage.node.js';
import { baseCheckpoint } from './base.node.js';
import { INTERRUPTED } from './interrupt.node.js';
import { nonNegativeInteger, workersOption } from './options.node.js';
import type { SetStatus } from './program.node.js';
import { now, withLive } from './session.node.js';
import { createWatcher } from './watch.js';

interface Options {
  readonly name?: string;
  readonly out: string;
  readonly seed: number;
  readonly profile: DiagramRecipe['profile'];
  readonly reward: RewardName;
  readonly from: 'sft' | 'base';
  readonly base?: string;
  readonly trajectories?: string;
  readonly workers: number;
  readonly quick?: true;
  readonly resume?: true;
}

export function addRun(program: Command, setStatus: SetStatus): void {
  const run = program.command('run').description('train an agent from a base model to its report');
  run
    .command('diagram')
    .description('base → teacher → SFT → GRPO → evaluation: an agent that draws the diagram it is asked for')
    .option(
      '--name <name>',
      'name of the run (default: the next free diagram-N, of quick runs diagram-quick-N)',
    )
    .option('--out <folder>', 'where runs lie', 'runs')
    .option('--seed <number>', 'fixes everything that is left to chance', nonNegativeInteger, 1)
    .addOption(
      new Option('--profile <profile>', 'tasks to train on').choices(profileNames).default('curriculum'),
    )
    .addOption(new Option('--reward <reward>', 'reward GRPO climbs').choices(rewardNames).default('gated'))
    .addOption(new Option('--from <start>', 'where GRPO starts').choices(['sft', 'base']).default('sft'))
    .option('--base <folder>', 'base checkpoint (default: the one that comes with posttrain)')
    .option(
      '--trajectories <file>',
      'learn from what `posttrain collect` has written, not from the own teacher',
    )
    .addOption(workersOption())
    .option('--quick', 'every stage, but only a few steps each: shows that all works, teaches little')
    .option('--resume', 'go on with a run that was stopped (default: the newest unfinished one)')
    .addHelpText(
      'after',
      `
Ctrl-C stops after the current step and keeps everything; the same command with --resume goes on, to the same weights
as if it had never stopped. A second Ctrl-C leaves at once.

Examples:
  posttrain run diagram --seed 2 --name second
  posttrain run diagram --reward naive --name hacked
  posttrain run diagram --trajectories runs/trajectories.jsonl
  posttrain run diagram --resume --name second`,
    )
    .action(async (options: Options, command: Command) => {
      const { folder, config } = options.resume ? resumed(options, command) : await started(options);
      const finished = await watchRun({
        folder,
        config,
        base: baseCheckpoint(options.base),
        workers: options.workers,
      });
      if (!finished) setStatus(INTERRUPTED);
    });
}

/** Options that decide a run's numbers: a resumed run has them already. */
const FIXED_AT_START = ['seed', 'profile', 'reward', 'from', 'trajectories', 'quick'] as const;

function resumed({ name, out }: Options, command: Command): { folder: RunFolder; config: RunConfig } {
  const given = FIXED_AT_START.find((option) => command.getOptionValueSource(option) === 'cli');
  if (given !== undefined) {
    throw new Error(
      `--${given} was fixed when the run started; leave it out with --resume, or start a new run`,
    );
  }
  const path = name === undefined ? listRuns(out).find((run) => !isFinished(run))?.path : join(out, name);
  if (path === undefined) throw new Error(`there is no unfinished run in ${out}; start one without --resume`);
  return openRun(path);
}

async function started(options: Options): Promise<{ folder: RunFolder; config: RunConfig }> {
  const { out, seed, quick, profile, reward, trajectories, from: grpoFrom } = options;
  if (trajectories !== undefined) {
    if (grpoFrom === 'base') throw new Error('--from base has no SFT to use --trajectories; leave one out');
    requireTrajectories(trajectories);
  }
  const recipe = recipeFor({ quick: quick === true, profile, reward, grpoFrom });
  const described = await describeRun(options.name ?? nextRunName(out, quick === true), seed, recipe);
  const config = { ...described, ...(trajectories !== undefined && { trajectories }) };
  const folder = createRun(out, config);
  if (trajectories !== undefined) adoptTrajectories(folder, trajectories);
  return { folder, config };
}

/** Runs with a live view. Returns whether the run reached its end. */
function watchRun(run: Pick<StageContext, 'folder' | 'config' | 'base' | 'workers'>): Promise<boolean> {
  const { folder, config, workers } = run;
  return withLive(async (live, signal) => {
    const watcher = createWatcher(now);
    const shown = relative(process.cwd(), folder.path);
    const { versions } = await describeRun(config.name, config.seed, config.recipe);
    live.print(
      `posttrain run diagram: ${shown}, seed ${config.seed}, ${versions['backend']} back end, ${workers} ${workers === 1 ? 'thread' : 'threads'}`,
    );
    for (const [what, before] of Object.entries(config.versions)) {
      if (before === versions[what]) continue;
      live.print(
        `Started with ${what} ${before}, going on with ${versions[what]}: the last digits may differ.`,
      );
    }
    const finished = await runDiagram({
      ...run,
      signal,
      emit: (event) => live.show(watcher.next(event)),
    });
    live.close();
    if (finished) {
      const evaluation = parseJson(folder.evaluation) as RunEvaluation;
      live.print(`${achievement(evaluation, config.recipe)} Report: ${join(shown, 'report.html')}`);
    } else {
      live.print(
        `Stopped. Go on with: npx posttrain run diagram --resume --name ${config.name}${outOption(folder)}`,
      );
    }
    return finished;
  });
}

function outOption(folder: RunFolder): string {
  const out = relative(process.cwd(), join(folder.path, '..')) || '.';
  return out === 'runs' ? '' : ` --out ${out}`;
}
