/** JSON over HTTP, as servers of the OpenAI protocol and others speak it. */
import { checkedKey } from './api-key.js';
import { httpError } from './errors.js';

export interface Endpoint {
  /** Without a slash at its end. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The key, to be kept out of messages. */
  readonly secret: string | undefined;
}

/** What protocols differ in before the first request. */
export interface Protocol {
  /** A base URL, told to whoever gave none. */
  readonly example: string;
  /** The headers that carry the key. */
  readonly keyHeaders: (key: string) => Readonly<Record<string, string>>;
}

const OPENAI: Protocol = {
  example: 'http://localhost:8000/v1',
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
};

/**
 * @param protocol default OpenAI's.
 * @throws Error for a URL that is none, or a key that cannot be one.
 */
export function openEndpoint(
  baseUrl: string,
  apiKey: string | undefined,
  { example, keyHeaders }: Protocol = OPENAI,
): Endpoint {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new Error(`the base URL ${JSON.stringify(baseUrl)} is none; expected e.g. ${example}`);
  }
  const secret = apiKey === undefined ? undefined : checkedKey(apiKey, 'the API key');
  return {
    url: baseUrl.replace(/\/+$/, ''),
    headers: {
      'content-type': 'application/json',
      ...(secret === undefined ? {} : keyHeaders(secret)),
    },
    secret,
  };
}

/**
 * The body of the answer: to a POST of `body`, or without one to a GET.
 * @throws ServiceError for a status that is none of success; what `fetch` throws for a response that broke off.
 */
export async function askText(
  { url, headers }: Endpoint,
  path: string,
  body: object | undefined,
  signal: AbortSignal,
): Promise<string> {
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url + path, { ...request, headers, signal });
  const text = await response.text();
  if (!response.ok) throw httpError(response.status, text, response.headers.get('retry-after'));
  return text;
}

/** As `askText`; what comes back is an object, and no more is known of it. */
export async function askJson<T extends object>(...asked: Parameters<typeof askText>): Promise<Partial<T>> {
  const value = JSON.parse(await askText(...asked)) as Partial<T> | null;
  if (typeof value !== 'object' || value === null) throw new SyntaxError('the response is no JSON object');
  return value;
}
