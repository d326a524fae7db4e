import { AsyncLocalStorage } from 'node:async_hooks';
import { createExecutor } from 'tslab/dist/executor.js';
import { getCodeMetadata } from 'tslab/dist/metadata.js';
import { describeError, describeProblems, Interrupted } from './cell-error.node.js';
import { completeness, createCompiler, type Compiler } from './compiler.node.js';
import { setHost, type NotebookHost } from './host.js';
import { installLoopGuard } from './loop-guard.node.js';
import type { CellMessage, ErrorContent, MimeBundle, MimeData } from './messages.js';
import { captureStandardStreams, createOutput, TEXT_LIMIT, type Outlet } from './output.node.js';
import { valueBundle } from './rich-value.node.js';

export interface CellRequest {
  /** As stack frames name it. */
  readonly name: string;
  readonly code: string;
  send(message: CellMessage): void;
  /** Asks the reader; rejects where nobody can be asked. */
  ask(prompt: string, password: boolean): Promise<string>;
}

export type CellOutcome =
  | { readonly status: 'ok'; /** The value of the last expression. */ readonly value?: MimeBundle }
  | { readonly status: 'error'; readonly error: ErrorContent };

/** The state that the cells of a notebook share: their variables, and where what they print goes. */
export interface Session {
  /** Runs one cell to its end; its output is sent before the promise resolves. Not while another runs. */
  run(request: CellRequest): Promise<CellOutcome>;
  /**
   * Asks the running cell to stop. One that has taken its signal stops by itself, or at the second time; any other one is given up,
   * and what it waits for may go on unseen.
   */
  interrupt(): void;
  readonly complete: (
    code: string,
    offset: number,
  ) => { readonly start: number; readonly end: number; readonly candidates: readonly string[] };
  readonly inspect: ReturnType<typeof createExecutor>['inspect'];
  readonly completeness: typeof completeness;
}

export interface SessionOptions {
  /** Begins the names of displays; another one for each process. */
  readonly id: string;
  readonly fast: boolean;
  /** Whether results are to become the recorded ones; default `false`. */
  readonly record?: boolean;
  /** Told whether a cell has started (`false`) or taken its signal (`true`), and so will stop by itself. */
  readonly onTrust?: (trusted: boolean) => void;
  /** Another thread stops the loops of a cell by writing 1 into it; the next cell begins with 0. */
  readonly stop?: Int32Array;
}

/** A cell, from its start to the last thing that it started. */
interface Cell extends Outlet {
  readonly request: CellRequest;
  readonly stop: AbortController;
  /** What is to be done when it ends. */
  readonly atEnd: (() => void)[];
  /** Why the cell failed, other than by throwing. */
  failure?: { readonly thrown: unknown };
  /** The cell listens to its signal. */
  trusted: boolean;
  interruptedAt: number;
}

/** Interrupts closer together than this are one: a front end may send a message and a signal. */
const ONE_PRESS_MS = 500;

