import { afterEach, describe, expect, it } from 'vitest';
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { diagramEnvironment } from 'posttrain/envs/diagram/environment';
import { generateTask } from 'posttrain/envs/diagram/tasks/index';
import { createBudget } from 'posttrain/remote/budget';
import { openAIModel, type OpenAIOptions } from 'posttrain/remote/openai';
import { scoreDiagram } from 'posttrain/rewards/index';
import { collect } from 'posttrain/teachers/collect';
import { diagramTeacher } from 'posttrain/teachers/model-teacher';
import type { TrajectoryRecord } from 'posttrain/teachers/records';
import { scriptedActions } from 'posttrain/teachers/scripted';
import { fakeOpenAI, kinds, type OpenAIBody } from './fake-openai.js';
import {
  dropMidBody,
  fakeService,
  hang,
  html502,
  json,
  type FakeService,
  type Reply,
} from './fake-service.js';
import { stillClock } from './still-clock.js';

const KEY = 'sk-this-is-no-key-0123456789';
const env = diagramEnvironment({ scorer: scoreDiagram });
const tasks = [generateTask({ seed: 5, split: 'train', index: 0, profile: 'curriculum' })];
const right = serializeActions(scriptedActions(tasks[0]!, [], 0));

let server: FakeService | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function ask(options: Partial<OpenAIOptions> = {}, numGenerations = 1): Promise<TrajectoryRecord[]> {
  const model = openAIModel({
    baseUrl: `${server!.url}/v1/`,
    model: 'test-model',
    clock: stillClock(),
    ...options,
  });
  const records: TrajectoryRecord[] = [];
  for await (const record of collect({
    env,
    tasks,
    teachers: [{ teacher: diagramTeacher({ model }) }],
    numGenerations,
  }))
    records.push(record);
  return records;
}

const bodies = (): OpenAIBody[] => server!.asked.map(({ body }) => body as OpenAIBody);
const asForms = (): string[] => bodies().map(({ response_format: format }) => format?.type ?? 'prefix');

describe('the ladder of structured output', () => {
  it.each([
    ['vLLM', ['json_schema'], 'json_schema'],
    ['old vLLM', ['json_schema', 'json_object'], 'json_object'],
    ['Ollama', ['json_schema'], 'json_schema'],
    ['llama.cpp', ['json_schema', 'json_object', 'prefix'], 'prefix'],
    ['Gemini', ['json_schema'], 'json_schema'],
  ] as const)('%s is asked for %j, and not again', async (kind, forms, constraint) => {
    server = await fakeOpenAI(kinds[kind], right);
    const records = await ask({}, 2);
    expect(records.map(({ success }) => success)).toEqual([true, true]);
    expect(records[0]!.turns[0]!.completion).toBe(right);
    expect(records[0]!.turns[0]!.call).toMatchObject({
      service: 'openai',
      modelVersion: 'test-model',
      constraint,
      finishReason: 'stop',
      usage: { promptTokens: 640, completionTokens: 90, reasoningTokens: 0 },
    });
    expect(asForms()).toEqual([...forms, constraint]);
  });

  it.each(['vLLM', 'Ollama'] as const)(
    'a prefix is completed, or the whole is taken when %s begins again',
    async (kind) => {
      server = await fakeOpenAI({ ...kinds[kind], takes: [] }, right);
      const [record] = await ask();
      expect(record!.turns[0]!.completion).toBe(right);
      const last = bodies().at(-1)!;
      expect(last.messages.at(-1)).toEqual({ role: 'assistant', content: '{"actions":[' });
      expect(last).toMatchObject({ continue_final_message: true, add_generation_prompt: false });
    },
  );

  it('is descended for a server that says it with 500', async () => {
    const refusal = json(500, {
      error: {
        code: 500,
        message: 'response_format type must be one of "text" or "json_object", but got: json_schema',
        type: 'server_error',
      },
    });
    server = await fakeOpenAI({ ...kinds['llama.cpp'], takes: ['json_object'], refusal }, right);
    const [record] = await ask();
    expect(record!.turns[0]!.call).toMatchObject({ constraint: 'json_object', attempts: 1 });
  });

  it('is not remembered when the last rung fails as well', async () => {
    let broken = true;
    const tooLong = json(400, { error: { message: "This model's maximum context length is 512 tokens" } });
    server = await fakeService((response, asked) =>
      (broken ? tooLong : json(200, kinds.vLLM.reply(right)))(response, asked),
    );
    const model = openAIModel({ baseUrl: `${server.url}/v1`, model: 'test-model' });
    const teacher = diagramTeacher({ model });
    const once = (): Promise<unknown> =>
      teacher.answer(tasks[0]!, 'o', { history: [], sample: 0 }) as Promise<unknown>;
    await expect(once()).rejects.toThrow("openai test-model: HTTP 400: This model's maximum context length");
    broken = false;
    expect(await once()).toMatchObject({ call: { constraint: 'json_schema' } });
  });
});

