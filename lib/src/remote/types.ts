/** The nouns of talking to a model behind an API. */
import type { z } from 'zod';

/** Tokens that requests took. What a model thinks before it answers counts as completion, as it does on the bill. */
export interface Usage {
  readonly promptTokens: number;
  /** Thoughts included. */
  readonly completionTokens: number;
  /** The part of `completionTokens` that was thought and is not in the text; 0 where the service does not say. */
  readonly reasoningTokens: number;
}

/** A JSON Schema as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One message of the conversation that a model is asked to go on with. */
export interface RemoteMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** What a model is asked. */
export interface ChatRequest {
  /** Tells requests apart in logs, in batches and in the dice of waiting; the same question asked twice has two keys. */
  readonly key: string;
  readonly system: string;
  readonly messages: readonly RemoteMessage[];
  /** What the reply must match. */
  readonly schema: JsonSchema;
  /** How a reply begins, for servers that cannot be given a schema: the model is made to go on from here. */
  readonly prefix: string;
  readonly temperature: number;
  /** Most tokens of the reply, thoughts included. */
  readonly maxTokens: number;
}

/** How a server was made to answer in JSON, strictest first. */
export type Constraint = 'json_schema' | 'json_object' | 'prefix';

/** What came back from one attempt. */
export interface Delivery {
  /** `''` when there is none. */
  readonly text: string;
  /** Why this is no whole answer (blocked, cut short, refused); `null` when it is one. */
  readonly refusal: string | null;
  /** The service's own word, e.g. `STOP` or `length`. */
  readonly finishReason: string;
  /** What the service says it answered with; it may be more exact than what was asked for. */
  readonly modelVersion: string;
  readonly constraint: Constraint;
  /** `null` where the server does not say; the most it can have been is counted then. */
  readonly usage: Usage | null;
}

/** An answer, and what it took. */
export interface ChatReply extends Omit<Delivery, 'usage'> {
  readonly usage: Usage;
  /** Attempts until this one, itself included. */
  readonly attempts: number;
}

/** A model behind an API, with all care taken: paced, retried, timed and paid from a budget. */
export interface ChatModel {
  /** The kind of service, e.g. `gemini`. */
  readonly service: string;
  /** Model id as configured. */
  readonly model: string;
  /** A zod schema in the words that this service understands. */
  toSchema(schema: z.ZodType): JsonSchema;
  /**
   * @throws ServiceError when the service refuses for good (a wrong key, an unknown model), `UnansweredError` when it gave no answer in
   * the attempts allowed, `BudgetError` when the request might pass the budget, the signal's reason when aborted.
   */
  complete(request: ChatRequest, signal?: AbortSignal): Promise<ChatReply>;
}
