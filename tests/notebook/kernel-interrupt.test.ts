/** Cells that are interrupted, and cells that ask. */
import { describe, expect, it } from 'vitest';
import { printed, type Answer } from './client.js';
import { kernel, shown, wait, running, answerTo } from './running-kernel.js';

describe('an interrupt', () => {
  const interrupt = (): Promise<Answer> => kernel.request('interrupt_request', {}, 'control');

  it.each([
    ['a cell that waits', 'await new Promise(() => {})'],
    ['a loop that waits for nothing', 'for (;;);'],
    ['a loop that waits for nothing any more', 'await null;\nfor (;;);'],
    ['a function of an earlier cell that waits for nothing', 'await null;\nforever()'],
  ])('stops %s', async (_, code) => {
    await kernel.execute('function forever() { let i = 0; while (true) i++; }');
    const id = await kernel.send('execute_request', { code });
    await running(id);
    await wait(100);
    expect((await interrupt()).reply.content).toEqual({ status: 'ok' });
    const { published } = await answerTo(id);
    expect(published.at(-2)!.content).toEqual({
      ename: 'Interrupted',
      evalue: 'the cell was interrupted',
      traceback: ['Interrupted: the cell was interrupted'],
    });
    expect(shown(await kernel.execute('"alive"'))).toBe("'alive'");
  });

  it('stops training after its step, and keeps what the cell has declared', async () => {
    await kernel.execute(`import * as pt from 'posttrain';
import { interruptSignal } from 'posttrain/notebook';
await pt.initBackend({ backend: 'cpu' });`);
    const id = await kernel.send('execute_request', {
      code: `const model = pt.createModel({
  modelType: 'llama', vocabSize: 16, hiddenSize: 16, intermediateSize: 32, numHiddenLayers: 1, numAttentionHeads: 2,
  numKeyValueHeads: 1, headDim: 8, maxPositionEmbeddings: 64, ropeTheta: 10_000, rmsNormEps: 1e-6, tieWordEmbeddings: true,
}, 7);
const rows = [{ prompt: Int32Array.of(1, 2), completion: Int32Array.of(3, 4, 5) }];
const losses: number[] = [];
for await (const step of pt.sft({ engine: pt.createLocalEngine(model), rows, config: { maxSteps: 100_000, batchSize: 1 }, signal: interruptSignal() })) {
  losses.push(step.metrics['loss']!);
  if (losses.length === 2) console.log('two steps');
}
console.log('stopped');`,
    });
    await kernel.until(
      ({ content, parent_header: parent }) => parent.msg_id === id && content.text === 'two steps\n',
    );
    await interrupt();
    const answer = await answerTo(id);
    expect(printed(answer, 'stderr')).toContain('interrupt again to stop at once');
    expect(printed(answer, 'stdout')).toBe('two steps\nstopped\n');
    const steps = shown(
      await kernel.execute('losses.length >= 2 && losses.length < 100_000 && losses.every(Number.isFinite)'),
    );
    expect(steps).toBe('true');
  });

  it('stops at the second time what does not stop by itself', async () => {
    const id = await kernel.send('execute_request', {
      code: `import { interruptSignal } from 'posttrain/notebook';
interruptSignal();
await new Promise(() => {});`,
    });
    await running(id);
    await wait(200);
    await interrupt();
    await kernel.until(
      ({ content, parent_header: parent }) => parent.msg_id === id && content.name === 'stderr',
    );
    await wait(600);
    await interrupt();
    expect((await answerTo(id)).published.at(-2)!.content.ename).toBe('Interrupted');
  });

  it('may be a signal', async () => {
    const id = await kernel.send('execute_request', { code: 'await new Promise(() => {})' });
    await running(id);
    // Node may miss one that arrives just when a cell begins
    const again = setInterval(() => kernel.process.kill('SIGINT'), 700);
    expect((await answerTo(id)).published.at(-2)!.content.ename).toBe('Interrupted');
    clearInterval(again);
  });

  it('does nothing where no cell runs', async () => {
    expect((await interrupt()).reply.content).toEqual({ status: 'ok' });
    expect(shown(await kernel.execute('1'))).toBe('1');
  });
});

describe('input', () => {
  const ask = (code: string): Promise<Answer> =>
    kernel.execute(`import { input } from 'posttrain/notebook';\n${code}`, { allow_stdin: true });

  it('asks the reader', async () => {
    const answer = ask('const name = await input("Your name? "); name.toUpperCase()');
    expect((await kernel.question()).content).toEqual({ prompt: 'Your name? ', password: false });
    await kernel.send('input_reply', { value: 'ada' }, 'stdin');
    expect(shown(await answer)).toBe("'ADA'");
  });

  it('hides a password', async () => {
    const answer = ask('(await input("Key: ", { password: true })).length');
    expect((await kernel.question()).content.password).toBe(true);
    await kernel.send('input_reply', { value: 'secret' }, 'stdin');
    expect(shown(await answer)).toBe('6');
  });

  it('can be interrupted', async () => {
    const answer = ask('await input("Never? ")');
    await kernel.question();
    await kernel.request('interrupt_request', {}, 'control');
    expect((await answer).reply.content.ename).toBe('Interrupted');
  });

  it('is refused where the front end cannot ask', async () => {
    const { reply } = await kernel.execute('await input("Anyone? ")');
    expect(reply.content).toMatchObject({ status: 'error', evalue: expect.stringContaining('cannot ask') });
  });
});
