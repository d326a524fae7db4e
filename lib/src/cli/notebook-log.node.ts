import type { CellMessage } from '../notebook/messages.js';
import type { RunOptions } from '../notebook/run.node.js';

/** Tells of a run on the terminal: each cell's id, below it what it prints and the text of what it shows, then its seconds. */
export function createRunLog(quiet: boolean): Required<Pick<RunOptions, 'onStart' | 'onOutput' | 'onCell'>> {
  let lineOpen = false;
  let shown = false;
  const write = (name: 'stdout' | 'stderr', text: string): void => {
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
  return {
    onStart: ({ id }) => {
      endLine();
      shown = false;
      write('stdout', `  ${id.padEnd(10)}`);
    },
    onOutput: (message) => {
      if (quiet) return;
      if (message.msg_type === 'stream') return show(message.content.name, message.content.text);
      const text = textOf(message);
      if (text === undefined) return;
      endLine();
      show('stdout', `${text}\n`);
    },
    onCell: ({ seconds }) => {
      if (shown) endLine();
      write('stdout', `${shown ? ' '.repeat(12) : ''} ${seconds.toFixed(2).padStart(7)} s\n`);
    },
  };
}

/** The later states of a display would fill the screen. */
function textOf(message: CellMessage): string | undefined {
  if (message.msg_type !== 'display_data' && message.msg_type !== 'execute_result') return undefined;
  const text = message.content.data['text/plain'];
  return typeof text === 'string' ? text : undefined;
}
