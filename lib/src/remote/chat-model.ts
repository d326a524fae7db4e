/** One core for every service: budget → pace → an attempt with a time limit → again if that may help. */
import { createBudget, noUsage, type Budget } from './budget.js';
import { systemClock, type Clock } from './clock.js';
import { ServiceError, serviceError } from './errors.js';
import { tokenBucket } from './pace.js';
import { withRetries, type Wait } from './retry.js';
import type { ChatModel, ChatRequest, Delivery, Usage } from './types.js';

/** How much is asked of a service, and how patiently. */
export interface RequestLimits {
  /** Shared by all models that are given the same one; default: no limit, only counting. */
  readonly budget?: Budget;
  /** Default `Infinity`. */
  readonly requestsPerMinute?: number;
  /** Seconds until an attempt is given up; default 120, because models that think take long. */
  readonly timeoutSeconds?: number;
  /** Attempts at one request; default 6: with waits that double, a minute of trouble passes. */
  readonly maxAttempts?: number;
  /** Seconds in which an attempt may still begin; default 600, because a service may ask for a whole minute more than once. */
  readonly maxTotalSeconds?: number;
  /** Told before each wait. */
  readonly onWait?: (wait: Wait) => void;
  /** For tests. */
  readonly clock?: Clock;
}

/** One attempt, by the rules of one service. Throws ServiceError, or anything else for a response that broke off. */
export type Send = (request: ChatRequest, signal: AbortSignal) => Promise<Delivery>;

export interface Service extends Pick<ChatModel, 'service' | 'model' | 'toSchema'> {
  readonly send: Send;
  /** Whatever is thrown is told without it. */
  readonly secret?: string | undefined;
}

/**
 * The most a request can take: a tokenizer makes at most one token of a byte, chat templates add a few a message, and `maxTokens`
 * bounds the reply.
 */
export function mostUsage({ system, messages, schema, maxTokens }: ChatRequest): Usage {
  const bytes = (text: string): number => new TextEncoder().encode(text).length;
  const texts = [system, JSON.stringify(schema), ...messages.map(({ content }) => content)];
  return {
    promptTokens: texts.reduce((sum, text) => sum + bytes(text) + TEMPLATE_TOKENS, 0),
    completionTokens: maxTokens,
    reasoningTokens: 0,
  };
}

const TEMPLATE_TOKENS = 16;

/** @throws RangeError for limits that are no positive numbers. */
export function createChatModel(
  { service, model, toSchema, send, secret }: Service,
  limits: RequestLimits = {},
): ChatModel {
  const {
    budget = createBudget(),
    requestsPerMinute = Infinity,
    timeoutSeconds = 120,
    maxAttempts = 6,
    maxTotalSeconds = 600,
    onWait,
    clock = systemClock,
  } = limits;
  for (const [name, value] of Object.entries({ timeoutSeconds, maxAttempts, maxTotalSeconds })) {
    if (!(value > 0)) throw new RangeError(`${name} must be a number above 0, got ${value}`);
  }
  const who = `${service} ${model}`;
  const pace = tokenBucket(requestsPerMinute, clock);
  const policy = {
    maxAttempts,
    maxTotalSeconds,
    clock,
    onWait: (wait: Wait) => {
      if (wait.error.retryAfterMs !== undefined) pace.hold(wait.waitMs);
      onWait?.(wait);
    },
  };

  return {
    service,
    model,
    toSchema,
    complete(request, signal) {
      const most = mostUsage(request);
      return withRetries(
        async (attempts) => {
          const settle = await budget.reserve(most);
          let took = noUsage;
          try {
            await pace.take(signal);
            took = most;
            const delivery = await inTime(request, signal);
            took = delivery.usage ?? most;
            return { ...delivery, usage: took, attempts };
          } catch (error) {
            // of a request that was broken off nobody knows what it took
            if (error instanceof ServiceError && !error.maybeBilled) took = noUsage;
            throw error;
          } finally {
            settle(took);
          }
        },
        request.key,
        policy,
        signal,
      );
    },
  };

  /** A timeout and a Ctrl-C look alike to whoever sends; here they are told apart. */
  async function inTime(request: ChatRequest, signal: AbortSignal | undefined): Promise<Delivery> {
    const timeout = clock.timeout(timeoutSeconds * 1000);
    try {
      return await send(request, signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal?.throwIfAborted();
      if (timeout.aborted) {
        const late = `${who}: no answer within ${timeoutSeconds} s`;
        throw new ServiceError(late, { retryable: true, maybeBilled: true });
      }
      throw serviceError(error, who, secret);
    }
  }
}
