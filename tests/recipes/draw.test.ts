import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine } from 'posttrain/engine';
import {
  applyActions,
  defaultRules,
  emptyCanvas,
  observe,
  serializeActions,
  type Action,
} from 'posttrain/envs/diagram';
import { disposeModel } from 'posttrain/model';
import { saveModel } from 'posttrain/model/checkpoint.node';
import { draw, strangeLabels } from 'posttrain/recipes/diagram/draw';
import { loadPolicy, type Policy } from 'posttrain/recipes/diagram/policy.node';
import { initBackend } from 'posttrain/tensor';
import { renderCompletion, renderPrompt } from 'posttrain/text';
import { sft } from 'posttrain/trainers';
import { posttrain } from '../cli/command-line.js';
import { writeTinyBase } from './tiny-base.js';

const request = 'A -> B';
const actions: Action[] = [
  { type: 'create', shape: 'rectangle', id: 'n1', x: 60, y: 60, width: 100, height: 60, text: 'A' },
  { type: 'create', shape: 'rectangle', id: 'n2', x: 240, y: 60, width: 100, height: 60, text: 'B' },
  { type: 'connect', from: 'n1', to: 'n2' },
];

describe('drawing with a policy that knows one request by heart', () => {
  const dir = mkdtempSync(join(tmpdir(), 'posttrain-draw-'));
  let policy: Policy;

  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
    await writeTinyBase(dir);
    policy = await loadPolicy(dir);
    const { model, tokenizer } = policy;
    const engine = createLocalEngine(model);
    const content = observe({ rules: defaultRules, direction: 'LR', request });
    const rows = [
      {
        prompt: renderPrompt(tokenizer, [{ role: 'user', content }]),
        completion: renderCompletion(tokenizer, serializeActions(actions)),
      },
    ];
    const config = { maxSteps: 150, batchSize: 1, learningRate: 2e-2, warmupSteps: 5 };
    for await (const step of sft({ engine, rows, config })) void step;
    engine.dispose();
    await saveModel(dir, model, tokenizer);
  }, 60_000);
  afterAll(() => {
    disposeModel(policy.model);
    rmSync(dir, { recursive: true });
  });

  it('gives canvas, problems and the words themselves', async () => {
    const { canvas, problems, strangeLabels: strange, reply } = await draw({ ...policy, request });
    expect(reply).toBe(serializeActions(actions));
    expect(problems).toEqual([]);
    expect(strange).toEqual([]);
    expect(canvas.shapes.map(({ text }) => text)).toEqual(['A', 'B']);
    expect(canvas.edges).toEqual([{ from: 'n1', to: 'n2', label: '' }]);
  });

  it('keeps the best of several samples, the same for the same seed', async () => {
    const options = { ...policy, request, temperature: 1, bestOf: 4, seed: 3 };
    const first = await draw(options);
    expect(await draw(options)).toEqual(first);
    expect(first.problems).toEqual([]);
  });

  it('reports a reply that cannot be read', async () => {
    const { canvas, problems } = await draw({ ...policy, request, maxNewTokens: 3 });
    expect(canvas.shapes).toEqual([]);
    expect(problems).toEqual([expect.objectContaining({ code: 'E_PARSE' })]);
  });

  it('works from the command line: a picture in the terminal, or an SVG file', async () => {
    const shown = await posttrain('draw', request, '--model', dir);
    expect(shown.status).toBe(0);
    expect(shown.out).toContain('n1 rect 60,60 100x60 A');
    expect(shown.out).toMatch(/│ +A +│─+►│ +B +│/);
    expect(shown.out).toContain('no problems');

    const file = join(dir, 'out.svg');
    const written = await posttrain('draw', request, '--model', dir, '-o', file);
    expect(written.out).toContain('2 shapes, 1 arrows, no problems');
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg [^]*<\/svg>$/);
  });
});

describe('strangeLabels', () => {
  const { canvas } = applyActions(emptyCanvas(defaultRules), actions);

  it.each([
    ['A -> B', []],
    ['Draw a, then b.', []],
    ['A -> C', ['B']],
    ['Draw it', ['A', 'B']],
  ])('of A and B in an answer to %j: %j', (question, strange) => {
    expect(strangeLabels(canvas, question)).toEqual(strange);
  });
});
