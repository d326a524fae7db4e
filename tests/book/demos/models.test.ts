/** What demos with a model or its tokenizer show is true. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { exampleTask } from '../../../lib/src/book/demos/example-task.js';
import { demoNamed } from '../../../lib/src/book/demos/index.js';
import { rowOf } from '../../../lib/src/book/demos/loss-mask.js';
import { readModel, readTokenizer } from '../../../lib/src/book/demos/stored-model.js';
import { costsOf, kindOf } from '../../../lib/src/book/demos/surprise.js';
import { createLocalEngine } from '../../../lib/src/engine/index.js';
import { evaluateLoss } from '../../../lib/src/eval/index.js';
import { disposeModel } from '../../../lib/src/model/index.js';
import { initBackend } from '../../../lib/src/tensor/index.js';
import { linesOf, perform } from './stage.js';

beforeAll(async () => void (await initBackend({ backend: 'wasm' })));

describe('loss-mask', () => {
  it.each([
    [{}, /77 of 124 tokens are trained, the last of them <\|end\|>: the model learns to stop/],
    [{ prompt: 'true' }, /123 of 124 tokens/],
    [{ end: 'false' }, /76 of 123 tokens are trained, and none of them is <\|end\|>/],
    [{ maxLength: '100' }, /53 of 100 tokens are trained, and none of them/],
    [{ maxLength: '40' }, /Nothing is left to learn/],
  ])('counts what is trained: %j', async (values, words) => {
    expect((await perform(demoNamed('loss-mask'), values)).words).toMatch(words);
  });
});

describe('train-nano', () => {
  it('counts what each token costs: on average the loss', async () => {
    const read = (path: string): Promise<Uint8Array> => readFile(`data/${path}`);
    const [tokenizer, model] = [await readTokenizer(read), await readModel(read, 'base')];
    const engine = createLocalEngine(model);
    const row = rowOf(exampleTask(1), tokenizer, true);
    const costs = await costsOf(engine, tokenizer, row);
    expect(costs.map(({ text }) => text).join('')).toMatch(/^\{"actions":\[.*\]\}<\|end\|>$/);
    const mean = costs.reduce((sum, { cost }) => sum + cost, 0) / costs.length;
    expect(mean).toBeCloseTo(await evaluateLoss(engine, [row]), 3);
    const kinds = ['{"actions":[', '160', 'API', '<|end|>'].map((text) => kindOf({ text, cost: 0 }));
    expect(kinds).toEqual(['form', 'numbers', 'words', 'form']);
    engine.dispose();
    disposeModel(model);
  });

  it('lowers the loss of the base', { timeout: 120_000 }, async () => {
    const { views, words } = await perform(demoNamed('train-nano'), { steps: '10', batch: '4' });
    const losses = linesOf(views.get('loss')).get('loss')!;
    expect(losses).toHaveLength(10);
    expect(losses.at(-1)!.y).toBeLessThan(0.5 * losses[0]!.y);
    expect([...views.keys()].slice(0, 5)).toEqual(['before', 'loss', 'kinds', 'costs', 'after']);
    expect(words).toMatch(/^In 10 steps the loss went from 12/);
  });

  it('stops between two steps', { timeout: 120_000 }, async () => {
    const stop = new AbortController();
    const onShow = (name: string): void => (name === 'loss' ? stop.abort() : undefined);
    const { words } = await perform(demoNamed('train-nano'), { batch: '2' }, { signal: stop.signal, onShow });
    expect(words).toMatch(/^In 1 step the loss/);
  });
});

describe('draw', () => {
  it('draws what was asked for, and says which words were not', async () => {
    const { words } = await perform(demoNamed('draw'));
    expect(words).toBe('3 boxes and 2 arrows, no problems of form or layout.');
    const strange = await perform(demoNamed('draw'), {
      request: 'Draw a flow: Order, Payment, Shipping, Invoice',
    });
    expect(strange.words).toMatch(/Words that you did not say: “Ship/);
  });

  it('says that samples at temperature 0 are all the same, and what an empty request is', async () => {
    const { words } = await perform(demoNamed('draw'), { samples: '4' });
    expect(words).toMatch(/At temperature 0 all samples are the same/);
    await expect(perform(demoNamed('draw'), { request: ' ' })).rejects.toThrow(
      /request is empty; say what to draw/,
    );
  });
});
