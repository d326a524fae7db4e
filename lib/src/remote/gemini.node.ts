import type { ApiError, GoogleGenAI } from '@google/genai';
import { checkedKey } from './api-key.js';
import { createChatModel, type RequestLimits } from './chat-model.js';
import { httpError, ServiceError } from './errors.js';
import { geminiContent, geminiDelivery } from './gemini-requests.js';
import { toGeminiSchema } from './json-schema.js';
import type { ChatModel } from './types.js';

export interface GeminiOptions extends RequestLimits {
  /** Model id. There is no default: models are retired within a year or two. */
  readonly model: string;
  /** Default: the environment variable `GEMINI_API_KEY`. */
  readonly apiKey?: string;
  /** Where the service is; default Google's own. */
  readonly baseUrl?: string;
}

/**
 * Gemini through `@google/genai`, which is loaded when the first request is made and is no dependency of this package.
 * Before that request the model id is looked up once, because a retired model may answer as if a quota were used up.
 *
 * Run against the SDK 2.32.0 and a local server that answers as documented; never against the real service.
 * @throws Error when there is no key, or one that cannot be.
 */
export function geminiModel({ model, apiKey, baseUrl, ...limits }: GeminiOptions): ChatModel {
  const key = geminiKey(apiKey);
  const connect = connector(key, baseUrl, model);
  return createChatModel(
    {
      service: 'gemini',
      model,
      toSchema: toGeminiSchema,
      secret: key,
      send: (request, signal) =>
        withHttpErrors(async () => {
          const { models } = await connect(signal);
          const { contents, config } = geminiContent(request);
          const response = await models.generateContent({
            model,
            contents,
            config: { ...config, abortSignal: signal },
          });
          return geminiDelivery(response, model);
        }),
    },
    limits,
  );
}

/** @throws Error when there is no key. */
export function geminiKey(apiKey: string | undefined): string {
  const key = apiKey ?? process.env['GEMINI_API_KEY'];
  if (key !== undefined) return checkedKey(key, 'GEMINI_API_KEY');
  throw new Error('there is no key for Gemini; set the environment variable GEMINI_API_KEY');
}

/** Connects when first called, and looks the model up. What is returned throws ServiceError when `@google/genai` is not installed. */
export function connector(
  apiKey: string,
  baseUrl: string | undefined,
  model: string,
): (signal: AbortSignal) => Promise<GoogleGenAI> {
  let connected: Promise<GoogleGenAI> | undefined;
  const connect = async (signal: AbortSignal): Promise<GoogleGenAI> => {
    const { GoogleGenAI } = await import('@google/genai').catch(explainMissing);
    // GOOGLE_GENAI_USE_VERTEXAI in the environment would lead elsewhere
    const client = new GoogleGenAI({ apiKey, vertexai: false, httpOptions: { baseUrl } });
    await client.models.get({ model, config: { abortSignal: signal } });
    return client;
  };
  return (signal) =>
    (connected ??= connect(signal).catch((error: unknown) => {
      // the next request tries again
      connected = undefined;
      throw error;
    }));
}

function explainMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new ServiceError(
    'Gemini needs the package @google/genai; install it: npm install @google/genai@2.32.0',
    { retryable: false },
  );
}

/** What the SDK says about a status becomes the error of that status; its message is the body. */
export async function withHttpErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isApiError(error) ? httpError(error.status, error.message) : error;
  }
}

function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === 'ApiError' && 'status' in error;
}
