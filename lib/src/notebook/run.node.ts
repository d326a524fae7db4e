import { fork } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createOutputs } from './collect-outputs.js';
import type { CodeCell, Notebook } from './format.js';
import type { ErrorContent } from './messages.js';
import { readNotebook } from './notebook-files.node.js';
import type { RunReply, RunRequest } from './runner-protocol.js';

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
  /** The cell that ended the run, unless it is tagged `raises-exception`. */
  readonly failure?: CellRun & { readonly error: ErrorContent };
}

export interface RunOptions {
  /** What `isFast()` says in the cells; default `false`. */
  readonly fast?: boolean;
  readonly onCell?: (run: CellRun) => void;
}

/**
 * Runs the cells of a notebook, or of its source, in a process of their own whose folder is the notebook's. Stops at the first that fails.
 * @throws Error when the process ends before its cells do.
 */
export async function runNotebook(
  file: string,
  { fast = false, onCell }: RunOptions = {},
): Promise<NotebookRun> {
  const notebook = readNotebook(file);
  const codeCells = new Map(
    notebook.cells.filter((cell) => cell.cell_type === 'code').map((cell) => [cell.id, cell]),
  );
  const outputs = createOutputs();
  const runs = new Map<string, CellRun>();
  const mayFail = ({ metadata }: CodeCell): boolean => metadata.tags?.includes('raises-exception') === true;
  const fail = (cell: string, error: ErrorContent): void => {
    outputs.take(cell, { msg_type: 'error', content: error });
    runs.set(cell, { ...runs.get(cell)!, error });
  };
  const take = (reply: RunReply): void => {
    if (reply.kind === 'output') {
      const { cell, message } = reply;
      // what a cell started went wrong after the cell had ended
      if (message.msg_type === 'error') fail(cell, message.content);
      else outputs.take(cell, message);
    } else if (reply.kind === 'cell') {
      const { cell: id, seconds, value, error } = reply;
      runs.set(id, { cell: codeCells.get(id)!, seconds });
      const content = { execution_count: runs.size, data: value ?? {}, metadata: {} };
      if (value) outputs.take(id, { msg_type: 'execute_result', content });
      if (error) fail(id, error);
      onCell?.(runs.get(id)!);
    }
  };
  await inProcess(
    dirname(resolve(file)),
    {
      cells: [...codeCells.values()].map((cell) => ({
        id: cell.id,
        source: cell.source,
        mayFail: mayFail(cell),
      })),
      fast,
    },
    take,
  );
  const cells = [...runs.values()];
  const failure = cells.find((run) => run.error !== undefined && !mayFail(run.cell));
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
    ...(failure && { failure: failure as NotebookRun['failure'] & object }),
  };
}

function inProcess(cwd: string, request: RunRequest, take: (reply: RunReply) => void): Promise<void> {
  return new Promise((done, reject) => {
    const child = fork(fileURLToPath(new URL('./runner-process.node.js', import.meta.url)), {
      cwd,
      serialization: 'advanced',
      execArgv: [],
    });
    let finished = false;
    child.on('message', (reply: RunReply) => {
      if (reply.kind === 'done') finished = true;
      else take(reply);
    });
    child.once('error', reject);
    child.once('exit', (status, signal) => {
      if (finished) done();
      else reject(new Error(`the process that ran the cells ended with ${signal ?? `status ${status}`}`));
    });
    child.send(request);
  });
}
