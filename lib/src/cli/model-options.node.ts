import { InvalidArgumentError, Option, type Command } from 'commander';
import { createBudget, type Budget, type Limit, type Prices } from '../remote/budget.js';
import { fileLedger } from '../remote/batch-ledger.node.js';
import { geminiBatchModel } from '../remote/gemini-batch.node.js';
import { geminiModel } from '../remote/gemini.node.js';
import { openAIModel } from '../remote/openai.js';
import type { Wait } from '../remote/retry.js';
import type { ChatModel, Usage } from '../remote/types.js';
import { positiveInteger } from './options.node.js';

/** Options of every command that asks a model behind an API. */
export interface ModelOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly budget?: Amount;
  readonly prices?: Prices;
  readonly concurrency: number;
  readonly rpm?: number;
}

type Amount = { readonly tokens: number } | { readonly dollars: number };

export type ServiceName = 'gemini' | 'openai';

export const KEYS_HELP = `The key is read from the environment, GEMINI_API_KEY or OPENAI_API_KEY, and is never written anywhere. Servers of your own
need none. Gemini needs the package @google/genai, which is not installed with posttrain: npm install @google/genai@2.32.0.`;

export function addModelOptions(command: Command): Command {
  return command
    .option('--model <id>', 'model of gemini or openai; there is no default, as models are retired')
    .option('--base-url <url>', 'server that speaks the OpenAI protocol, e.g. http://localhost:8000/v1')
    .addOption(
      new Option(
        '--budget <amount>',
        'most to spend, in tokens (200000) or dollars ($2.50, with --prices)',
      ).argParser(amount),
    )
    .option('--prices <prompt,completion>', 'dollars per million tokens, as you pay them', prices)
    .option('--concurrency <number>', 'requests at a time', positiveInteger, 4)
    .option('--rpm <number>', "most requests a minute (default: only the service's limit)", positiveInteger);
}

/** @throws Error for a budget in dollars without prices. */
export function budgetFor({ budget, prices }: ModelOptions, spentBefore?: Usage): Budget {
  return createBudget(limitOf(budget, prices), spentBefore);
}

function limitOf(budget: Amount | undefined, prices: Prices | undefined): Limit | undefined {
  if (budget === undefined || 'tokens' in budget) return budget;
  if (prices !== undefined) return { ...budget, prices };
  throw new Error('a --budget in dollars needs --prices, e.g. --prices 1,10 (dollars per million tokens)');
}

export interface ModelSetup {
  readonly budget: Budget;
  /** Gets a few words when a service keeps us waiting. */
  readonly tell: (text: string) => void;
  /** File of the batches under way: ask in batches. */
  readonly batches?: string;
}

/** @throws Error when an option is missing. */
export function modelFor(
  service: ServiceName,
  { model, baseUrl, rpm }: ModelOptions,
  { budget, tell, batches }: ModelSetup,
): ChatModel {
  if (model === undefined) throw new Error(`${service} needs --model, the id of a model`);
  const onWait = ({ error, waitMs }: Wait): void =>
    tell(`waiting ${Math.ceil(waitMs / 1000)} s (${error.status ?? 'no response'})`);
  const limits = { budget, onWait, ...(rpm !== undefined && { requestsPerMinute: rpm }) };
  if (service === 'gemini') {
    const gemini = { ...limits, model, ...(baseUrl !== undefined && { baseUrl }) };
    if (batches === undefined) return geminiModel(gemini);
    if (rpm !== undefined) throw new Error('--rpm is for single requests, a batch is one; leave it out');
    const onState = (job: string, state: string): void => tell(`${job}: ${state}`);
    return geminiBatchModel({ ...gemini, ledger: fileLedger(batches), onState });
  }
  if (batches !== undefined) throw new Error('--batch is for gemini only; leave it out');
  if (baseUrl === undefined) throw new Error('openai needs --base-url, e.g. http://localhost:8000/v1');
  return openAIModel({ ...limits, model, baseUrl, apiKey: process.env['OPENAI_API_KEY'] });
}

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
  if (match === null) throw new InvalidArgumentError('Expected two numbers, e.g. 1,10.');
  return { prompt: Number(match[1]), completion: Number(match[2]) };
}
