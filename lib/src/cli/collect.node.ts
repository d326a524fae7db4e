import { existsSync } from 'node:fs';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { diagramEnvironment, type DiagramTask } from '../envs/diagram/index.js';
import { profileNames, type DiagramRecipe } from '../recipes/diagram/index.js';
import { trainingTasks } from '../recipes/diagram/collect.node.js';
import type { Budget } from '../remote/budget.js';
import { BudgetError, ServiceError, UnansweredError } from '../remote/errors.js';
import { scoreDiagram } from '../rewards/index.js';
import { collectToFile, readCollected } from '../teachers/collect.node.js';
import type { CollectProgress, Keep } from '../teachers/collect.js';
import { diagramTeacher, scriptedTeacher, usageOf, type Teacher } from '../teachers/index.js';
import { createCollectView, spentText, summaryText } from './collect.js';
import { INTERRUPTED } from './interrupt.node.js';
import {
  addModelOptions,
  budgetFor,
  KEYS_HELP,
  modelFor,
  type ModelOptions,
  type ServiceName,
} from './model-options.node.js';
import { nonNegativeInteger, positiveInteger, temperature } from './options.node.js';
import type { SetStatus } from './program.node.js';
import { now, withProgress } from './session.node.js';

interface Options extends ModelOptions {
  readonly teacher: 'scripted' | ServiceName;
  readonly tasks: number;
  readonly samples: number;
  readonly profile: DiagramRecipe['profile'];
  readonly seed: number;
  readonly keep: Keep;
  readonly out: string;
  readonly resume?: true;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly batch?: true;
}

/** Requests of one batch. */
const BATCHED = 1_000;

export function addCollect(program: Command, setStatus: SetStatus): void {
  const command = program
    .command('collect')
    .description('let a teacher answer training tasks and record what it did')
    .addOption(
      new Option('--teacher <teacher>', 'who answers')
        .choices(['scripted', 'gemini', 'openai'])
        .default('scripted'),
    );
  addModelOptions(command)
    .option('--tasks <number>', 'training tasks', positiveInteger, 100)
    .option('--samples <number>', 'answers to each task', positiveInteger, 1)
    .addOption(new Option('--profile <profile>', 'kind of tasks').choices(profileNames).default('curriculum'))
    .option('--seed <number>', 'which tasks', nonNegativeInteger, 1)
    .option('--keep <what>', 'what is worth learning from: success, all, or a least reward', keep, 'success')
    .option('--out <file>', 'JSON Lines, one episode a line', 'runs/trajectories.jsonl')
    .option('--resume', 'go on with the file: what is in it is not asked again')
    .option('-t, --temperature <number>', 'of the model', temperature, 1)
    .option('--max-tokens <number>', 'most tokens of a reply, thoughts included', positiveInteger, 8192)
    .option('--batch', 'gemini: the batch API, about half the price, answered within a day')
    .addHelpText(
      'after',
      `
${KEYS_HELP}

Ctrl-C and even kill -9 leave a whole file; the same command with --resume goes on. Answers under way are lost then, batches are not:
they are noted beside the file and fetched. The budget counts what is in the file.

Examples:
  posttrain collect --tasks 1000 --out runs/scripted.jsonl
  posttrain collect --teacher gemini --model MODEL --tasks 500 --samples 2 --budget 2000000
  posttrain collect --teacher gemini --model MODEL --batch --budget '$2' --prices PROMPT,COMPLETION
  posttrain collect --teacher openai --model qwen3 --base-url http://localhost:11434/v1
  posttrain run diagram --trajectories runs/trajectories.jsonl`,
    )
    .action(async (options: Options) => {
      if (!(await watchCollection(options))) setStatus(INTERRUPTED);
    });
}

/** Collects with a live view. Returns whether it reached its end. */
function watchCollection(options: Options): Promise<boolean> {
  const { out, prices, samples, seed } = options;
  requireFile(options);
  const found = readCollected(out);
  const budget = budgetFor(options, usageOf(found));
  return withProgress(process.stdout, async (live, signal) => {
    const view = createCollectView({
      now,
      total: options.tasks * samples,
      known: found.length,
      spent: () => spentText(budget.spent, prices),
    });
    const teacher = teacherFor(options, budget, (text) => live.show(view.waiting(text)));
    live.print(`posttrain collect: ${teacher.name} ${teacher.version}, ${out}`);
    let last: CollectProgress | undefined;
    let stopped = false;
    try {
      await collectToFile<DiagramTask>(out, {
        env: diagramEnvironment({ scorer: scoreDiagram }),
        teachers: [{ teacher, keep: options.keep }],
        tasks: trainingTasks(seed, 0, options.tasks, options.profile),
        numGenerations: samples,
        seed,
        concurrency: concurrencyOf(options),
        signal,
        onProgress: (progress) => {
          last = progress;
          live.show(view.next(progress));
        },
      });
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw told(error, out);
      stopped = true;
    }
    live.close();
    for (const line of summaryText(readCollected(out), budget.spent, prices)) live.print(line);
    if (stopped) live.print('Stopped. Go on with the same command and --resume.');
    else if (last !== undefined && last.unanswered > 0)
      live.print(`${last.unanswered} got no answer; the same command with --resume asks again.`);
    return !stopped;
  });
}

function teacherFor(options: Options, budget: Budget, tell: (text: string) => void): Teacher<DiagramTask> {
  const { teacher, out, batch, temperature, maxTokens } = options;
  if (teacher === 'scripted') return scriptedTeacher({ seed: options.seed });
  const setup = { budget, tell, ...(batch === true && { batches: `${out}.batches.json` }) };
  return diagramTeacher({ model: modelFor(teacher, options, setup), temperature, maxTokens });
}

/** A batch holds what is asked at the same time. A script never waits, and alone it keeps the order of tasks. */
function concurrencyOf({ teacher, batch, concurrency }: Options): number {
  if (teacher === 'scripted') return 1;
  return batch === true ? BATCHED : concurrency;
}

function requireFile({ out, resume }: Options): void {
  if (existsSync(out) && resume !== true)
    throw new Error(`${out} exists already; go on with it by adding --resume, or choose another --out`);
  if (!existsSync(out) && resume === true)
    throw new Error(`there is no ${out} to go on with; leave --resume out, or check --out`);
}

/** Trouble with a service or a budget costs nothing that is in the file. */
function told(error: unknown, out: string): unknown {
  const goesOn = [BudgetError, ServiceError, UnansweredError].some((kind) => error instanceof kind);
  if (!goesOn || !existsSync(out)) return error;
  const { message } = error as Error;
  return new Error(`${message}; what was answered is in ${out}, the same command with --resume goes on`);
}

function keep(text: string): Keep {
  if (text === 'success' || text === 'all') return text;
  const reward = Number(text);
  if (text.trim() === '' || !(reward >= 0 && reward <= 1))
    throw new InvalidArgumentError('Expected success, all, or a reward from 0 to 1.');
  return { reward };
}
