import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { addUsage, createBudget } from 'posttrain/remote/budget';
import { mostUsage } from 'posttrain/remote/chat-model';
import { describeBody } from 'posttrain/remote/error-body';
import {
  httpError,
  networkError,
  serviceError,
  ServiceError,
  UnansweredError,
} from 'posttrain/remote/errors';
import { tokenBucket } from 'posttrain/remote/pace';
import { waitAfter, withRetries } from 'posttrain/remote/retry';
import type { Usage } from 'posttrain/remote/types';
import { unwrap } from 'posttrain/remote/unwrap';
import { stillClock } from '../teachers/still-clock.js';

const usage = (promptTokens: number, completionTokens: number): Usage => ({
  promptTokens,
  completionTokens,
  reasoningTokens: 0,
});
const quota = {
  error: {
    code: 429,
    message: 'You exceeded\nyour current quota.',
    status: 'RESOURCE_EXHAUSTED',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.Help' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7.25s' },
    ],
  },
};

describe('an error body', () => {
  it.each([
    ['Gemini', JSON.stringify(quota), 'RESOURCE_EXHAUSTED: You exceeded your current quota.', 7250],
    [
      'its OpenAI endpoint',
      JSON.stringify([quota]),
      'RESOURCE_EXHAUSTED: You exceeded your current quota.',
      7250,
    ],
    [
      'a body in a body',
      JSON.stringify({ error: { code: 429, message: JSON.stringify(quota) } }),
      'RESOURCE_EXHAUSTED: You exceeded your current quota.',
      7250,
    ],
    [
      'vLLM',
      '{"error":{"message":"bad","type":"BadRequestError","param":null,"code":400}}',
      'bad',
      undefined,
    ],
    [
      'older vLLM',
      '{"object":"error","message":"bad","type":"BadRequestError","param":null,"code":400}',
      'bad',
      undefined,
    ],
    [
      'Ollama',
      '{"error":"model \\"x\\" not found, try pulling it first"}',
      'model "x" not found, try pulling it first',
      undefined,
    ],
    ['FastAPI (SkyRL)', '{"detail":"Model not found"}', 'Model not found', undefined],
    [
      'HTML',
      '<html><head><style>b{}</style><title>502</title></head><body>Bad <b>Gateway</b></body></html>',
      '502 Bad Gateway',
      undefined,
    ],
    ['nothing', '', 'no explanation', undefined],
    [
      'a delay that is none',
      '{"error":{"message":"m","details":[{"@type":"x.RetryInfo","retryDelay":5}]}}',
      'm',
      undefined,
    ],
  ])('of %s', (_, body, message, retryAfterMs) => {
    expect(describeBody(body)).toEqual({ message, retryAfterMs });
  });

  it('of any kind is one short line', () => {
    const bodies = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((error) => `{"error":${error}}`),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        const { message } = describeBody(body);
        expect(message).toMatch(/^[^\n]{1,301}$/);
      }),
    );
  });
});

describe('an error', () => {
  it.each([408, 429, 500, 502, 503, 504])('with status %d may pass', (status) => {
    expect(httpError(status, '')).toMatchObject({ retryable: true, maybeBilled: false, status });
  });
  it.each([400, 401, 403, 404, 409, 422])('with status %d is final', (status) => {
    expect(httpError(status, '').retryable).toBe(false);
  });
  it('takes the wish of the header where the body has none', () => {
    expect(httpError(503, '', '20').retryAfterMs).toBe(20_000);
    expect(httpError(429, JSON.stringify(quota), '20').retryAfterMs).toBe(7250);
    expect(httpError(503, '', 'Wed, 21 Oct 2026 07:28:00 GMT').retryAfterMs).toBeUndefined();
  });
  it('knows whether anything can have been sent', () => {
    const refused = new TypeError('fetch failed', {
      cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
    });
    expect(networkError(refused)).toMatchObject({
      maybeBilled: false,
      message: 'no usable response (ECONNREFUSED)',
    });
    expect(networkError(new TypeError('terminated')).maybeBilled).toBe(true);
  });
  it('never holds the key', () => {
    const told = serviceError(new Error('bad header: Bearer sk-1'), 'openai m', 'sk-1');
    expect(told.message).toBe('openai m: no usable response (bad header: Bearer [key])');
    expect(told.stack).not.toContain('sk-1');
    expect(told.cause).toBeUndefined();
  });
});

