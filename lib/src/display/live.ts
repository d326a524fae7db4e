import { activeStage, plainLine, runLines, type RunView } from './progress.js';
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
  const leastWait = repaints ? repaintEveryMs : plainEveryMs;
  let painted = 0;
  let lastTime = -Infinity;
  let shown: RunView | undefined;
  let pending: RunView | undefined;

  const erase = (): string => (painted > 0 ? `\u001b[${painted}A\r\u001b[J` : '');
  const write = (view: RunView): void => {
    const lines = repaints ? runLines(view, (output.columns ?? 80) - 1, style) : [plainLine(view)];
    output.write(`${erase()}${lines.join('\n')}\n`);
    painted = repaints ? lines.length : 0;
    lastTime = now();
    shown = view;
    pending = undefined;
  };
  return {
    show(view) {
      const stage = activeStage(view);
      const changed = stage !== (shown && activeStage(shown));
      // the last word of the stage before
      if (changed && pending !== undefined) write(pending);
      if (stage === undefined && !repaints) return;
      pending = view;
      if (changed || now() - lastTime >= leastWait) write(view);
    },
    print(line) {
      const covered = painted > 0 ? (pending ?? shown) : undefined;
      output.write(`${erase()}${line}\n`);
      painted = 0;
      if (covered !== undefined) write(covered);
    },
    close() {
      if (pending !== undefined) write(pending);
      painted = 0;
    },
  };
}
