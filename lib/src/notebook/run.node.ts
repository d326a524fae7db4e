import { fork } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeCell, Notebook } from './format.js';
import type { ErrorContent } from './messages.js';
import { readNotebook } from './notebook-files.node.js';
import { type CellRun, codeCellsOf, createRunRecord, type RunListener } from './run-record.js';
import type { RunnerRequest, RunReply, RunRequest } from './runner-protocol.js';

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

export interface RunOptions extends RunListener {
  /** What `isFast()` says in the cells; default `false`. */
  readonly fast?: boolean;
  /** Whether what the notebook saves as its results becomes `data/results/NAME.json`; default `false`. */
  readonly record?: boolean;
  /** Interrupts the running cell: one that took `interruptSignal()` stops by itself, any other one ends at once. No cell runs after it. */
  readonly signal?: AbortSignal;
  /** Ends the process of the cells at once. */
  readonly kill?: AbortSignal;
}

/** Runs a notebook, or its source, in its folder. @throws Error for a file that is no notebook; else as `executeNotebook` does. */
export async function runNotebook(file: string, options: RunOptions = {}): Promise<NotebookRun> {
  return executeNotebook(readNotebook(file), dirname(resolve(file)), options);
}

/**
 * Runs the cells of a notebook in a process of their own with this folder. Stops at the first that fails, or when it is interrupted,
 * with the outputs so far.
 * @throws Error when the process ends before its first cell begins.
 */
export async function executeNotebook(
  notebook: Notebook,
  folder: string,
  options: RunOptions = {},
): Promise<NotebookRun> {
  const record = createRunRecord(notebook, options);
  const cells = codeCellsOf(notebook).map((cell) => ({
    id: cell.id,
    source: cell.source,
    mayFail: mayFail(cell),
  }));
  const { fast = false, record: recording = false } = options;
  const request = { kind: 'run', cells, fast, record: recording } as const;
  const end = await inProcess(resolve(folder), request, record.take, options);
  const brokenOff = record.breakOff(
    end.interrupted
      ? errorContent('Interrupted', 'the cell was interrupted')
      : errorContent('ProcessDied', howItDied(end)),
  );
  if (!brokenOff && !end.finished && !end.interrupted) throw new Error(howItDied(end));
  const runs = record.cells();
  const result = { notebook: record.notebook(), cells: runs };
  const last = runs.at(-1);
  if (end.interrupted) return { ...result, interrupted: last ? { cell: last.cell } : {} };
  const failure = runs.find((run): run is CellRun & { readonly error: ErrorContent } =>
    Boolean(run.error && (run.cell.id === brokenOff?.id || !mayFail(run.cell))),
  );
  return failure ? { ...result, failure } : result;
}

function mayFail({ metadata }: CodeCell): boolean {
  return metadata.tags?.includes('raises-exception') === true;
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
