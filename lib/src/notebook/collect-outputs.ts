import type { CellOutput } from './format.js';
import type { CellMessage, MimeBundle, MimeObject } from './messages.js';

/** What the cells of a notebook have shown, as its file keeps it. */
export interface Outputs {
  /** What a cell sends, in order. */
  take(cell: string, message: CellMessage): void;
  of(cell: string): readonly CellOutput[];
}

type Shown = { data: MimeBundle; metadata: MimeObject };

/** A display that is updated changes wherever it is shown, and text in pieces becomes one. */
export function createOutputs(): Outputs {
  const cells = new Map<string, CellOutput[]>();
  const displays = new Map<string, Shown[]>();
  const clearing = new Set<string>();
  const outputsOf = (cell: string): CellOutput[] => {
    if (!cells.has(cell)) cells.set(cell, []);
    return cells.get(cell)!;
  };
  const add = (cell: string, output: CellOutput): void => {
    if (clearing.delete(cell)) outputsOf(cell).length = 0;
    outputsOf(cell).push(output);
  };
  const print = (cell: string, name: 'stdout' | 'stderr', text: string): void => {
    const last = clearing.has(cell) ? undefined : outputsOf(cell).at(-1);
    if (last?.output_type !== 'stream' || last.name !== name)
      return add(cell, { output_type: 'stream', name, text: overwritten(text) });
    outputsOf(cell).splice(-1, 1, { ...last, text: overwritten(last.text + text) });
  };
  return {
    of: outputsOf,
    take: (cell, message) => {
      if (message.msg_type === 'stream') return print(cell, message.content.name, message.content.text);
      if (message.msg_type === 'clear_output') {
        if (message.content.wait) clearing.add(cell);
        else outputsOf(cell).length = 0;
        return;
      }
      if (message.msg_type === 'error') return add(cell, { output_type: 'error', ...message.content });
      if (message.msg_type === 'execute_result')
        return add(cell, { output_type: 'execute_result', ...message.content });
      const { data, metadata, transient } = message.content;
      const id = transient.display_id ?? '';
      if (message.msg_type === 'update_display_data') {
        for (const shown of displays.get(id) ?? []) Object.assign(shown, { data, metadata });
        return;
      }
      const shown = { output_type: 'display_data' as const, data, metadata };
      displays.set(id, [...(displays.get(id) ?? []), shown]);
      add(cell, shown);
    },
  };
}

/** A carriage return writes over its line, as on a terminal. */
function overwritten(text: string): string {
  return text.replace(/[^\n]*\r(?!\n|$)/g, '');
}
