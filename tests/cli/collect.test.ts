import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { trainingTasks } from 'posttrain/recipes/diagram/collect.node';
import { readTrajectories } from 'posttrain/teachers/collect.node';
import { scriptedActions } from 'posttrain/teachers/scripted';
import { fakeGemini, gemini, MODEL, type FakeGemini } from '../teachers/fake-gemini.js';
import { fakeOpenAI, kinds } from '../teachers/fake-openai.js';
import { fakeService, json, type FakeService, type Reply } from '../teachers/fake-service.js';
import { posttrain, type Spoken } from './command-line.js';

const KEY = 'AIzaSy-secret-of-this-test-0123456789';
const tasks = trainingTasks(1, 0, 4, 'curriculum');

/** Knows the answer to whatever it is asked. */
const knowing: Reply = (response, { body }) => {
  const asked = JSON.stringify(body);
  const task = tasks.find(({ requests }) => asked.includes(JSON.stringify(requests[0]).slice(1, -1)))!;
  gemini.ok(serializeActions(scriptedActions(task, [], 0)))(response, {
    method: '',
    path: '',
    headers: {},
    body,
  });
};

let folder: string;
let out: string;
let server: FakeGemini | FakeService | undefined;
const before = { ...process.env };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posttrain-collect-'));
  out = join(folder, 'trajectories.jsonl');
  process.env['GEMINI_API_KEY'] = KEY;
  delete process.env['OPENAI_API_KEY'];
});
afterEach(async () => {
  process.env = { ...before };
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

function collect(...args: string[]): Promise<Spoken> {
  return posttrain('collect', '--tasks', '4', '--out', out, ...args);
}
function fromGemini(...args: string[]): Promise<Spoken> {
  return collect('--teacher', 'gemini', '--model', MODEL, '--base-url', server!.url, ...args);
}
const everything = (spoken: Spoken): string =>
  [
    spoken.out,
    spoken.err,
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    ),
  ].join('\n');

describe('posttrain collect', () => {
  it('records the scripted teacher without key and network', async () => {
    delete process.env['GEMINI_API_KEY'];
    const { status, out: said } = await collect('--samples', '2');
    expect(status).toBe(0);
    expect(said).toMatch(/8 of 8 answers kept/);
    expect(readTrajectories(out).map(({ teacher }) => teacher.name)).toEqual(Array(8).fill('scripted-good'));
  });

  it('records Gemini, says what it took, and why answers were rejected', async () => {
    server = await fakeGemini(knowing, gemini.blocked('SAFETY'), knowing);
    const { status, out: said } = await fromGemini('--prices', '1,10', '--concurrency', '1');
    expect(status).toBe(0);
    expect(said).toMatch(/^posttrain collect: gemini gemini-test-1 prompt=/);
    expect(said).toContain('3 of 4 answers kept, 3,250 tokens, $0.0073');
    expect(said).toContain('  1 × prompt blocked: SAFETY');
    const records = readTrajectories(out);
    expect(records.map(({ success }) => success)).toEqual([true, false, true, true]);
    expect(records[0]!.turns[0]!.call).toMatchObject({ model: MODEL });
  });

  it('stops at the budget and goes on with a larger one, counting what was spent', async () => {
    server = await fakeGemini(knowing);
    const first = await fromGemini('--budget', '13000');
    expect(first.status).toBe(1);
    expect(first.err).toMatch(
      /error: the budget of 13,000 tokens might be passed: [\d,]+ tokens are spent .*; what was answered is in .*, the same command with --resume goes on\n$/,
    );
    const answered = readTrajectories(out).length;
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThan(4);
    const second = await fromGemini('--budget', '40000', '--resume');
    expect(second.status).toBe(0);
    expect(second.out).toContain('4 of 4 answers kept, 3,400 tokens');
    expect(server.asked.filter(({ method }) => method === 'POST')).toHaveLength(4);
  });

  it('asks an OpenAI-compatible server, with or without a key', async () => {
    const answer = serializeActions(scriptedActions(tasks[0]!, [], 0));
    server = await fakeOpenAI(kinds['llama.cpp'], answer);
    const args = ['--teacher', 'openai', '--model', 'm', '--base-url', `${server.url}/v1`, '--keep', 'all'];
    expect((await collect(...args)).status).toBe(0);
    expect(readTrajectories(out)[0]!.turns[0]!.call!.constraint).toBe('prefix');
    process.env['OPENAI_API_KEY'] = KEY;
    rmSync(out);
    const spoken = await collect(...args);
    expect(server.asked.at(-1)!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(everything(spoken)).not.toContain(KEY);
  });

  it.each<[string, Reply]>([
    ['all is well', knowing],
    ['a service quotes it', gemini.error(400, 'INVALID_ARGUMENT', `API key not valid: ${KEY}`)],
    ['a service quotes it in a page', (response) => response.writeHead(403).end(`<p>key=${KEY}</p>`)],
    [
      'an answer holds it',
      gemini.error(403, 'PERMISSION_DENIED', `Consumer 'api_key:${KEY}' has been suspended.`),
    ],
  ])('never tells the key when %s', async (_, reply) => {
    server = await fakeGemini(reply);
    process.env['POSTTRAIN_DEBUG'] = '1';
    const spoken = await fromGemini();
    expect(server.asked[0]!.headers['x-goog-api-key']).toBe(KEY);
    expect(everything(spoken)).not.toContain(KEY);
    expect(everything(spoken)).not.toContain('secret-of-this-test');
  });

  it('waits in sight when the service is busy', async () => {
    server = await fakeGemini(gemini.quota('0.05s'), knowing);
    const { status, out: said } = await fromGemini('--concurrency', '1');
    expect(status).toBe(0);
    expect(said).toMatch(/now: waiting 1 s \(429\)/);
  });

  it.each([
    [['--teacher', 'gemini'], /gemini needs --model/],
    [['--teacher', 'openai', '--model', 'm'], /openai needs --base-url, e\.g\. http:/],
    [['--teacher', 'openai', '--model', 'm', '--base-url', 'x', '--batch'], /--batch is for gemini only/],
    [['--teacher', 'gemini', '--model', 'm', '--batch', '--rpm', '5'], /--rpm is for single requests/],
    [['--teacher', 'gpt'], /Allowed choices are scripted, gemini, openai/],
    [['--budget', 'much'], /Expected a number of tokens, e\.g\. 200000, or of dollars/],
    [['--budget', '$1'], /a --budget in dollars needs --prices/],
    [['--prices', '1'], /Expected two numbers, e\.g\. 1,10/],
    [['--keep', 'best'], /Expected success, all, or a reward from 0 to 1/],
    [['--resume'], /there is no .*trajectories\.jsonl to go on with/],
  ])('%j gets one clear sentence', async (args, message) => {
    const { status, err } = await collect(...args);
    expect(err).toMatch(message);
    expect(status).toBe(1);
  });

  it('does not touch a file that is there', async () => {
    await collect();
    const { err } = await collect();
    expect(err).toMatch(/exists already; go on with it by adding --resume, or choose another --out/);
  });

  it('needs a key for Gemini', async () => {
    delete process.env['GEMINI_API_KEY'];
    server = await fakeService(json(200, {}));
    const { err } = await fromGemini();
    expect(err).toBe('error: there is no key for Gemini; set the environment variable GEMINI_API_KEY\n');
    expect(server.asked).toHaveLength(0);
  });
});
