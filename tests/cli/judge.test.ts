import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { kinds, type OpenAIBody } from '../teachers/fake-openai.js';
import { fakeService, json, type FakeService } from '../teachers/fake-service.js';
import { posttrain } from './command-line.js';

let folder: string;
let server: FakeService;
const args = (): string[] => [
  ...['judge', '--model', 'm', '--base-url', `${server.url}/v1`],
  ...['--log', join(folder, 'log.jsonl')],
];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posttrain-judge-'));
  // sees wrong labels, and nothing else
  server = await fakeService((response, asked) => {
    const { messages } = asked.body as OpenAIBody;
    const verdict = messages[1]!.content.includes('"text":"Zq"') ? 'veto' : 'accept';
    json(200, kinds.Ollama.reply(JSON.stringify({ faults: [], verdict })))(response, asked);
  });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

it('reports how far a judge agrees with the labels, and logs every judgement', async () => {
  const { status, out } = await posttrain(...args());
  expect(status).toBe(0);
  // 49 of 80 right, 71 of 80 accepted: (0.6125 − 0.5) / (1 − 0.5)
  expect(out).toMatch(/m on 80 labels, 0 of them unscored\. Cohen's kappa 0\.2[23]\./);
  expect(out).toMatch(/acceptable, but vetoed +40 +0\.0 %/);
  expect(out).toMatch(/faulty, but accepted +40 +77\.5 %/);
  expect(out).toMatch(/right on: a wrong label +9 +100\.0 %/);
  expect(out).toMatch(/right on: a lost arrow +7 +0\.0 %/);
  expect(out).toContain('58,400 tokens; every judgement is in ');
  expect(readFileSync(join(folder, 'log.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(80);
});

it('names a file of labels that cannot be read', async () => {
  const labels = join(folder, 'labels.jsonl');
  writeFileSync(labels, '{}\n');
  expect((await posttrain(...args(), '--labels', labels)).err).toMatch(/labels\.jsonl, line 1 is no label/);
  expect((await posttrain(...args(), '--labels', `${labels}x`)).err).toMatch(
    /name a file of labels with --labels/,
  );
});

it('says when it has to wait, and leaves unscored what stays without a verdict', async () => {
  await server.close();
  let asked = 0;
  const [quota, prose] = [json(429, {}, { 'retry-after': '0.01' }), json(200, kinds.Ollama.reply('Fine!'))];
  server = await fakeService((response, one) => (asked++ === 0 ? quota : prose)(response, one));
  const { out, err } = await posttrain(...args());
  expect(err).toMatch(/waiting 1 s \(429\)/);
  expect(out).toContain("80 labels, 80 of them unscored. Cohen's kappa 0.00.");
});
