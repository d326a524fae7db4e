/** What cells print and show arrives whole, in order, and below the cell it comes from. */
import { describe, expect, it } from 'vitest';
import { printed } from './client.js';
import { kernel, types, shown, wait, answerTo } from './running-kernel.js';

describe('output', () => {
  it('arrives whole and in order, 20,000 lines in a burst', async () => {
    const answer = await kernel.execute(
      'for (let i = 0; i < 20_000; i++) (i % 1000 ? console.log : console.error)("line", i);',
    );
    expect(printed(answer)).toBe(Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join(''));
    expect(printed(answer, 'stderr').split('\n')).toHaveLength(21);
    expect(answer.all.at(-1)!.content.execution_state).toBe('idle');
  });

  it('leaves while a loop still runs', async () => {
    await wait(100);
    const id = await kernel.send('execute_request', {
      code: `console.log("begun");
const end = performance.now() + 1000;
while (performance.now() < end);
console.log("over");`,
    });
    await kernel.until(
      ({ content, parent_header: parent }) => parent.msg_id === id && content.text === 'begun\n',
    );
    expect(printed(await answerTo(id))).toBe('begun\nover\n');
  });

  it('stops at some megabytes, and says so', async () => {
    const answer = await kernel.execute('console.log("x".repeat(10_000_000)); console.log("more")');
    expect(printed(answer, 'stdout')).toHaveLength(2 ** 22);
    expect(printed(answer, 'stderr')).toContain('more than 4 MiB');
    expect(printed(await kernel.execute('console.log("again")'))).toBe('again\n');
  });

  it('belongs to the cell that it comes from, also when another runs', async () => {
    const late = await kernel.send('execute_request', {
      code: 'setTimeout(() => console.log("from the first"), 300);',
    });
    const second = await kernel.execute(
      'await new Promise((resume) => setTimeout(resume, 600)); console.log("from the second")',
    );
    expect(printed(second)).toBe('from the second\n');
    expect(printed(await answerTo(late))).toBe('from the first\n');
  });

  it('of several kinds keeps its order', async () => {
    const answer = await kernel.execute(`import { display, clearOutput } from 'posttrain/notebook';
console.log('a');
display({ 'text/plain': 'b' });
console.log('c');
clearOutput({ wait: true });
console.error('d');
'e'`);
    expect(types(answer)).toEqual([
      'stream',
      'display_data',
      'stream',
      'clear_output',
      'stream',
      'execute_result',
    ]);
    expect(answer.published[3]!.content).toEqual({ wait: true });
  });

  it('is a bundle of MIME types that can be replaced, also from a later cell', async () => {
    const first = await kernel.execute(`import { display } from 'posttrain/notebook';
const shown = display({ 'text/plain': 'a dot', 'text/html': '<b>.</b>', 'image/png': new Uint8Array([1, 2, 3]) });
shown.update({ 'text/plain': 'two dots' });`);
    const [made, changed] = first.published;
    expect(made!.content).toEqual({
      data: { 'text/plain': 'a dot', 'text/html': '<b>.</b>', 'image/png': 'AQID' },
      metadata: {},
      transient: { display_id: expect.stringMatching(/.+/) },
    });
    expect(changed!.header.msg_type).toBe('update_display_data');
    expect(changed!.content.transient).toEqual(made!.content.transient);
    const later = await kernel.execute('shown.update({ "text/plain": "three" })');
    expect(later.published[0]!.content).toMatchObject({
      data: { 'text/plain': 'three' },
      transient: made!.content.transient,
    });
  });

  it('is refused when it is larger than a browser can bear', async () => {
    const code = (size: number): string =>
      `import { display } from 'posttrain/notebook';\ndisplay({ 'text/html': 'x'.repeat(${size}) });`;
    expect((await kernel.execute(code(11 * 2 ** 20))).reply.content).toMatchObject({
      ename: 'RangeError',
      evalue: 'this output has 11 MiB, at most 10 can be shown; show less of it, or write a file',
    });
    expect(types(await kernel.execute(code(9 * 2 ** 20)))).toEqual(['display_data']);
  });

  it.each([
    ['({ a: [1, { b: 2 }] })', '{ a: [ 1, { b: 2 } ] }'],
    ['new Float32Array([1, 2])', 'Float32Array(2) [ 1, 2 ]'],
    ['"text"', "'text'"],
    ['undefined', undefined],
    ['null', undefined],
  ])('shows the value of %s', async (code, text) => {
    expect(shown(await kernel.execute(code))).toBe(text);
  });

  it('shows a value as it wants to be shown', async () => {
    const answer = await kernel.execute(`import { mimeBundle } from 'posttrain/notebook';
({ [mimeBundle]: () => ({ 'text/plain': '1/2', 'text/latex': '$\\\\frac12$' }) })`);
    expect(answer.published[0]!.content.data).toEqual({ 'text/plain': '1/2', 'text/latex': '$\\frac12$' });
  });
});
