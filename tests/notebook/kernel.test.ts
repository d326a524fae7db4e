import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, type Client, printed, startKernel } from './client.js';

// on a busy machine a compiler may take its time
vi.setConfig({ testTimeout: 120_000 });

let kernel: Client;
beforeAll(async () => {
  kernel = await startKernel();
}, 120_000);
afterAll(() => kernel.close());

const types = ({ published }: Answer): string[] => published.map(({ header }) => header.msg_type);
const shown = ({ published }: Answer): string | undefined =>
  published.find(({ header }) => header.msg_type === 'execute_result')?.content.data['text/plain'];
const wait = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));
/** The cell runs: everything it does from now on happens while it does. */
const running = (id: string): Promise<unknown> =>
  kernel.until(
    ({ header, parent_header: parent }) => parent.msg_id === id && header.msg_type === 'execute_input',
  );
const answerTo = async (id: string): Promise<Answer> => {
  await kernel.until(
    ({ content, parent_header: parent }) => parent.msg_id === id && content.execution_state === 'idle',
  );
  const all = kernel.published.filter(({ parent_header: parent }) => parent.msg_id === id);
  return { reply: all.at(-1)!, all, published: all };
};

describe('the protocol', () => {
  it('says what it is', async () => {
    const { reply } = await kernel.request('kernel_info_request', {});
    expect(reply.header.msg_type).toBe('kernel_info_reply');
    expect(reply.content).toMatchObject({
      status: 'ok',
      protocol_version: reply.header.version,
      implementation: 'posttrain',
      language_info: {
        name: 'typescript',
        file_extension: '.ts',
        mimetype: 'text/typescript',
        version: '5.0.4',
      },
    });
  });

  it('is busy first and idle last, and says what it runs', async () => {
    const { all, reply } = await kernel.execute('6 * 7');
    const states = all.map(({ header, content }) => content.execution_state ?? header.msg_type);
    expect(states).toEqual(['busy', 'execute_input', 'execute_result', 'idle']);
    const count = reply.content.execution_count;
    expect(reply.content).toEqual({
      status: 'ok',
      execution_count: count,
      payload: [],
      user_expressions: {},
    });
    expect(all[1]!.content).toEqual({ code: '6 * 7', execution_count: count });
    expect(all[2]!.content).toEqual({
      execution_count: count,
      data: { 'text/plain': '42' },
      metadata: {},
    });
    const next = await kernel.execute('0');
    expect(next.reply.content.execution_count).toBe(count + 1);
  });

  it('keeps variables, types and functions from cell to cell, and lets them be declared anew', async () => {
    await kernel.execute('interface Point { x: number }\nconst origin: Point = { x: 1 };');
    expect(
      shown(await kernel.execute('const origin: Point = { x: 3 };\nconst moved = origin.x + 1;\nmoved')),
    ).toBe('4');
  });

  it('finds variables of earlier cells in shorthand properties and in awaits of every form', async () => {
    await kernel.execute('const rows = [1]; let rate = 2; async function* count() { yield 1; yield 2; }');
    const answer = await kernel.execute(`const made = { rows, rate };
({ rate } = { rate: 5 });
let total = 0;
for await (const n of count()) total += n;
[made.rows[0], made.rate, rate, total, await (async () => 7)()].join()`);
    expect(shown(answer)).toBe("'1,2,5,3,7'");
    expect(shown(await kernel.execute('await (rate)'))).toBe('5');
    const wrong = await kernel.execute('const a = { rows, rate }; const s: string = rate;');
    expect(wrong.reply.content.evalue).toMatch(/:1:33 /);
  });

  it('runs silent code unseen and uncounted', async () => {
    const before = (await kernel.execute('0')).reply.content.execution_count;
    const silent = await kernel.execute('const quiet = 5; console.log(quiet)', { silent: true });
    expect(silent.published).toEqual([]);
    expect(silent.reply.content).toMatchObject({ status: 'ok', execution_count: before });
    const after = await kernel.execute('quiet', { store_history: false });
    expect(shown(after)).toBe('5');
    expect(after.reply.content.execution_count).toBe(before);
  });

  it('evaluates user expressions', async () => {
    const { reply } = await kernel.execute('const width = 3;', {
      user_expressions: { area: 'width * width', wrong: 'height' },
    });
    expect(reply.content.user_expressions).toMatchObject({
      area: { status: 'ok', data: { 'text/plain': '9' } },
      wrong: { status: 'error', ename: 'CompileError' },
    });
  });

  it('echoes heartbeats', async () => {
    expect(await kernel.heartbeat('ping')).toBe('ping');
  });

  it('has no comms, and closes one that is opened', async () => {
    expect((await kernel.request('comm_info_request', {})).reply.content).toEqual({
      status: 'ok',
      comms: {},
    });
    await kernel.send('comm_open', { comm_id: 'c1', target_name: 'jupyter.widget', data: {} });
    const closed = await kernel.until(({ header }) => header.msg_type === 'comm_close');
    expect(closed.content.comm_id).toBe('c1');
  });

  it('remembers what was run', async () => {
    await kernel.execute('"remember me"');
    const tail = await kernel.request('history_request', { hist_access_type: 'tail', n: 1, raw: true });
    expect(tail.reply.content.history).toEqual([[0, expect.any(Number), '"remember me"']]);
    const found = await kernel.request('history_request', {
      hist_access_type: 'search',
      pattern: '*member*',
    });
    expect(found.reply.content.history).toHaveLength(1);
  });

  it('survives a request that makes no sense', async () => {
    for (const type of ['execute_request', 'complete_request', 'inspect_request'])
      expect((await kernel.request(type, { code: null })).reply.content.status).toBe('error');
    await kernel.send('no_such_request', {});
    expect(shown(await kernel.execute('"alive"'))).toBe("'alive'");
  });

  it('keeps the places of a cell when its expressions are evaluated', async () => {
    await kernel.execute('\n\nconst later = () => { throw new Error("x"); };', {
      user_expressions: { a: '1' },
    });
    expect((await kernel.execute('later()')).reply.content.traceback.join('\n')).toMatch(
      /at later \(cell\[\d+\]:3:29\)/,
    );
  });

  it('refuses a message that its key did not sign', async () => {
    await kernel.send('execute_request', { code: 'globalThis.stolen = true' }, 'shell', 'a wrong key');
    await kernel.send('shutdown_request', { restart: false }, 'control', 'a wrong key');
    expect(shown(await kernel.execute('String((globalThis as any).stolen)'))).toBe("'undefined'");
    expect(kernel.log()).toContain('refused a message with a wrong signature on shell');
    expect(kernel.log()).toContain('refused a message with a wrong signature on control');
  });
});

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