describe('waiting', () => {
  it('never undercuts the service, and grows without a wish up to a minute', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 10 ** 6 }),
        fc.string(),
        (attempt, ms, key) => {
          expect(waitAfter(attempt, ms, key)).toBeGreaterThanOrEqual(ms);
          expect(waitAfter(attempt, ms, key)).toBeLessThan(ms + 1000 + 1e-9);
          const longest = Math.min(60_000, 1000 * 2 ** (attempt - 1));
          expect(waitAfter(attempt, undefined, key)).toBeGreaterThanOrEqual(longest / 2);
          expect(waitAfter(attempt, undefined, key)).toBeLessThan(longest);
        },
      ),
    );
    expect(waitAfter(1, undefined, 'a')).not.toBe(waitAfter(1, undefined, 'b'));
  });

  it('ends with the attempts', async () => {
    const clock = stillClock();
    const tried: number[] = [];
    const trouble = new ServiceError('busy', { retryable: true });
    const work = withRetries((attempt) => (tried.push(attempt), Promise.reject(trouble)), 'k', {
      maxAttempts: 3,
      maxTotalSeconds: 100,
      clock,
      onWait: () => undefined,
    });
    await expect(work).rejects.toThrow(new UnansweredError('no answer after 3 attempts; busy'));
    expect(tried).toEqual([1, 2, 3]);
  });
});

describe('the pace', () => {
  it('spreads requests over the minute, whoever makes them', async () => {
    const clock = stillClock();
    const pace = tokenBucket(30, clock);
    for (let i = 0; i < 4; i++) await pace.take();
    expect(clock.now()).toBe(6000);
    pace.hold(10_000);
    await pace.take();
    expect(clock.now()).toBe(16_000);
  });
  it.each([0, -1, NaN])('%d requests a minute are none', (rate) => {
    expect(() => tokenBucket(rate, stillClock())).toThrow('requestsPerMinute must be a number above 0');
  });
});

describe('a budget', () => {
  it('lets nothing pass that might exceed it, in any order of events', async () => {
    const requests = fc.array(
      fc.record({ most: fc.integer({ min: 1, max: 40 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
      { minLength: 1, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(requests, async (all) => {
        const budget = createBudget({ tokens: 100 });
        const work = all.map(async ({ most, share }) => {
          const settle = await budget.reserve(usage(most, 0));
          await Promise.resolve();
          settle(usage(Math.floor(most * share), 0));
        });
        const ends = await Promise.allSettled(work);
        const { promptTokens } = budget.spent;
        expect(promptTokens).toBeLessThanOrEqual(100);
        const refused = ends.findIndex(({ status }) => status === 'rejected');
        if (refused >= 0)
          expect(promptTokens + Math.max(...all.map(({ most }) => most))).toBeGreaterThan(100);
      }),
    );
  });

  it('counts money by the prices given, and what was spent before', async () => {
    const prices = { prompt: 1, completion: 10 };
    const budget = createBudget({ dollars: 0.01, prices }, usage(2000, 500));
    (await budget.reserve(usage(1000, 100)))(usage(1000, 100));
    await expect(budget.reserve(usage(1000, 1))).rejects.toThrow(
      'the budget of $0.0100 might be passed: $0.0090 are spent and the next request may take $0.0010',
    );
  });

  it.each([
    [{ tokens: -1 }, 'budget: tokens must be a number ≥ 0, got -1'],
    [{ dollars: 1, prices: { prompt: NaN, completion: 1 } }, 'budget: price of prompts must be a number ≥ 0'],
  ])('%j is none', (limit, message) => {
    expect(() => createBudget(limit)).toThrow(message);
  });

  it('knows the most a request can take', () => {
    const most = mostUsage({
      key: 'k',
      system: 'é',
      messages: [{ role: 'user', content: '图' }],
      schema: {},
      prefix: '',
      temperature: 1,
      maxTokens: 7,
    });
    expect(most).toEqual(usage(2 + 3 + 2 + 3 * 16, 7));
    expect(addUsage(most, most).completionTokens).toBe(14);
  });
});

describe('unwrap', () => {
  it.each([
    ['{"a":1}', '{"a":1}', []],
    ['\n {"a":1} ', '{"a":1}', []],
    ['```json\n{"a":1}\n```', '{"a":1}', ['fence']],
    ['```\n{"a":1}```', '{"a":1}', ['fence']],
    ['"{\\"a\\":1}"', '{"a":1}', ['quotes']],
    ['```json\n"{\\"a\\":1}"\n```', '{"a":1}', ['fence', 'quotes']],
    ['Here: ```json\n{}\n```', 'Here: ```json\n{}\n```', []],
    ['"cut short', '"cut short', []],
  ])('%j', (reply, text, wrappings) => {
    expect(unwrap(reply)).toEqual({ text, wrappings });
  });
});
