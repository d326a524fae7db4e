/** What requests may cost, and what they have. */
import { BudgetError } from './errors.js';
import type { Usage } from './types.js';

/** US dollars per million tokens, as you pay them: those of the batch API when that is used. */
export interface Prices {
  readonly prompt: number;
  readonly completion: number;
}

/** The most that may be spent: tokens of both kinds together, or money by the prices given. */
export type Limit = { readonly tokens: number } | { readonly dollars: number; readonly prices: Prices };

export interface Budget {
  /** Spent so far. */
  readonly spent: Usage;
  /**
   * Sets the most a request can take aside before it is sent, and returns what to call with what it really took. While other requests are
   * under way it waits for what they leave over.
   * @throws BudgetError when the limit might be passed.
   */
  reserve(most: Usage): Promise<(actual: Usage) => void>;
}

export const noUsage: Usage = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

/** US dollars. */
export function costOf({ promptTokens, completionTokens }: Usage, { prompt, completion }: Prices): number {
  return (promptTokens * prompt + completionTokens * completion) / 1e6;
}

/**
 * A budget that stops before it is passed: a request is sent only if the most it can take still fits. That holds as far as the service keeps to
 * `maxTokens`; one that does not is noticed with the next request.
 *
 * @param limit absent = no limit, only counting.
 * @param already what earlier processes spent of it.
 * @throws RangeError for a limit or a price that is no number ≥ 0.
 */
export function createBudget(limit?: Limit, already: Usage = noUsage): Budget {
  if (limit !== undefined) requireNumbers(limit);
  let spent = already;
  let reserved = noUsage;
  let underWay = 0;
  let settled: (() => void)[] = [];
  const fits = (more: Usage): boolean =>
    limit === undefined || amount(addUsage(addUsage(spent, reserved), more), limit) <= largest(limit);

  return {
    get spent() {
      return spent;
    },
    async reserve(most) {
      while (!fits(most)) {
        if (underWay === 0) throw new BudgetError(explain(limit!, spent, most));
        await new Promise<void>((resume) => settled.push(resume));
      }
      reserved = addUsage(reserved, most);
      underWay += 1;
      return (actual) => {
        reserved = addUsage(reserved, negative(most));
        spent = addUsage(spent, actual);
        underWay -= 1;
        const waiting = settled;
        settled = [];
        waiting.forEach((resume) => resume());
      };
    },
  };
}

function amount(usage: Usage, limit: Limit): number {
  return 'tokens' in limit ? usage.promptTokens + usage.completionTokens : costOf(usage, limit.prices);
}

function largest(limit: Limit): number {
  return 'tokens' in limit ? limit.tokens : limit.dollars;
}

function negative({ promptTokens, completionTokens, reasoningTokens }: Usage): Usage {
  return {
    promptTokens: -promptTokens,
    completionTokens: -completionTokens,
    reasoningTokens: -reasoningTokens,
  };
}

function explain(limit: Limit, spent: Usage, most: Usage): string {
  const show = (value: number): string =>
    'tokens' in limit ? `${value.toLocaleString('en')} tokens` : `$${value.toFixed(4)}`;
  return (
    `the budget of ${show(largest(limit))} might be passed: ${show(amount(spent, limit))} are spent ` +
    `and the next request may take ${show(amount(most, limit))}; raise the budget, or lower maxTokens`
  );
}

function requireNumbers(limit: Limit): void {
  const numbers =
    'tokens' in limit
      ? { tokens: limit.tokens }
      : {
          dollars: limit.dollars,
          'price of prompts': limit.prices.prompt,
          'price of completions': limit.prices.completion,
        };
  for (const [name, value] of Object.entries(numbers)) {
    if (!(value >= 0 && value < Infinity)) {
      throw new RangeError(`budget: ${name} must be a number ≥ 0, got ${value}`);
    }
  }
}
