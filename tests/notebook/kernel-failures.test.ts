/** Cells that fail: what is said, and what is not run. */
import { describe, expect, it } from 'vitest';
import { type Answer } from './client.js';
import { kernel, types, shown } from './running-kernel.js';

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
