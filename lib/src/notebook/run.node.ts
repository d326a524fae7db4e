import { fork } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createOutputs } from './collect-outputs.js';
import type { CodeCell, Notebook } from './format.js';
import type { CellMessage, ErrorContent } from './messages.js';
import { readNotebook } from './notebook-files.node.js';
import type { RunnerRequest, RunReply, RunRequest } from './runner-protocol.js';

export interface CellRun {
  readonly cell: CodeCell;
  readonly seconds: number;
  readonly error?: ErrorContent;
}

export interface NotebookRun {
  /** With all outputs, also those of a cell that failed. */
  readonly notebook: Notebook;
  /** In their order, up to the one that failed. */
  readonly cells: readonly CellRun[];
  /** The cell that ended the run: it failed and is not tagged `raises-exception`, or its process died. */
  readonly failure?: CellRun & { readonly error: ErrorContent };
  /** Set when the run was interrupted, which is no failure: the cell that ran, unless none had begun. */
  readonly interrupted?: { readonly cell?: CodeCell };
}

export interface RunOptions {
  /** What `isFast()` says in the cells; default `false`. */
  readonly fast?: boolean;
  readonly onStart?: (cell: CodeCell) => void;
  /** Told what the cells show, as they show it, also the values of their last expressions. */
  readonly onOutput?: (message: CellMessage) => void;
  readonly onCell?: (run: CellRun) => void;
  /** Interrupts the running cell: one that took `interruptSignal()` stops by itself, any other one ends at once. No cell runs after it. */
  readonly signal?: AbortSignal;
  /** Ends the process of the cells at once. */
  readonly kill?: AbortSignal;
}

/**
 * Runs the cells of a notebook, or of its source, in a process of their own whose folder is the notebook's. Stops at the first that
 * fails, or when it is interrupted, with the outputs so far.
 * @throws Error for a file that is no notebook, and when the process ends before its first cell begins.
 */
export async function runNotebook(
  file: string,
  { fast = false, onStart, onOutput, onCell, signal, kill }: RunOptions = {},
): Promise<NotebookRun> {
  const notebook = readNotebook(file);
  const codeCells = new Map(
    notebook.cells.filter((cell) => cell.cell_type === 'code').map((cell) => [cell.id, cell]),
  );
  const outputs = createOutputs();
  const runs = new Map<string, CellRun>();
  const mayFail = ({ metadata }: CodeCell): boolean => metadata.tags?.includes('raises-exception') === true;
  let running: { readonly id: string; readonly since: number } | undefined;
  const show = (cell: string, message: CellMessage): void => {
    outputs.take(cell, message);
    onOutput?.(message);
  };
  const fail = (cell: string, error: ErrorContent): void => {
    show(cell, { msg_type: 'error', content: error });
    runs.set(cell, { ...runs.get(cell)!, error });
  };
  const take = (reply: RunReply): void => {
    if (reply.kind === 'output') {
      const { cell, message } = reply;
      // what a cell started went wrong after the cell had ended
      if (message.msg_type === 'error') fail(cell, message.content);
      else show(cell, message);
    } else if (reply.kind === 'start') {
      running = { id: reply.cell, since: performance.now() };
      const cell = codeCells.get(reply.cell)!;
      runs.set(reply.cell, { cell, seconds: 0 });
      onStart?.(cell);
    } else if (reply.kind === 'cell') {
      running = undefined;
      const { cell: id, seconds, value, error } = reply;
      runs.set(id, { ...runs.get(id)!, seconds });
      const content = { execution_count: runs.size, data: value ?? {}, metadata: {} };
      if (value) show(id, { msg_type: 'execute_result', content });
      if (error) fail(id, error);
      onCell?.(runs.get(id)!);
    }
  };
  const end = await inProcess(
    dirname(resolve(file)),
    {
      kind: 'run',
      cells: [...codeCells.values()].map((cell) => ({
        id: cell.id,
        source: cell.source,
        mayFail: mayFail(cell),
      })),
      fast,
    },
    take,
    { signal, kill },
  );
  const died = running;
  if (died !== undefined) {
    runs.set(died.id, { ...runs.get(died.id)!, seconds: (performance.now() - died.since) / 1000 });
    fail(
      died.id,
      end.interrupted
        ? errorContent('Interrupted', 'the cell was interrupted')
        : errorContent('ProcessDied', howItDied(end)),
    );
    onCell?.(runs.get(died.id)!);
  } else if (!end.finished && !end.interrupted) {
    throw new Error(howItDied(end));
  }
  const cells = [...runs.values()];
  const failure = cells.find(
    (run) => run.error !== undefined && (run.cell.id === died?.id || !mayFail(run.cell)),
  );
  const last = cells.at(-1);
  return {
    notebook: {
      ...notebook,
      cells: notebook.cells.map((cell) => {
        const count = cells.findIndex((run) => run.cell.id === cell.id);
        return cell.cell_type !== 'code' || count === -1
          ? cell
          : { ...cell, execution_count: count + 1, outputs: outputs.of(cell.id) };
      }),
    },
    cells,
    ...(end.interrupted
      ? { interrupted: last ? { cell: last.cell } : {} }
      : failure && { failure: failure as NotebookRun['failure'] & object }),
  };
}

/** Of what happened to the process, not in a line of code. */
function errorContent(ename: string, evalue: string): ErrorContent {
  return { ename, evalue, traceback: [`${ename}: ${evalue}`] };
}

function howItDied({ how }: ProcessEnd): string {
  return `the process that ran the cells ended with ${how}`;
}

/** How long a cell that took no signal may take to hear of an interrupt; a loop that waits for nothing never does. */
const PATIENCE_MS = 1000;

interface ProcessEnd {
  /** It has said so itself. */
  readonly finished: boolean;
  readonly interrupted: boolean;
  readonly how: string;
}

function inProcess(
  cwd: string,
  request: RunRequest,
  take: (reply: RunReply) => void,
  { signal, kill }: Pick<RunOptions, 'signal' | 'kill'>,
): Promise<ProcessEnd> {
  return new Promise((ended, reject) => {
    const child = fork(fileURLToPath(new URL('./runner-process.node.js', import.meta.url)), {
      cwd,
      serialization: 'advanced',
      execArgv: [],
    });
    // it may have gone a moment ago, of which `exit` tells
    const send = (message: RunnerRequest): void => void child.send(message, () => {});
    let finished = false;
    let trusted = false;
    let patience: NodeJS.Timeout | undefined;
    const end = (): void => void child.kill('SIGKILL');
    const interrupt = (): void => {
      if (child.connected) send({ kind: 'interrupt' });
      if (!trusted) patience = setTimeout(end, PATIENCE_MS);
    };
    const stopListening = (): void => {
      clearTimeout(patience);
      signal?.removeEventListener('abort', interrupt);
      kill?.removeEventListener('abort', end);
    };
    child.on('message', (reply: RunReply) => {
      if (reply.kind === 'done') finished = true;
      else if (reply.kind === 'trust') trusted = true;
      else {
        if (reply.kind === 'start') trusted = false;
        take(reply);
      }
    });
    child.once('error', (error) => {
      stopListening();
      reject(error);
    });
    // `close`, not `exit`: what the process has sent before its end is still read
    child.once('close', (status, death) => {
      stopListening();
      const interrupted = signal?.aborted === true || kill?.aborted === true;
      ended({ finished, interrupted, how: death ?? `status ${status}` });
    });
    send(request);
    signal?.addEventListener('abort', interrupt, { once: true });
    kill?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) interrupt();
  });
}
