import { afterEach, describe, expect, it } from 'vitest';
import { diagramEnvironment } from 'posttrain/envs/diagram/environment';
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { generateTask } from 'posttrain/envs/diagram/tasks/index';
import { createBudget } from 'posttrain/remote/budget';
import { geminiModel, type GeminiOptions } from 'posttrain/remote/gemini.node';
import { scoreDiagram } from 'posttrain/rewards/index';
import { collect, type CollectOptions } from 'posttrain/teachers/collect';
import { diagramTeacher } from 'posttrain/teachers/model-teacher';
import type { TrajectoryRecord } from 'posttrain/teachers/records';
import { scriptedActions } from 'posttrain/teachers/scripted';
import type { DiagramTask } from 'posttrain/envs/diagram/types';
import { fakeGemini, gemini, MODEL, type FakeGemini } from './fake-gemini.js';
import { dropMidBody, hang, html502, json, type Reply } from './fake-service.js';
import { stillClock } from './still-clock.js';

const KEY = 'AIzaSy-this-is-no-key-0123456789';
const env = diagramEnvironment({ scorer: scoreDiagram });
const tasks = Array.from({ length: 8 }, (_, index) =>
  generateTask({ seed: 5, split: 'train', index, profile: 'curriculum' }),
);
const right = serializeActions(scriptedActions(tasks[0]!, [], 0));

let server: FakeGemini | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function ask(
  script: readonly Reply[],
  {
    collect: more = {},
    ...options
  }: Partial<GeminiOptions> & { collect?: Partial<CollectOptions<DiagramTask>> } = {},
): Promise<TrajectoryRecord[]> {
  server = await fakeGemini(...script);
  const model = geminiModel({
    model: MODEL,
    apiKey: KEY,
    baseUrl: server.url,
    clock: stillClock(),
    ...options,
  });
  const records: TrajectoryRecord[] = [];
  const teachers = [{ teacher: diagramTeacher({ model }) }];
  for await (const record of collect({ env, tasks: tasks.slice(0, 1), teachers, ...more }))
    records.push(record);
  return records;
}

describe('an answer of Gemini', () => {
  it('is asked for with the schema of the environment, and recorded with everything it came from', async () => {
    const [record] = await ask([gemini.ok(right)]);
    expect(record).toMatchObject({
      teacher: { name: 'gemini' },
      success: true,
      rejection: null,
    });
    expect(record!.teacher.version).toMatch(
      /^gemini-test-1 prompt=[0-9a-f]{8} temperature=1 maxTokens=8192$/,
    );
    expect(record!.turns[0]!.completion).toBe(right);
    expect(record!.turns[0]!.call).toEqual({
      service: 'gemini',
      model: MODEL,
      modelVersion: `${MODEL}-001`,
      promptHash: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      schemaHash: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      temperature: 1,
      maxTokens: 8192,
      constraint: 'json_schema',
      wrappings: [],
      finishReason: 'STOP',
      attempts: 1,
      usage: { promptTokens: 700, completionTokens: 150, reasoningTokens: 30 },
    });
    const [question] = server!.questions();
    expect(question!.path).toBe(`/v1beta/models/${MODEL}:generateContent`);
    expect(question!.headers['x-goog-api-key']).toBe(KEY);
    expect(question!.body).toMatchObject({
      contents: [{ role: 'user', parts: [{ text: record!.turns[0]!.observation }] }],
      generationConfig: {
        temperature: 1,
        maxOutputTokens: 8192,
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object', propertyOrdering: ['actions'], additionalProperties: false },
      },
    });
    expect(JSON.stringify(question!.body)).not.toContain(JSON.stringify(tasks[0]!.graph.nodes));
  });

  it.each([
    ['fence', gemini.fence(right), ['fence']],
    ['quotes', gemini.quoted(right), ['quotes']],
    ['thoughts', gemini.thinking(right), []],
    ['spaces', gemini.ok(JSON.stringify(JSON.parse(right), null, 2)), []],
  ])('is understood with %s around it', async (_, reply, wrappings) => {
    const [record] = await ask([reply]);
    expect(record).toMatchObject({ success: true, rejection: null });
    expect(record!.turns[0]!.completion).toBe(right);
    expect(record!.turns[0]!.call!.wrappings).toEqual(wrappings);
  });

  it.each([
    ['truncated', gemini.truncated(right), 'finish reason MAX_TOKENS'],
    ['SAFETY', gemini.finished('SAFETY'), 'finish reason SAFETY'],
    ['RECITATION', gemini.finished('RECITATION'), 'finish reason RECITATION'],
    ['a tool call', gemini.finished('MALFORMED_FUNCTION_CALL'), 'finish reason MALFORMED_FUNCTION_CALL'],
    ['a blocked prompt', gemini.blocked('PROHIBITED_CONTENT'), 'prompt blocked: PROHIBITED_CONTENT'],
    ['no candidate', json(200, {}), 'finish reason NO_CANDIDATE'],
    ['a wrong drawing', gemini.ok('{"actions":[]}'), 'not a success'],
    ['another language', gemini.ok('flowchart LR'), 'not a success'],
  ])('is rejected, and the collection goes on: %s', async (_, reply, rejection) => {
    const records = await ask([reply, gemini.ok(right)], { collect: { numGenerations: 2 } });
    expect(records.map((record) => record.rejection)).toEqual([rejection, null]);
  });
});