export function createSession(options: SessionOptions): Session {
  const { id, fast, record = false, onTrust, stop = new Int32Array(1) } = options;
  const compiler: Compiler = createCompiler();
  const output = createOutput();
  const inCell = new AsyncLocalStorage<Cell>();
  let running: Cell | undefined;
  let latest: Cell | undefined;
  let displays = 0;
  let result: unknown;
  let thrown: unknown;

  const executor = createExecutor(
    process.cwd(),
    { node: compiler, browser: compiler, close: () => compiler.close() },
    {
      log: (value: unknown) => {
        result = value;
      },
      // a single argument is what the cell threw; the compiler's complaints are taken from the compiler
      error: (...messages: unknown[]) => {
        if (messages.length === 1) [thrown] = messages;
      },
    },
  );

  /** A timer of an earlier cell still speaks for that one; a thread, of which no one knows, for the latest. */
  const speaker = (): Cell | undefined => inCell.getStore() ?? latest;
  captureStandardStreams(output, speaker);
  setHost(createHost());
  installLoopGuard(stop, () => {
    throw new Interrupted();
  });
  process.on('unhandledRejection', failSpeaker);
  process.on('uncaughtException', failSpeaker);
  forbidExit();

  function failSpeaker(reason: unknown): void {
    const cell = speaker();
    if (cell === undefined) throw reason;
    if (cell === running) return fail(cell, reason);
    output.send(cell, { msg_type: 'error', content: describeError(reason, compiler.compiled) });
  }

  function fail(cell: Cell, reason: unknown): void {
    cell.failure ??= { thrown: reason };
    executor.interrupt();
  }

  async function run(request: CellRequest): Promise<CellOutcome> {
    const cell: Cell = {
      request,
      stop: new AbortController(),
      atEnd: [],
      trusted: false,
      interruptedAt: 0,
      send: request.send,
      textLeft: TEXT_LIMIT,
    };
    running = latest = cell;
    result = thrown = undefined;
    stop[0] = 0;
    onTrust?.(false);
    compiler.begin(request.name);
    try {
      return await inCell.run(cell, () => execute(cell));
    } finally {
      running = undefined;
      output.flush();
    }
  }

  async function execute(cell: Cell): Promise<CellOutcome> {
    const { code, name } = cell.request;
    if (getCodeMetadata(code).mode === 'browser')
      return failed(describeError(new Error('cells marked @browser run nowhere yet'), compiler.compiled));
    const finished = await executor.execute(code).catch((error: unknown) => {
      // the compiler itself broke
      thrown = error;
      return false;
    });
    // a rejection that nobody handles is told after the microtasks
    await new Promise((resume) => setImmediate(resume));
    end(cell);
    const failure = cell.failure ?? (finished ? undefined : { thrown: translated(thrown) });
    const problems = compiler.problems();
    if (problems.length > 0) return failed(describeProblems(problems, name, code));
    if (failure !== undefined) return failed(describeError(failure.thrown, compiler.compiled));
    if (result === undefined || result === null) return { status: 'ok' };
    try {
      const value = encoded(await valueBundle(result));
      return Object.keys(value).length === 0 ? { status: 'ok' } : { status: 'ok', value };
    } catch (error) {
      return failed(describeError(error, compiler.compiled));
    }
  }

  function end(cell: Cell): void {
    for (const call of cell.atEnd)
      try {
        call();
      } catch (error) {
        cell.failure ??= { thrown: error };
      }
  }

  function interrupt(): void {
    const cell = running;
    const now = performance.now();
    if (cell === undefined || (cell.interruptedAt > 0 && now - cell.interruptedAt < ONE_PRESS_MS)) return;
    const first = cell.interruptedAt === 0;
    cell.interruptedAt = now;
    cell.stop.abort(new Interrupted());
    if (first && cell.trusted) {
      output.print(cell, 'stderr', 'Stopping after this step; interrupt again to stop at once.\n');
    } else {
      fail(cell, new Interrupted());
    }
  }

  function createHost(): NotebookHost {
    const speaking = (): Cell => {
      const cell = speaker();
      if (cell === undefined) throw new Error('no cell has run yet');
      return cell;
    };
    return {
      fast,
      record,
      atCellEnd: (call) => {
        const cell = speaking();
        if (cell === running) cell.atEnd.push(call);
        else call();
      },
      newDisplayId: () => `${id}-${++displays}`,
      display: (bundle, { displayId, metadata, update }) =>
        output.send(speaking(), {
          msg_type: update ? 'update_display_data' : 'display_data',
          content: { data: encoded(bundle), metadata, transient: { display_id: displayId } },
        }),
      clearOutput: (wait) => output.send(speaking(), { msg_type: 'clear_output', content: { wait } }),
      input: (prompt, password) => {
        const cell = speaking();
        output.flush();
        const interrupted = new Promise<never>((_, reject) => {
          cell.stop.signal.addEventListener('abort', () => reject(cell.stop.signal.reason), { once: true });
        });
        return Promise.race([cell.request.ask(prompt, password), interrupted]);
      },
      signal: () => {
        const cell = speaking();
        if (cell === running && !cell.trusted) {
          cell.trusted = true;
          onTrust?.(true);
        }
        return cell.stop.signal;
      },
    };
  }

  return {
    run,
    interrupt,
    complete: executor.complete,
    inspect: executor.inspect,
    completeness,
  };
}

const failed = (error: ErrorContent): CellOutcome => ({ status: 'error', error });

/** Node's own word for SIGINT in a loop that waits for nothing. */
function translated(thrown: unknown): unknown {
  return (thrown as { code?: unknown } | null | undefined)?.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED'
    ? new Interrupted()
    : thrown;
}

/** Most characters of one output; more than that and a browser stands still. */
const BUNDLE_LIMIT = 10 * 2 ** 20;

/** Bytes become base64, as Jupyter wants them. @throws RangeError for an output that no browser can bear. */
function encoded(bundle: MimeBundle): MimeBundle {
  const encode = (data: MimeData): MimeData =>
    data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data;
  const entries = Object.entries(bundle).map(([type, data]) => [type, encode(data)] as const);
  const size = entries.reduce((sum, [, data]) => sum + (typeof data === 'string' ? data.length : 0), 0);
  if (size > BUNDLE_LIMIT)
    throw new RangeError(
      `this output has ${Math.ceil(size / 2 ** 20)} MiB, at most ${BUNDLE_LIMIT / 2 ** 20} can be shown; show less of it, or write a file`,
    );
  return Object.fromEntries(entries);
}

/** A cell that ends the process would take all variables of the notebook with it. */
function forbidExit(): void {
  process.exit = (code) => {
    throw new Error(
      `process.exit(${code ?? ''}) would end the notebook with all its variables; throw an error to stop a cell`,
    );
  };
}
