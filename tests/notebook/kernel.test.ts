/** What a front end asks of the kernel. */
import { describe, expect, it } from 'vitest';
import { kernel, shown } from './running-kernel.js';

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