describe('an episode of several turns', () => {
  it('is told as a conversation', async () => {
    const draft = '{"actions":[{"type":"create","shape":"text","id":"n1","x":0,"y":0,"text":"A"}]}';
    const task: DiagramTask = { ...tasks[0]!, kind: 'draw-review' };
    const [record] = await ask([gemini.ok(draft), gemini.ok('{"actions":[{"type":"finish"}]}')], {
      collect: { tasks: [task] },
    });
    expect(record!.turns).toHaveLength(2);
    const { contents, generationConfig } = server!.questions()[1]!.body as {
      contents: object[];
      generationConfig: object;
    };
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: record!.turns[0]!.observation }] },
      { role: 'model', parts: [{ text: draft }] },
      { role: 'user', parts: [{ text: record!.turns[1]!.observation }] },
    ]);
    // all actions are offered here, not only those of a single drawing
    expect(JSON.stringify(generationConfig)).toContain('"enum":["finish"]');
  });
});

describe('trouble with the service', () => {
  it('waits as long as the service asks', async () => {
    const clock = stillClock();
    const [record] = await ask([gemini.quota('53.5s'), gemini.ok(right)], { clock });
    expect(record!.turns[0]!.call!.attempts).toBe(2);
    expect(clock.slept[0]).toBeGreaterThanOrEqual(53_500);
    expect(clock.slept[0]).toBeLessThan(54_500);
  });

  it.each([
    ['429 without a delay', gemini.quota()],
    ['503', gemini.overloaded()],
    ['500', gemini.error(500, 'INTERNAL', 'An internal error has occurred.')],
    ['an HTML 502', html502],
    ['a body that is no JSON', ((response) => response.end('<html>hello</html>')) as Reply],
    ['a connection dropped mid-body', dropMidBody],
  ])('asks again after %s', async (_, trouble) => {
    const clock = stillClock();
    const [record] = await ask([trouble, trouble, gemini.ok(right)], { clock });
    expect(record).toMatchObject({ success: true });
    expect(record!.turns[0]!.call!.attempts).toBe(3);
    expect(clock.slept).toHaveLength(2);
    expect(clock.slept[1]).toBeGreaterThanOrEqual(1000);
  });

  it('gives an attempt up that takes too long, and counts what it may have cost', async () => {
    const budget = createBudget();
    const first = new AbortController();
    const timeouts = [first.signal, new AbortController().signal];
    const clock = { ...stillClock(), timeout: () => timeouts.shift()! };
    const late: Reply = () => first.abort();
    const [record] = await ask([late, gemini.ok(right)], { budget, clock });
    expect(record!.turns[0]!.call!.attempts).toBe(2);
    expect(budget.spent.completionTokens).toBe(8192 + 150);
  });

  it.each([
    [
      'a wrong key',
      gemini.error(400, 'INVALID_ARGUMENT', `API key not valid: ${KEY}`),
      /HTTP 400: INVALID_ARGUMENT: API key not valid: \[key\]$/,
    ],
    ['no permission', gemini.error(403, 'PERMISSION_DENIED', 'Denied.'), /HTTP 403/],
    [
      'a schema too large',
      gemini.error(400, 'INVALID_ARGUMENT', 'constraint has too many states for serving'),
      /too many states/,
    ],
  ])('stops at once at %s', async (_, reply, message) => {
    await expect(ask([reply])).rejects.toThrow(message);
    expect(server!.questions()).toHaveLength(1);
  });

  it('looks the model up before it asks anything', async () => {
    await expect(ask([gemini.quota()], { model: 'gemini-retired' })).rejects.toThrow(
      'gemini gemini-retired: HTTP 404: NOT_FOUND: models/gemini-retired is not found',
    );
    expect(server!.questions()).toHaveLength(0);
  });

  it('leaves one question unanswered and stops when the service is down', async () => {
    const down = Array<Reply>(6).fill(gemini.overloaded());
    const seen: number[] = [];
    const records = await ask([...down, gemini.ok(right)], {
      collect: { numGenerations: 3, onProgress: ({ unanswered }) => seen.push(unanswered) },
    });
    expect(records.map(({ sample }) => sample)).toEqual([1, 2]);
    expect(seen).toEqual([1, 1, 1]);
    await server!.close();
    await expect(ask(down, { collect: { tasks } })).rejects.toThrow(
      /no answer after 6 attempts; gemini gemini-test-1: HTTP 503: UNAVAILABLE: The model is overloaded\./,
    );
    expect(server!.questions()).toHaveLength(18);
  });

  it('does not wait for tomorrow', async () => {
    await expect(ask([gemini.quota('40000s')], { maxTotalSeconds: 60, collect: { tasks } })).rejects.toThrow(
      /no answer after 1 attempt, and the next would be \d+ s from now/,
    );
  });

  it('is interrupted at once', async () => {
    const stop = new AbortController();
    const budget = createBudget();
    const asked = ask([hang], { budget, collect: { signal: stop.signal } });
    while (server === undefined || server.questions().length === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort(new Error('Ctrl-C'));
    await expect(asked).rejects.toThrow('Ctrl-C');
    // the service may have answered all the same
    expect(budget.spent.completionTokens).toBe(8192);
  });
});

describe('the budget', () => {
  it('stops before it is passed, keeping what was paid for', async () => {
    const seen: TrajectoryRecord[] = [];
    const budget = createBudget({ tokens: 30_000 });
    server = await fakeGemini(gemini.ok(right));
    const model = geminiModel({ model: MODEL, apiKey: KEY, baseUrl: server.url, budget });
    const all = async (): Promise<void> => {
      const teachers = [{ teacher: diagramTeacher({ model }) }];
      for await (const record of collect({ env, tasks, teachers, numGenerations: 9, concurrency: 4 }))
        seen.push(record);
    };
    await expect(all()).rejects.toThrow(
      /the budget of 30,000 tokens might be passed: [\d,]+ tokens are spent and the next request may take [\d,]+ tokens/,
    );
    const { promptTokens, completionTokens } = budget.spent;
    expect(promptTokens + completionTokens).toBeLessThanOrEqual(30_000);
    expect(promptTokens + completionTokens).toBe(850 * seen.length);
    expect(server.questions()).toHaveLength(seen.length);
    expect(seen.length).toBeGreaterThan(5);
  });
});

describe('the address', () => {
  it("is Google's own, whatever the environment says about Vertex AI", async () => {
    const { fetch } = globalThis;
    const urls: string[] = [];
    process.env['GOOGLE_GENAI_USE_VERTEXAI'] = 'true';
    globalThis.fetch = (url) => {
      urls.push(String(url));
      return Promise.resolve(Response.json({ error: { message: 'stop here' } }, { status: 403 }));
    };
    try {
      const model = geminiModel({ model: MODEL, apiKey: KEY });
      const answer = diagramTeacher({ model }).answer(tasks[0]!, 'o', { history: [], sample: 0 });
      await expect(answer).rejects.toThrow('gemini gemini-test-1: HTTP 403: stop here');
      expect(urls).toEqual([`https://generativelanguage.googleapis.com/v1beta/models/${MODEL}`]);
    } finally {
      globalThis.fetch = fetch;
      delete process.env['GOOGLE_GENAI_USE_VERTEXAI'];
    }
  });
});

describe('the key', () => {
  it.each([
    [' \n', 'GEMINI_API_KEY is empty'],
    ['two words', 'GEMINI_API_KEY holds characters that no key has'],
    ['sécret', 'GEMINI_API_KEY holds characters that no key has'],
  ])('%j is refused without being quoted', (apiKey, message) => {
    expect(() => geminiModel({ model: MODEL, apiKey })).toThrow(message);
    expect(() => geminiModel({ model: MODEL, apiKey })).not.toThrow(/two words|sécret/);
  });

  it('is used without the line break that was copied along', async () => {
    await ask([gemini.ok(right)], { apiKey: `${KEY}\n` });
    expect(server!.questions()[0]!.headers['x-goog-api-key']).toBe(KEY);
  });
});
