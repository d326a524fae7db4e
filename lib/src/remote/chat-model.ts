/** One core for every chat service: budget → pace → an attempt with a time limit → again if that may help. */
import { createBudget, noUsage, type Budget } from './budget.js';
import { ServiceError } from './errors.js';
import { patientRequests, type Patience } from './patience.js';
import type { ChatModel, ChatRequest, Delivery, Usage } from './types.js';

/** How much is asked of a service, and how patiently. */
export interface RequestLimits extends Patience {
  /** Shared by all models that are given the same one; default: no limit, only counting. */
  readonly budget?: Budget;
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
  { budget = createBudget(), ...patience }: RequestLimits = {},
): ChatModel {
  const requests = patientRequests({ who: `${service} ${model}`, secret }, patience);
  return {
    service,
    model,
    toSchema,
    complete(request, signal) {
      const most = mostUsage(request);
      return requests.again(
        async (attempts) => {
          const settle = await budget.reserve(most);
          let took = noUsage;
          try {
            await requests.turn(signal);
            took = most;
            const delivery = await requests.inTime((limited) => send(request, limited), signal);
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
        signal,
      );
    },
  };
}
