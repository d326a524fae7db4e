import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { diagramEnvironment } from 'posttrain/envs/diagram/environment';
import { trainingTasks } from 'posttrain/recipes/diagram/collect.node';
import { fileLedger } from 'posttrain/remote/batch-ledger.node';
import { createBudget } from 'posttrain/remote/budget';
import { geminiBatchModel, type GeminiBatchOptions } from 'posttrain/remote/gemini-batch.node';
import { scoreDiagram } from 'posttrain/rewards/index';
import { collect } from 'posttrain/teachers/collect';
import { diagramTeacher } from 'posttrain/teachers/model-teacher';
import type { TrajectoryRecord } from 'posttrain/teachers/records';
import { scriptedActions } from 'posttrain/teachers/scripted';
import { candidate, gemini, MODEL } from './fake-gemini.js';
import { fakeGeminiBatches, type BatchedRequest, type FakeBatches } from './fake-gemini-batch.js';
import { dropMidBody } from './fake-service.js';
import { stillClock } from './still-clock.js';

const env = diagramEnvironment({ scorer: scoreDiagram });
const tasks = trainingTasks(1, 0, 3, 'curriculum');

/** Knows the answer to whatever it is asked. */
function knowing({ request }: BatchedRequest): object {
  const { text } = request.contents.at(-1)!.parts[0]!;
  const task = tasks.find(({ requests }) => text.includes(requests[0]!))!;
  return { response: candidate(serializeActions(scriptedActions(task, [], 0))) };
}

let folder: string;
let path: string;
let server: FakeBatches | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posttrain-batch-'));
  path = join(folder, 'batches.json');
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

async function ask(
  options: Partial<GeminiBatchOptions> = {},
  signal?: AbortSignal,
): Promise<{ records: TrajectoryRecord[]; error: unknown; unanswered: number }> {
  const model = geminiBatchModel({
    model: MODEL,
    apiKey: 'no-key',
    baseUrl: server!.url,
    ledger: fileLedger(path),
    gatherSeconds: 0.05,
    clock: stillClock(),
    ...options,
  });
  const records: TrajectoryRecord[] = [];
  let unanswered = 0;
  try {
    for await (const record of collect({
      env,
      tasks,
      teachers: [{ teacher: diagramTeacher({ model }) }],
      numGenerations: 2,
      concurrency: 100,
      ...(signal && { signal }),
      onProgress: (progress) => (unanswered = progress.unanswered),
    }))
      records.push(record);
    return { records, error: undefined, unanswered };
  } catch (error) {
    return { records, error, unanswered };
  }
}

describe("Gemini's batch API", () => {
  it('takes all questions of a moment as one job, each with its schema, and matches answers by key', async () => {
    server = await fakeGeminiBatches(knowing);
    const budget = createBudget();
    const states: string[] = [];
    const { records, error } = await ask({ budget, onState: (job, state) => states.push(`${job} ${state}`) });
    expect(states).toEqual(['batches/job1 JOB_STATE_SUCCEEDED']);
    expect(error).toBeUndefined();
    expect(records).toHaveLength(6);
    expect(records.every(({ success }) => success)).toBe(true);
    expect(server.jobs.map(({ requests }) => requests.length)).toEqual([6]);
    const { request, metadata } = server.jobs[0]!.requests[0]!;
    expect(metadata.key).toMatch(/^curriculum-train-1-0#0\.0 [0-9a-f]{8}$/);
    expect(request.generationConfig).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', propertyOrdering: ['actions'] },
      temperature: 1,
      maxOutputTokens: 8192,
    });
    expect(JSON.stringify(request.systemInstruction)).toContain('You draw diagrams');
    expect(budget.spent).toEqual({ promptTokens: 4200, completionTokens: 900, reasoningTokens: 180 });
  });

  it('is fetched, not handed in again, by the next process', async () => {
    server = await fakeGeminiBatches(knowing);
    server.state = 'BATCH_STATE_RUNNING';
    const stop = new AbortController();
    const killed = ask({ pollSeconds: 0.02, clock: undefined }, stop.signal);
    while (server.asked.filter(({ path: asked }) => asked.includes('batches/job1')).length < 2)
      await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort(new Error('killed'));
    expect((await killed).error).toEqual(new Error('killed'));
    server.state = 'BATCH_STATE_SUCCEEDED';
    const { records } = await ask();
    expect(records).toHaveLength(6);
    expect(server.jobs).toHaveLength(1);
  });

  it('asks again only for what has failed in a job', async () => {
    let failing = true;
    server = await fakeGeminiBatches((request, index) =>
      failing && index === 2 ? { error: { code: 13, message: 'internal' } } : knowing(request),
    );
    const first = await ask();
    expect(first).toMatchObject({ error: undefined, unanswered: 1 });
    expect(first.records).toHaveLength(5);
    failing = false;
    const second = await ask();
    expect(second.records).toHaveLength(6);
    expect(server.jobs.map(({ requests }) => requests.length)).toEqual([6, 1]);
  });

  it.each(['BATCH_STATE_FAILED', 'BATCH_STATE_EXPIRED', 'BATCH_STATE_CANCELLED'])(
    'that ends as %s is told and forgotten',
    async (state) => {
      server = await fakeGeminiBatches(knowing);
      server.state = state;
      const { error } = await ask();
      expect(String(error)).toContain(`batch batches/job1 ended as ${state.replace('BATCH', 'JOB')}`);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual([]);
    },
  );

  it('that the service does not know any more is forgotten, too', async () => {
    server = await fakeGeminiBatches(knowing);
    await ask();
    const notes = JSON.parse(readFileSync(path, 'utf8')) as { name: string }[];
    writeFileSync(path, JSON.stringify(notes.map((note) => ({ ...note, name: 'batches/gone' }))));
    expect(String((await ask()).error)).toContain('batch batches/gone is not there any more');
    expect((await ask()).records).toHaveLength(6);
    expect(server.jobs).toHaveLength(2);
  });

  it('is handed in again after a refusal, but not when nobody knows whether it arrived', async () => {
    let asked = 0;
    server = await fakeGeminiBatches(knowing, ({ method }) =>
      method === 'POST' && asked++ === 0 ? gemini.overloaded() : undefined,
    );
    expect((await ask()).records).toHaveLength(6);
    expect(server.jobs).toHaveLength(1);
    await server.close();
    rmSync(path);
    server = await fakeGeminiBatches(knowing, ({ method }) => (method === 'POST' ? dropMidBody : undefined));
    const { error } = await ask();
    expect(String(error)).toMatch(/it is unknown whether the batch was handed in, look before you ask again/);
    expect(server.asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('does not lose a damaged ledger', async () => {
    server = await fakeGeminiBatches(knowing);
    writeFileSync(path, '[{"name":');
    expect(String((await ask()).error)).toContain('it names batches that are paid for');
    expect(server.jobs).toHaveLength(0);
  });
});
