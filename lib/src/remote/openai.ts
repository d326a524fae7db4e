/** One client for every server that speaks the OpenAI protocol: vLLM, Ollama, llama.cpp, Gemini's own endpoint. */
import { createChatModel, type RequestLimits } from './chat-model.js';
import { ServiceError } from './errors.js';
import { askJson, openEndpoint } from './http.js';
import { toJsonSchema } from './json-schema.js';
import { openAIBody, openAIDelivery, type OpenAIResponse } from './openai-requests.js';
import type { ChatModel, Constraint, Delivery } from './types.js';

export interface OpenAIOptions extends RequestLimits {
  /**
   * Everything before `/chat/completions`: `http://localhost:8000/v1` (vLLM), `http://localhost:11434/v1` (Ollama),
   * `http://localhost:8080/v1` (llama.cpp), `https://generativelanguage.googleapis.com/v1beta/openai` (Gemini).
   */
  readonly baseUrl: string;
  /** Model id as the server knows it. */
  readonly model: string;
  /** Sent as a bearer token; local servers need none. */
  readonly apiKey?: string | undefined;
}

const LADDER: readonly Constraint[] = ['json_schema', 'json_object', 'prefix'];

/**
 * A model behind an OpenAI-compatible server. It is asked for JSON by the strictest of `json_schema`, `json_object` and an answer already
 * begun that the server does not refuse; what it accepted is remembered for as long as this object lives. Whatever it promises, replies are
 * checked by the environment: some servers accept a schema and ignore it (ollama/ollama#12362).
 *
 * Held to a local server that answers as the four document it; never run against the real ones.
 * @throws Error for a URL that is none, or a key that cannot be one.
 */
export function openAIModel({ baseUrl, model, apiKey, ...limits }: OpenAIOptions): ChatModel {
  const endpoint = openEndpoint(baseUrl, apiKey);
  let rung = 0;

  return createChatModel(
    {
      service: 'openai',
      model,
      toSchema: toJsonSchema,
      secret: endpoint.secret,
      send: async (request, signal) => {
        for (let tried = rung; ; tried++) {
          const constraint = LADDER[tried]!;
          try {
            const body = openAIBody(request, model, constraint);
            const response = await askJson<OpenAIResponse>(endpoint, '/chat/completions', body, signal);
            const delivery: Delivery = openAIDelivery(response, request, model, constraint);
            rung = Math.max(rung, tried);
            return delivery;
          } catch (error) {
            if (tried + 1 >= LADDER.length || !refusesFormat(error)) throw error;
          }
        }
      },
    },
    limits,
  );
}

/**
 * Whether a server may have failed over how JSON was asked for. They say so with 400 or 422, some with 500 and a message
 * (ik_llama.cpp: `response_format type must be one of …`). Where it was about something else, the next rung fails as well.
 */
function refusesFormat(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status === undefined) return false;
  if ([400, 422, 501].includes(error.status)) return true;
  return error.status >= 500 && /response_format|json_schema|json_object|grammar/i.test(error.message);
}
