/**
 * Error bodies of the services, all of them JSON when all is well:
 * `{"error":{"message",…}}` (Gemini, vLLM, Ollama, llama.cpp), `[{"error":{…}}]` (Gemini's OpenAI endpoint), `{"object":"error","message"}`
 * (older vLLM), `{"error":"…"}` (Ollama's own API), `{"detail":"…"}` (FastAPI: SkyRL). Proxies in between answer in HTML.
 */

export interface ErrorBody {
  /** One line, at most 300 characters. */
  readonly message: string;
  /** From `google.rpc.RetryInfo` in `error.details`. */
  readonly retryAfterMs: number | undefined;
}

const LONGEST_MESSAGE = 300;

/** Reads an error body. Never throws: what cannot be read is quoted. */
export function describeBody(body: string): ErrorBody {
  const error = errorIn(parse(body));
  if (error === undefined) return { message: oneLine(withoutMarkup(body)), retryAfterMs: undefined };
  const { message, status, details } = error;
  // @google/genai and some proxies put the whole body of the service into the message
  if (typeof message === 'string' && errorIn(parse(message)) !== undefined) return describeBody(message);
  const words = [status, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return { message: oneLine(words), retryAfterMs: retryDelay(details) };
}

type Fields = Readonly<Record<string, unknown>>;

function errorIn(value: unknown): Fields | undefined {
  if (Array.isArray(value)) return errorIn(value[0]);
  if (!isFields(value)) return undefined;
  if (typeof value['error'] === 'string') return { message: value['error'] };
  if (isFields(value['error'])) return value['error'];
  if (typeof value['detail'] === 'string') return { message: value['detail'] };
  return value['object'] === 'error' ? value : undefined;
}

/** `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"53.5s"}` in milliseconds. */
function retryDelay(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  const delay = details.filter(isFields).find((detail) => String(detail['@type']).endsWith('RetryInfo'))?.[
    'retryDelay'
  ];
  const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function withoutMarkup(body: string): string {
  return body.replace(/<(script|style)[^]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return 'no explanation';
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