describe('a request', () => {
  it('carries the schema, the limits and the key, and nothing else', async () => {
    server = await fakeOpenAI(kinds.vLLM, right);
    await ask({ apiKey: ` ${KEY}\n` });
    expect(server.asked[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(Object.keys(server.asked[0]!.body as object).sort()).toEqual([
      'max_tokens',
      'messages',
      'model',
      'response_format',
      'temperature',
    ]);
    expect(bodies()[0]!.response_format).toMatchObject({
      json_schema: { name: 'reply', strict: true, schema: { type: 'object', additionalProperties: false } },
    });
    expect(JSON.stringify(bodies()[0])).not.toContain('propertyOrdering');
  });

  it('goes without a key to a server that needs none', async () => {
    server = await fakeOpenAI(kinds.Ollama, right);
    await ask();
    expect(server.asked[0]!.headers.authorization).toBeUndefined();
  });

  it('counts the most it can have taken where the server does not say', async () => {
    server = await fakeService(json(200, { ...kinds.Ollama.reply(right), usage: undefined }));
    const budget = createBudget();
    await ask({ budget });
    expect(budget.spent.completionTokens).toBe(8192);
  });
});

describe('trouble', () => {
  it.each([
    ['length', kinds.vLLM.reply(right.slice(0, 40), 'length'), 'finish reason length'],
    ['content_filter', kinds.Gemini.reply('', 'content_filter'), 'finish reason content_filter'],
    [
      'a refusal',
      { choices: [{ finish_reason: 'stop', message: { content: null, refusal: 'I cannot.' } }] },
      'refused: I cannot.',
    ],
    ['no choice', { choices: [] }, 'finish reason no choice'],
    ['schema ignored', kinds.Ollama.reply('Sure! {"actions":[]}'), 'not a success'],
  ])('of content is a rejection: %s', async (_, body, rejection) => {
    server = await fakeService(json(200, body));
    expect((await ask())[0]!.rejection).toBe(rejection);
  });

  it.each([
    ['429 with a header', json(429, { error: { message: 'slow down' } }, { 'retry-after': '20' }), 20_000],
    [
      '429 of Gemini',
      json(429, [
        {
          error: {
            message: 'quota',
            status: 'RESOURCE_EXHAUSTED',
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '31s' }],
          },
        },
      ]),
      31_000,
    ],
    [
      '503 while llama.cpp loads',
      json(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }),
      500,
    ],
    ['an HTML 502', html502, 500],
    ['a dropped connection', dropMidBody, 500],
    ['a page in place of an answer', ((response) => response.end('<html></html>')) as Reply, 500],
  ])('of service is waited for: %s', async (_, trouble, least) => {
    let asked = 0;
    server = await fakeService((response, one) =>
      (asked++ === 0 ? trouble : json(200, kinds.vLLM.reply(right)))(response, one),
    );
    const clock = stillClock();
    const [record] = await ask({ clock });
    expect(record!.turns[0]!.call!.attempts).toBe(2);
    expect(clock.slept[0]).toBeGreaterThanOrEqual(least);
  });

  it('is over after the time for an attempt', async () => {
    server = await fakeService(hang);
    await expect(ask({ timeoutSeconds: 0.1, maxAttempts: 2 }, 3)).rejects.toThrow(
      'no answer after 2 attempts; openai test-model: no answer within 0.1 s',
    );
  });

  it('says that nobody is there', async () => {
    server = await fakeService(hang);
    await server.close();
    await expect(ask({ maxAttempts: 1 }, 3)).rejects.toThrow('no usable response (ECONNREFUSED)');
  });

  it.each([
    [
      401,
      { error: { message: `Incorrect API key provided: ${KEY}` } },
      'HTTP 401: Incorrect API key provided: [key]',
    ],
    [
      404,
      { error: 'model "test-model" not found, try pulling it first' },
      'HTTP 404: model "test-model" not found',
    ],
  ])('with status %d ends it', async (status, body, message) => {
    server = await fakeService(json(status, body));
    await expect(ask({ apiKey: KEY })).rejects.toThrow(message);
    expect(server.asked).toHaveLength(1);
  });

  it.each(['', 'localhost:8000', 'ftp://x/v1'])('%j is no base URL', (baseUrl) => {
    expect(() => openAIModel({ baseUrl, model: 'm' })).toThrow('expected e.g. http://localhost:8000/v1');
  });
});
