import { existsSync } from 'node:fs';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { profileNames, type DiagramRecipe } from '../recipes/diagram/index.js';
import { trainingTasks } from '../recipes/diagram/collect.node.js';
import { diagramEnvironment, type DiagramTask } from '../envs/diagram/index.js';
import { createBudget, type Budget, type Limit, type Prices } from '../remote/budget.js';
import { BudgetError, ServiceError, UnansweredError } from '../remote/errors.js';
import { fileLedger } from '../remote/batch-ledger.node.js';
import { geminiBatchModel } from '../remote/gemini-batch.node.js';
import { geminiModel } from '../remote/gemini.node.js';
import { openAIModel } from '../remote/openai.js';
import type { Wait } from '../remote/retry.js';
import type { ChatModel } from '../remote/types.js';
import { scoreDiagram } from '../rewards/index.js';
import { collectToFile, readCollected } from '../teachers/collect.node.js';
import type { CollectProgress, Keep } from '../teachers/collect.js';
import { diagramTeacher, scriptedTeacher, usageOf, type Teacher } from '../teachers/index.js';
import { rejectionsText, spentText } from './collect.js';
import { INTERRUPTED } from './interrupt.node.js';
import { nonNegativeInteger, positiveInteger, temperature } from './options.node.js';
import type { SetStatus } from './program.node.js';
import { now, withProgress } from './session.node.js';

interface Options {
  readonly teacher: 'scripted' | 'gemini' | 'openai';
  readonly model?: string;
  readonly baseUrl?: string;
  readonly tasks: number;
  readonly samples: number;
  readonly profile: DiagramRecipe['profile'];
  readonly seed: number;
  readonly keep: Keep;
  readonly out: string;
  readonly resume?: true;
  readonly budget?: Amount;
  readonly prices?: Prices;
  readonly concurrency: number;
  readonly rpm?: number;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly batch?: true;
}

/** Where keys come from; nowhere else, so that none stands in a command line or a file. */
const KEYS = { gemini: 'GEMINI_API_KEY', openai: 'OPENAI_API_KEY' } as const;

/** Requests of one batch: all of a usual collection, well below the service's limit of size. */
const BATCHED = 1_000;

export function addCollect(program: Command, setStatus: SetStatus): void {
  program
    .command('collect')
    .description(
      'let a teacher answer training tasks and record what it did, for `posttrain run diagram --trajectories`',
    )
    .addOption(
      new Option('--teacher <teacher>', 'who answers')
        .choices(['scripted', 'gemini', 'openai'])
        .default('scripted'),
    )
    .option('--model <id>', 'model of gemini or openai; there is no default, as models are retired')
    .option('--base-url <url>', 'server that speaks the OpenAI protocol, e.g. http://localhost:8000/v1')
    .option('--tasks <number>', 'training tasks', positiveInteger, 100)
    .option('--samples <number>', 'answers to each task', positiveInteger, 1)
    .addOption(new Option('--profile <profile>', 'kind of tasks').choices(profileNames).default('curriculum'))
    .option('--seed <number>', 'which tasks', nonNegativeInteger, 1)
    .option('--keep <what>', 'success, all, or the least reward of an answer to learn from', keep, 'success')
    .option('--out <file>', 'JSON Lines, one episode a line', 'runs/trajectories.jsonl')
    .option('--resume', 'go on with the file: what is in it is not asked again')
    .option(
      '--budget <amount>',
      'most to spend, in tokens (200000) or dollars ($2.50, which needs --prices)',
      amount,
    )
    .option('--prices <prompt,completion>', 'dollars per million tokens, as you pay them', prices)
    .option('--concurrency <number>', 'requests at a time', positiveInteger, 4)
    .option('--rpm <number>', "most requests a minute (default: no limit but the service's)", positiveInteger)
    .option('--temperature <number>', 'of the model', temperature, 1)
    .option('--max-tokens <number>', 'most tokens of a reply, thoughts included', positiveInteger, 8192)
    .option('--batch', 'gemini: the batch API, cheaper and answered within a day')
    .addHelpText(
      'after',
      `
The key is read from ${KEYS.gemini} or ${KEYS.openai} and is never written anywhere. Servers of your own need none.
Gemini needs the package @google/genai, which is not installed with posttrain: npm install @google/genai@2.32.0.
Ctrl-C and even kill -9 leave a whole file; the same command with --resume goes on. Answers under way are then lost, batches are not.

Examples:
  posttrain collect --tasks 1000 --out runs/scripted.jsonl
  posttrain collect --teacher gemini --model MODEL --tasks 500 --samples 2 --budget 2000000
  posttrain collect --teacher gemini --model MODEL --batch --budget '$2' --prices 0.15,1.25
  posttrain collect --teacher openai --model qwen3 --base-url http://localhost:11434/v1
  posttrain run diagram --trajectories runs/trajectories.jsonl`,
    )
    .action(async (options: Options) => {
      if (!(await watchCollection(options))) setStatus(INTERRUPTED);
    });
}

