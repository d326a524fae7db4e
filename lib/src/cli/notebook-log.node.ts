import type { CellMessage } from '../notebook/messages.js';
import type { RunOptions } from '../notebook/run.node.js';

/** Tells of a run on the terminal: each cell's id, below it what it prints and the text of what it shows, then its seconds. */
export function createRunLog(quiet: boolean): Required<Pick<RunOptions, 'onStart' | 'onOutput' | 'onCell'>> {
  let lineOpen = false;
  let shown = false;
  const updated = new Map<string, string>();
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
      if (message.msg_type === 'update_display_data')
        updated.set(message.content.transient.display_id ?? '', text);
      else showText(text);
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

function textOf(message: CellMessage): string | undefined {
  if (!('data' in message.content)) return undefined;
  const text = message.content.data['text/plain'];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
