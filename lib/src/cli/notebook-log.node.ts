import { fitToWidth } from '../display/cells.js';
import type { CellMessage } from '../notebook/messages.js';
import type { RunOptions } from '../notebook/run.node.js';

/** Tells of a run on the terminal: each cell's id, below it what it prints and the text of what it shows, then its seconds. */
export function createRunLog(quiet: boolean): Required<Pick<RunOptions, 'onStart' | 'onOutput' | 'onCell'>> {
  let lineOpen = false;
  let shown = false;
  const updated = new Map<string, string>();
  const status = createStatusLine();
  const write = (name: 'stdout' | 'stderr', text: string): void => {
    status.erase();
    process[name].write(text);
    lineOpen = !text.endsWith('\n');
  };
  const endLine = (): void => {
    if (lineOpen) write('stdout', '\n');
  };
  const show = (name: 'stdout' | 'stderr', text: string): void => {
    if (!shown) endLine();
    shown = true;
    write(name, text);
  };
  const showText = (text: string): void => {
    endLine();
    show('stdout', `${text}\n`);
  };
  return {
    onStart: ({ id }) => {
      endLine();
      shown = false;
      write('stdout', `  ${id}`);
    },
    onOutput: (message) => {
      if (quiet) return;
      if (message.msg_type === 'stream') return show(message.content.name, message.content.text);
      const text = textOf(message);
      if (text === undefined) return;
      // all states of a display would fill the screen; its last one is shown when its cell ends
      if (message.msg_type !== 'update_display_data') return showText(text);
      updated.set(message.content.transient.display_id ?? '', text);
      if (!text.includes('\n')) {
        endLine();
        status.show(text);
      }
    },
    onCell: ({ cell, seconds }) => {
      for (const text of updated.values()) showText(text);
      updated.clear();
      if (shown) endLine();
      write(
        'stdout',
        `${' '.repeat(shown ? 12 : Math.max(0, 10 - cell.id.length))} ${seconds.toFixed(2).padStart(7)} s\n`,
      );
    },
  };
}

interface StatusLine {
  show(text: string): void;
  erase(): void;
}

/** The last line of a terminal, written over again and again; nothing in a log. */
function createStatusLine(): StatusLine {
  const { stdout } = process;
  let shown = false;
  return {
    show: (text) => {
      if (!stdout.isTTY) return;
      stdout.write(`\r\u001b[K${fitToWidth(text, (stdout.columns ?? 80) - 1)}`);
      shown = true;
    },
    erase: () => {
      if (shown) stdout.write('\r\u001b[K');
      shown = false;
    },
  };
}

function textOf(message: CellMessage): string | undefined {
  if (!('data' in message.content)) return undefined;
  const text = message.content.data['text/plain'];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