describe('a cell that fails', () => {
  it('says where, in the lines that the reader wrote', async () => {
    const code = `interface Batch { size: number }

function step(batch: Batch): number {
  // the compiler leaves the types and empty lines out
  throw new RangeError('batch of ' + (batch.size as number));
}

step({ size: 3 })`;
    const { reply, published } = await kernel.execute(code);
    const name = `cell[${reply.content.execution_count}]`;
    const traceback = [
      'RangeError: batch of 3',
      '  3 | function step(batch: Batch): number {',
      '  4 |   // the compiler leaves the types and empty lines out',
      "→ 5 |   throw new RangeError('batch of ' + (batch.size as number));",
      '  6 | }',
      '  7 |',
      `    at step (${name}:5:9)`,
      `    at ${name}:8:1`,
    ];
    expect(reply.content).toMatchObject({
      status: 'error',
      ename: 'RangeError',
      evalue: 'batch of 3',
      traceback,
    });
    expect(published.map(({ header, content }) => [header.msg_type, content])).toEqual([
      ['error', { ename: 'RangeError', evalue: 'batch of 3', traceback }],
    ]);
  });

  it('names the cell that a function comes from', async () => {
    const { reply: made } = await kernel.execute('\nfunction fails() { throw new Error("deep"); }');
    const { reply } = await kernel.execute('fails()');
    expect(reply.content.traceback).toContain(`    at fails (cell[${made.content.execution_count}]:2:26)`);
    expect(reply.content.traceback.at(-1)).toBe(`    at cell[${reply.content.execution_count}]:1:1`);
  });

  it.each([
    ['throw "a string"', 'Thrown', "'a string'"],
    ['await Promise.reject(new TypeError("later"))', 'TypeError', 'later'],
    ['void (async () => { await null; throw new Error("unseen"); })()', 'Error', 'unseen'],
    ['queueMicrotask(() => { throw new Error("uncaught"); })', 'Error', 'uncaught'],
    ['JSON.parse("{")', 'SyntaxError', expect.stringContaining('JSON')],
    ['process.exit(1)', 'Error', expect.stringContaining('would end the notebook')],
    ['/** @browser */ document', 'Error', expect.stringContaining('@browser')],
  ])('%s', async (code, ename, evalue) => {
    expect((await kernel.execute(code)).reply.content).toMatchObject({ status: 'error', ename, evalue });
  });

  it('shows what an error was caused by', async () => {
    const { reply } = await kernel.execute('throw new Error("outer", { cause: new TypeError("inner") })');
    expect(reply.content.traceback).toContain('caused by TypeError: inner');
  });

  it('does not run when its types are wrong', async () => {
    const { reply, published } = await kernel.execute(
      'console.log("ran");\nconst text: string = 3;\nlet n: number = "x";',
    );
    expect(types({ published } as Answer)).toEqual(['error']);
    expect(reply.content.ename).toBe('CompileError');
    expect(reply.content.evalue).toMatch(/cell\[\d+\]:2:7 .*'number'.*TS2322/);
    expect(reply.content.traceback).toContain('→ 2 | const text: string = 3;');
    expect(reply.content.traceback).toContain('→ 3 | let n: number = "x";');
  });

  it('is named by what went wrong after it ended', async () => {
    const { reply } = await kernel.execute('setTimeout(() => { throw new Error("too late"); }, 100);');
    expect(reply.content.status).toBe('ok');
    const late = await kernel.until(({ content }) => content.evalue === 'too late');
    expect(late.parent_header.msg_id).toBe(reply.parent_header.msg_id);
    expect(shown(await kernel.execute('"unharmed"'))).toBe("'unharmed'");
  });

  it('stops what was sent with it, and only that', async () => {
    const failing = kernel.execute(
      'await new Promise((resume) => setTimeout(resume, 50)); throw new Error("first")',
    );
    const behind = kernel.execute('globalThis.ran = "second"');
    const question = kernel.request('kernel_info_request', {});
    const last = kernel.execute('globalThis.ran = "third"');
    expect((await failing).reply.content.status).toBe('error');
    for (const answer of [await behind, await last]) {
      expect(answer.reply.content).toEqual({ status: 'aborted' });
      expect(answer.all.map(({ content }) => content.execution_state)).toEqual(['busy', 'idle']);
    }
    expect((await question).reply.content.status).toBe('ok');
    expect(shown(await kernel.execute('String((globalThis as any).ran)'))).toBe("'undefined'");
  });

  it('lets the rest run where stop_on_error is false', async () => {
    const failing = kernel.execute('throw new Error("alone")', { stop_on_error: false });
    const behind = kernel.execute('"went on"');
    expect((await failing).reply.content.status).toBe('error');
    expect(shown(await behind)).toBe("'went on'");
  });
});

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