/** Collects with a live view. Returns whether it reached its end. */
function watchCollection(options: Options): Promise<boolean> {
  requireFile(options);
  const spentBefore = usageOf(readCollected(options.out));
  const budget = createBudget(limitOf(options), spentBefore);
  let waiting: string | undefined;
  const teacher = teacherFor(options, budget, ({ error, waitMs }) => {
    waiting = `waiting ${Math.ceil(waitMs / 1000)} s (${error.status ?? 'no response'})`;
  });
  return withProgress(process.stdout, async (live, signal) => {
    live.print(`posttrain collect: ${teacher.name} ${teacher.version}, ${options.out}`);
    const started = now();
    let first: number | undefined;
    let last: CollectProgress | undefined;
    const show = (progress: CollectProgress): void => {
      const { finished, total, kept } = progress;
      first ??= finished - 1;
      last = progress;
      const elapsedMs = now() - started;
      live.show({
        stages: [{ name: 'teacher', state: 'active' }],
        step: finished,
        totalSteps: total,
        elapsedMs,
        ...(finished > first && { remainingMs: (elapsedMs / (finished - first)) * (total - finished) }),
        headline: [
          { name: 'kept', value: String(kept) },
          { name: 'spent', value: spentText(budget.spent, options.prices) },
          ...(waiting === undefined ? [] : [{ name: 'now:', value: waiting }]),
        ],
        trend: [],
      });
      waiting = undefined;
    };
    let finished = true;
    try {
      await collectToFile<DiagramTask>(options.out, {
        env: diagramEnvironment({ scorer: scoreDiagram }),
        teachers: [{ teacher, keep: options.keep }],
        tasks: trainingTasks(options.seed, 0, options.tasks, options.profile),
        numGenerations: options.samples,
        seed: options.seed,
        concurrency: concurrencyOf(options),
        signal,
        onProgress: show,
      });
    } catch (error) {
      live.close();
      if (!signal.aborted || error !== signal.reason) throw told(error, options.out);
      finished = false;
    }
    live.close();
    const records = readCollected(options.out);
    for (const line of rejectionsText(records, budget.spent, options.prices)) live.print(line);
    if (!finished) live.print(`Stopped. Go on with the same command and --resume.`);
    else if (last !== undefined && last.unanswered > 0) {
      live.print(`${last.unanswered} got no answer; the same command with --resume asks again.`);
    }
    return finished;
  });
}

function teacherFor(options: Options, budget: Budget, onWait: (wait: Wait) => void): Teacher<DiagramTask> {
  if (options.teacher === 'scripted') return scriptedTeacher({ seed: options.seed });
  const { temperature, maxTokens } = options;
  return diagramTeacher({ model: modelFor(options, budget, onWait), temperature, maxTokens });
}

function modelFor(options: Options, budget: Budget, onWait: (wait: Wait) => void): ChatModel {
  const { teacher, model, baseUrl, rpm, batch, out } = options;
  if (model === undefined) throw new Error(`--teacher ${teacher} needs --model, the id of a model`);
  const limits = { budget, onWait, ...(rpm !== undefined && { requestsPerMinute: rpm }) };
  if (teacher === 'gemini') {
    const gemini = { ...limits, model, ...(baseUrl !== undefined && { baseUrl }) };
    return batch === true
      ? geminiBatchModel({ ...gemini, ledger: fileLedger(`${out}.batches.json`) })
      : geminiModel(gemini);
  }
  if (batch === true) throw new Error('--batch is for --teacher gemini only; leave it out');
  if (baseUrl === undefined) {
    throw new Error('--teacher openai needs --base-url, e.g. http://localhost:8000/v1');
  }
  return openAIModel({ ...limits, model, baseUrl, apiKey: process.env[KEYS.openai] });
}

/** A batch holds what is asked at the same time. A script does not wait, and keeps the order of tasks when it is alone. */
function concurrencyOf({ teacher, batch, concurrency }: Options): number {
  if (teacher === 'scripted') return 1;
  return batch === true ? BATCHED : concurrency;
}

function requireFile({ out, resume }: Options): void {
  if (existsSync(out) && resume !== true) {
    throw new Error(`${out} exists already; go on with it by adding --resume, or choose another --out`);
  }
  if (!existsSync(out) && resume === true) {
    throw new Error(`there is no ${out} to go on with; leave --resume out, or check --out`);
  }
}

function limitOf({ budget, prices }: Options): Limit | undefined {
  if (budget === undefined || 'tokens' in budget) return budget;
  if (prices !== undefined) return { ...budget, prices };
  throw new Error(
    'a --budget in dollars needs --prices, e.g. --prices 0.30,2.50 (dollars per million tokens)',
  );
}

/** Trouble with a service or a budget costs nothing that is in the file. */
function told(error: unknown, out: string): unknown {
  const goesOn = [BudgetError, ServiceError, UnansweredError].some((kind) => error instanceof kind);
  if (!goesOn || !existsSync(out)) return error;
  const { message } = error as Error;
  return new Error(`${message}; what was answered is in ${out}, the same command with --resume goes on`);
}

type Amount = { readonly tokens: number } | { readonly dollars: number };

function amount(text: string): Amount {
  const [, dollar, digits] = /^(\$?)(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const value = Number(digits);
  if (digits === undefined || (dollar === '' && !Number.isSafeInteger(value))) {
    throw new InvalidArgumentError('Expected a number of tokens, e.g. 200000, or of dollars, e.g. $2.50.');
  }
  return dollar === '$' ? { dollars: value } : { tokens: value };
}

function prices(text: string): Prices {
  const match = /^(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('Expected two numbers, e.g. 0.30,2.50.');
  return { prompt: Number(match[1]), completion: Number(match[2]) };
}

function keep(text: string): Keep {
  if (text === 'success' || text === 'all') return text;
  const reward = Number(text);
  if (text.trim() === '' || !(reward >= 0 && reward <= 1)) {
    throw new InvalidArgumentError('Expected success, all, or a reward from 0 to 1.');
  }
  return { reward };
}
