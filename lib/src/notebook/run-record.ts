import { createOutputs } from './collect-outputs.js';
import type { CodeCell, Notebook } from './format.js';
import type { CellMessage, ErrorContent } from './messages.js';
import type { RunReply } from './runner-protocol.js';

export interface CellRun {
  readonly cell: CodeCell;
  readonly seconds: number;
  readonly error?: ErrorContent;
}

/** Who is told while cells run. */
export interface RunListener {
  readonly onStart?: (cell: CodeCell) => void;
  /** Told what the cells show, as they show it, also the values of their last expressions. */
  readonly onOutput?: (message: CellMessage) => void;
  readonly onCell?: (run: CellRun) => void;
}

/** What a run has come to so far. */
export interface RunRecord {
  /** What the process of the cells tells. */
  readonly take: (reply: RunReply) => void;
  /** The cell that is running fails, as its process is gone; returns it, or nothing where none is running. */
  readonly breakOff: (error: ErrorContent) => CodeCell | undefined;
  /** In their order, up to the last that began. */
  readonly cells: () => readonly CellRun[];
  /** The notebook with the outputs so far. */
  readonly notebook: () => Notebook;
}

export function createRunRecord(notebook: Notebook, { onStart, onOutput, onCell }: RunListener): RunRecord {
  const codeCells = new Map(codeCellsOf(notebook).map((cell) => [cell.id, cell]));
  const outputs = createOutputs();
  const runs = new Map<string, CellRun>();
  let running: { readonly id: string; readonly since: number } | undefined;
  const change = (id: string, changes: Partial<CellRun>): void =>
    void runs.set(id, { ...runs.get(id)!, ...changes });
  const show = (id: string, message: CellMessage): void => {
    outputs.take(id, message);
    onOutput?.(message);
  };
  const fail = (id: string, error: ErrorContent): void => {
    show(id, { msg_type: 'error', content: error });
    change(id, { error });
  };
  const start = (id: string): void => {
    running = { id, since: performance.now() };
    const cell = codeCells.get(id)!;
    runs.set(id, { cell, seconds: 0 });
    onStart?.(cell);
  };
  const end = ({ cell: id, seconds, value, error }: Extract<RunReply, { readonly kind: 'cell' }>): void => {
    running = undefined;
    change(id, { seconds });
    if (value) {
      const content = { execution_count: runs.size, data: value, metadata: {} };
      show(id, { msg_type: 'execute_result', content });
    }
    if (error) fail(id, error);
    onCell?.(runs.get(id)!);
  };
  return {
    take: (reply) => {
      if (reply.kind === 'start') start(reply.cell);
      else if (reply.kind === 'cell') end(reply);
      else if (reply.kind === 'output') {
        const { cell, message } = reply;
        // what a cell started went wrong after the cell had ended
        if (message.msg_type === 'error') fail(cell, message.content);
        else show(cell, message);
      }
    },
    breakOff: (error) => {
      if (running === undefined) return undefined;
      const { id, since } = running;
      change(id, { seconds: (performance.now() - since) / 1000 });
      fail(id, error);
      onCell?.(runs.get(id)!);
      return codeCells.get(id);
    },
    cells: () => [...runs.values()],
    notebook: () => {
      const counts = new Map([...runs.keys()].map((id, index) => [id, index + 1]));
      const executed = notebook.cells.map((cell) => {
        const count = counts.get(cell.id);
        if (cell.cell_type !== 'code' || count === undefined) return cell;
        return { ...cell, execution_count: count, outputs: outputs.of(cell.id) };
      });
      return { ...notebook, cells: executed };
    },
  };
}

export function codeCellsOf({ cells }: Notebook): CodeCell[] {
  return cells.filter((cell) => cell.cell_type === 'code');
}
