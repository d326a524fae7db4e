/** Bodies of `POST /chat/completions`, as the servers document them. */
import type { ChatRequest, Constraint, Delivery, Usage } from './types.js';

/**
 * The body of a request under one kind of constraint.
 *
 * `json_schema`: vLLM, llama.cpp, Ollama ≥ 0.5 and Gemini's OpenAI endpoint. `json_object`: valid JSON of any kind. `prefix`: nothing but an
 * answer already begun, which vLLM continues when told to (`continue_final_message`) and llama.cpp by itself.
 */
export function openAIBody(request: ChatRequest, model: string, constraint: Constraint): object {
  const messages = [{ role: 'system', content: request.system }, ...request.messages];
  const body = { model, messages, temperature: request.temperature, max_tokens: request.maxTokens };
  switch (constraint) {
    case 'json_schema': {
      const json_schema = { name: 'reply', strict: true, schema: request.schema };
      return { ...body, response_format: { type: 'json_schema', json_schema } };
    }
    case 'json_object':
      return { ...body, response_format: { type: 'json_object' } };
    case 'prefix':
      return {
        ...body,
        messages: [...messages, { role: 'assistant', content: request.prefix }],
        add_generation_prompt: false,
        continue_final_message: true,
      };
  }
}

/** The part of a response that is read here. */
export interface OpenAIResponse {
  readonly model?: string;
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly message?: { readonly content?: string | null; readonly refusal?: string | null };
  }[];
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
  } | null;
}

/** Reads a response. Only `stop` is a whole answer; a server that gives no reason is believed, as the environment checks anyway. */
export function openAIDelivery(
  response: OpenAIResponse,
  { prefix }: ChatRequest,
  model: string,
  constraint: Constraint,
): Delivery {
  const choice = response.choices?.[0];
  const content = choice?.message?.content ?? '';
  const finishReason = choice === undefined ? 'no choice' : (choice.finish_reason ?? 'unknown');
  const refused = choice?.message?.refusal;
  return {
    text: constraint === 'prefix' ? completed(prefix, content) : content,
    refusal: refusalOf(finishReason, refused),
    finishReason,
    modelVersion: response.model ?? model,
    constraint,
    usage: usageOf(response.usage),
  };
}

/** Characters of a refusal that are kept: they excuse themselves at length. */
const LONGEST_REFUSAL = 100;

function refusalOf(finishReason: string, refused: string | null | undefined): string | null {
  if (typeof refused === 'string' && refused !== '') return `refused: ${refused.slice(0, LONGEST_REFUSAL)}`;
  return finishReason === 'stop' || finishReason === 'unknown' ? null : `finish reason ${finishReason}`;
}

/** What a model wrote after the prefix it was given, or, from a server that gave it a fresh start, the whole. */
function completed(prefix: string, content: string): string {
  const squeezed = content.replace(/\s+/g, '');
  const isWhole = squeezed.startsWith(prefix.replace(/\s+/g, '')) || squeezed.startsWith('```');
  return isWhole ? content : prefix + content;
}

function usageOf(usage: OpenAIResponse['usage']): Usage | null {
  if (usage?.prompt_tokens === undefined) return null;
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens ?? 0,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}
