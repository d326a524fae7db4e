/**
 * `POST /v1/chat/completions` as four servers document it, on this machine. Sources of the shapes: vLLM `entrypoints/openai/engine/protocol.py`,
 * Ollama `openai/openai.go`, llama.cpp `tools/server/README.md` and ggml-org/llama.cpp#11847, #13174, Gemini n4ze3m/page-assist#406.
 */
import { fakeService, json, type Asked, type FakeService, type Reply } from './fake-service.js';

/** What a server does with a request that it accepts, and how it refuses one. */
export interface Kind {
  /** Constraints that it takes. */
  readonly takes: readonly ('json_schema' | 'json_object')[];
  readonly refusal: Reply;
  readonly reply: (content: string, finishReason?: string) => object;
  /** Whether it goes on with an answer that was begun, or begins again. */
  readonly continues: boolean;
}

const usage = { prompt_tokens: 640, completion_tokens: 90, total_tokens: 730 };

const message = (content: string): object => ({ role: 'assistant', content });

export const kinds: Readonly<Record<'vLLM' | 'old vLLM' | 'Ollama' | 'llama.cpp' | 'Gemini', Kind>> = {
  vLLM: {
    takes: ['json_schema', 'json_object'],
    refusal: json(400, {
      error: { message: 'Grammar error: unsupported', type: 'BadRequestError', param: null, code: 400 },
    }),
    reply: (content, finish_reason = 'stop') => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_790_000_000,
      model: 'test-model',
      choices: [
        {
          index: 0,
          message: { ...message(content), refusal: null, tool_calls: [], reasoning_content: null },
          logprobs: null,
          finish_reason,
          stop_reason: null,
        },
      ],
      usage: { ...usage, prompt_tokens_details: null },
      prompt_logprobs: null,
    }),
    continues: true,
  },
  /** Takes a schema, but not this one; the error stands at the top. */
  'old vLLM': {
    takes: ['json_object'],
    refusal: json(400, {
      object: 'error',
      message: 'json_schema_converter.cc: unsupported',
      type: 'BadRequestError',
      param: null,
      code: 400,
    }),
    reply: (content, finishReason) => kinds.vLLM.reply(content, finishReason),
    continues: true,
  },
  Ollama: {
    takes: ['json_schema', 'json_object'],
    refusal: json(400, {
      error: { message: 'invalid format', type: 'invalid_request_error', param: null, code: null },
    }),
    reply: (content, finish_reason = 'stop') => ({
      id: 'chatcmpl-2',
      object: 'chat.completion',
      created: 1_790_000_000,
      model: 'test-model',
      system_fingerprint: 'fp_ollama',
      choices: [{ index: 0, message: message(content), finish_reason }],
      usage,
    }),
    continues: false,
  },
  /** The build of ggml-org/llama.cpp#11847. */
  'llama.cpp': {
    takes: [],
    refusal: json(400, {
      error: {
        code: 400,
        message: 'Either "json_schema" or "grammar" can be specified, but not both',
        type: 'invalid_request_error',
      },
    }),
    reply: (content, finish_reason = 'stop') => ({
      choices: [{ finish_reason, index: 0, message: message(content) }],
      created: 1_790_000_000,
      model: 'test-model',
      system_fingerprint: 'b4689-90e4dba4',
      object: 'chat.completion',
      usage,
      id: 'chatcmpl-3',
      timings: { prompt_n: 640, predicted_n: 90 },
    }),
    continues: true,
  },
  Gemini: {
    takes: ['json_schema', 'json_object'],
    refusal: json(400, [
      { error: { code: 400, message: 'Invalid JSON payload received.', status: 'INVALID_ARGUMENT' } },
    ]),
    reply: (content, finish_reason = 'stop') => ({
      choices: [{ finish_reason, index: 0, message: message(content) }],
      created: 1_790_000_000,
      id: 'r1',
      model: 'test-model',
      object: 'chat.completion',
      usage,
    }),
    continues: false,
  },
};

export interface OpenAIBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly max_tokens: number;
  readonly temperature: number;
  readonly response_format?: { readonly type: 'json_schema' | 'json_object'; readonly json_schema?: object };
  readonly continue_final_message?: boolean;
}

/** A server of this kind that would say `text`. */
export function fakeOpenAI(kind: Kind, text: string): Promise<FakeService> {
  return fakeService((response, asked) => answer(kind, text, asked)(response, asked));
}

function answer(kind: Kind, text: string, { body, path }: Asked): Reply {
  if (path !== '/v1/chat/completions') return json(404, { detail: 'Not Found' });
  const { messages, response_format: format } = body as OpenAIBody;
  if (format !== undefined) {
    return kind.takes.includes(format.type) ? json(200, kind.reply(text)) : kind.refusal;
  }
  const last = messages.at(-1)!;
  const begun = last.role === 'assistant' && kind.continues ? last.content : '';
  return json(200, kind.reply(text.slice(begun.length)));
}
