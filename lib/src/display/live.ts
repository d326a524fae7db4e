import { plainLine, runLines, type RunView } from './progress.js';
import { createStyle } from './style.js';

/** The part of a terminal or log file that is needed here; `process.stdout` is one. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface LiveOptions {
  readonly output: Output;
  readonly color: boolean;
  /** Milliseconds, for pacing only. */
  readonly now: () => number;
  /** Least time between two plain lines when the output is no terminal; default 5000. */
  readonly plainEveryMs?: number;
  /** Least time between two repaints of a terminal; default 100. */
  readonly repaintEveryMs?: number;
}

/** A view of a run that repaints in place on a terminal, and becomes a line now and then in a log. */
export interface Live {
  show(view: RunView): void;
  /** A line that stays, above what is repainted. */
  print(line: string): void;
  /** Leaves the last view standing. */
  close(): void;
}

export function createLive(options: LiveOptions): Live {
  const { output, now, plainEveryMs = 5000, repaintEveryMs = 100 } = options;
  const style = createStyle(options.color);
  const repaints = output.isTTY === true && (output.columns ?? 80) >= 40;
  let painted = 0;
  let last = -Infinity;
  let pending: RunView | undefined;

  const erase = (): string => (painted > 0 ? `\u001b[${painted}A\r\u001b[J` : '');
  const paint = (view: RunView): void => {
    const lines = runLines(view, (output.columns ?? 80) - 1, style);
    output.write(erase() + lines.join('\n') + '\n');
    painted = lines.length;
    pending = undefined;
  };
  return {
    show(view) {
      pending = view;
      if (now() - last < (repaints ? repaintEveryMs : plainEveryMs)) return;
      last = now();
      if (repaints) paint(view);
      else {
        output.write(`${plainLine(view)}\n`);
        pending = undefined;
      }
    },
    print(line) {
      output.write(`${erase()}${line}\n`);
      painted = 0;
    },
    close() {
      if (pending !== undefined) {
        if (repaints) paint(pending);
        else output.write(`${plainLine(pending)}\n`);
      }
      pending = undefined;
      painted = 0;
    },
  };
}
