/**
 * Gemini's REST API as documented, on this machine: paths, error bodies (`google.rpc.Status` with `RetryInfo`), finish reasons, blocked
 * prompts and the life of a batch. The real SDK talks to it.
 */
import type { ServerResponse } from 'node:http';
import { fakeService, json, type Asked, type FakeService, type Reply } from './fake-service.js';

export const MODEL = 'gemini-test-1';

const usageMetadata = {
  promptTokenCount: 700,
  candidatesTokenCount: 120,
  thoughtsTokenCount: 30,
  totalTokenCount: 850,
};

export function candidate(text: string, finishReason = 'STOP'): object {
  return {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason, index: 0 }],
    usageMetadata,
    modelVersion: `${MODEL}-001`,
    responseId: 'r1',
  };
}

/** The documented ways to answer `generateContent`. */
export const gemini = {
  ok: (text: string): Reply => json(200, candidate(text)),
  fence: (text: string): Reply => json(200, candidate(`\`\`\`json\n${text}\n\`\`\``)),
  quoted: (text: string): Reply => json(200, candidate(JSON.stringify(text))),
  truncated: (text: string): Reply =>
    json(200, candidate(text.slice(0, Math.floor(text.length / 2)), 'MAX_TOKENS')),
  finished: (finishReason: string): Reply => json(200, candidate('', finishReason)),
  /** A model that thinks aloud: parts marked `thought` are no answer. */
  thinking: (text: string): Reply =>
    json(200, {
      candidates: [
        { content: { parts: [{ text: 'Boxes first.', thought: true }, { text }] }, finishReason: 'STOP' },
      ],
      usageMetadata,
    }),
  blocked: (blockReason: string): Reply =>
    json(200, {
      promptFeedback: { blockReason },
      usageMetadata: { promptTokenCount: 700, totalTokenCount: 700 },
    }),
  error: (code: number, status: string, message: string, details: readonly object[] = []): Reply =>
    json(code, { error: { code, message, status, details } }),
  quota: (retryDelay?: string): Reply =>
    gemini.error(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel', quotaValue: '10' }],
      },
      ...(retryDelay === undefined
        ? []
        : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }]),
    ]),
  overloaded: (): Reply => gemini.error(503, 'UNAVAILABLE', 'The model is overloaded.'),
};

export interface FakeGemini extends FakeService {
  /** Requests that ask for an answer, in order. */
  questions(): Asked[];
}

/**
 * @param script how to answer the first, second, … question; the last entry goes on for ever.
 */
export async function fakeGemini(...script: readonly Reply[]): Promise<FakeGemini> {
  let turn = 0;
  const service = await fakeService((response, asked) => {
    if (asked.method === 'GET') return modelCard(response, asked);
    script[Math.min(turn++, script.length - 1)]!(response, asked);
  });
  return { ...service, questions: () => service.asked.filter(({ method }) => method === 'POST') };
}

function modelCard(response: ServerResponse, asked: Asked): void {
  const name = asked.path.split('/').at(-1)!;
  const answer =
    name === MODEL
      ? json(200, { name: `models/${MODEL}`, version: '001', inputTokenLimit: 1_048_576 })
      : gemini.error(
          404,
          'NOT_FOUND',
          `models/${name} is not found for API version v1beta. Call ModelService.ListModels to see the list of available models.`,
        );
  answer(response, asked);
}