describe('help while typing', () => {
  it('completes names, counting characters as Jupyter does', async () => {
    await kernel.execute('const learningRate = 1e-3;');
    const { reply } = await kernel.request('complete_request', { code: '"🎉🎉"; learn', cursor_pos: 11 });
    expect(reply.content).toMatchObject({
      status: 'ok',
      matches: ['learningRate'],
      cursor_start: 6,
      cursor_end: 11,
    });
  });

  it('completes members of the library', async () => {
    const code = "import * as pt from 'posttrain'; pt.grp";
    const { reply } = await kernel.request('complete_request', { code, cursor_pos: code.length });
    expect(reply.content.matches).toContain('grpo');
  });

  it('inspects a name with its types and documentation', async () => {
    const code = "import { clipByGlobalNorm, grpo } from 'posttrain'; grpo".replace('clipByGlobalNorm, ', '');
    const { reply } = await kernel.request('inspect_request', {
      code,
      cursor_pos: code.length,
      detail_level: 0,
    });
    expect(reply.content.found).toBe(true);
    expect(reply.content.data['text/plain']).toMatch(/GRPOOptions[\s\S]*Group relative policy optimization/);
  });

  it('finds nothing at an empty place', async () => {
    const { reply } = await kernel.request('inspect_request', { code: '  ', cursor_pos: 1, detail_level: 0 });
    expect(reply.content).toEqual({ status: 'ok', found: false, data: {}, metadata: {} });
  });

  it.each([
    ['1 + 1', { status: 'complete' }],
    ['for (const x of xs) {', { status: 'incomplete', indent: '  ' }],
    ['class A {\n  f() {', { status: 'incomplete', indent: '    ' }],
    ['const a =', { status: 'incomplete', indent: '' }],
    ['`a', { status: 'incomplete', indent: '' }],
    ['a b c', { status: 'invalid' }],
  ])('says whether %j is complete', async (code, expected) => {
    expect((await kernel.request('is_complete_request', { code })).reply.content).toEqual(expected);
  });
});
