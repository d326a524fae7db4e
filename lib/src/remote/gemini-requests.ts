/** What Gemini is sent and what it sends, apart from the way: single requests and batches share it. */
import type { ChatRequest, Delivery, Usage } from './types.js';

/** `contents` and `config` of `models.generateContent` in @google/genai. */
export interface GeminiContent {
  readonly contents: { readonly role: string; readonly parts: { readonly text: string }[] }[];
  readonly config: {
    readonly systemInstruction: string;
    readonly temperature: number;
    readonly maxOutputTokens: number;
    readonly responseMimeType: string;
    readonly responseJsonSchema: unknown;
  };
}

export function geminiContent(request: ChatRequest): GeminiContent {
  return {
    contents: request.messages.map(({ role, content }) => ({
      role: role === 'assistant' ? 'model' : 'user',
      parts: [{ text: content }],
    })),
    config: {
      systemInstruction: request.system,
      temperature: request.temperature,
      maxOutputTokens: request.maxTokens,
      responseMimeType: 'application/json',
      // not responseSchema, which the SDK rewrites: it drops additionalProperties
      responseJsonSchema: request.schema,
    },
  };
}

/** The part of the SDK's `GenerateContentResponse` that is read here. */
export interface GeminiResponse {
  readonly candidates?: readonly {
    readonly content?: {
      readonly parts?: readonly { readonly text?: string; readonly thought?: boolean }[];
    };
    readonly finishReason?: string;
  }[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly modelVersion?: string;
  readonly usageMetadata?: {
    readonly promptTokenCount?: number;
    readonly candidatesTokenCount?: number;
    readonly thoughtsTokenCount?: number;
  };
}

/**
 * Reads a response. Only `STOP` is a whole answer: the text of `MAX_TOKENS` is JSON cut short, a blocked prompt has no candidate at all.
 * The SDK's own `response.text` is not used because it writes to the console when there are other parts.
 */
export function geminiDelivery(response: GeminiResponse, model: string): Delivery {
  const candidate = response.candidates?.[0];
  const blocked = response.promptFeedback?.blockReason;
  const parts = candidate?.content?.parts ?? [];
  const finishReason = candidate?.finishReason ?? (blocked === undefined ? 'NO_CANDIDATE' : 'BLOCKED');
  return {
    text: parts.map(({ text = '', thought }) => (thought === true ? '' : text)).join(''),
    refusal: refusalOf(finishReason, blocked),
    finishReason,
    modelVersion: response.modelVersion ?? model,
    constraint: 'json_schema',
    usage: geminiUsage(response.usageMetadata),
  };
}

function refusalOf(finishReason: string, blocked: string | undefined): string | null {
  if (blocked !== undefined) return `prompt blocked: ${blocked}`;
  return finishReason === 'STOP' ? null : `finish reason ${finishReason}`;
}

function geminiUsage(metadata: GeminiResponse['usageMetadata']): Usage | null {
  if (metadata?.promptTokenCount === undefined) return null;
  const reasoningTokens = metadata.thoughtsTokenCount ?? 0;
  return {
    promptTokens: metadata.promptTokenCount,
    completionTokens: (metadata.candidatesTokenCount ?? 0) + reasoningTokens,
    reasoningTokens,
  };
}
