/** Notebook files: nbformat 4.5 (https://nbformat.readthedocs.io/en/latest/format_description.html). */
import type { ErrorContent, MimeBundle, MimeData, MimeObject } from './messages.js';

export interface Notebook {
  readonly cells: readonly NotebookCell[];
  readonly metadata: MimeObject;
  readonly nbformat: 4;
  readonly nbformat_minor: 5;
}

interface CellBase {
  /** Unique in its notebook; letters, digits, `-` and `_`, at most 64. */
  readonly id: string;
  readonly metadata: { readonly tags?: readonly string[] };
  readonly source: string;
}

export interface MarkdownCell extends CellBase {
  readonly cell_type: 'markdown';
}

export interface CodeCell extends CellBase {
  readonly cell_type: 'code';
  readonly execution_count: number | null;
  readonly outputs: readonly CellOutput[];
}

export type NotebookCell = MarkdownCell | CodeCell;

export type CellOutput =
  | { readonly output_type: 'stream'; readonly name: 'stdout' | 'stderr'; readonly text: string }
  | { readonly output_type: 'display_data'; readonly data: MimeBundle; readonly metadata: MimeObject }
  | {
      readonly output_type: 'execute_result';
      readonly execution_count: number;
      readonly data: MimeBundle;
      readonly metadata: MimeObject;
    }
  | ({ readonly output_type: 'error' } & ErrorContent);

/** What a notebook says about the kernel that it wants. */
export const kernelspec: {
  readonly name: 'posttrain';
  readonly display_name: string;
  readonly language: 'typescript';
} = {
  name: 'posttrain',
  display_name: 'TypeScript (posttrain)',
  language: 'typescript',
};

/** A notebook for our kernel. */
export function notebookOf(cells: readonly NotebookCell[]): Notebook {
  return {
    cells,
    metadata: { kernelspec: { ...kernelspec }, language_info: { file_extension: '.ts', name: 'typescript' } },
    nbformat: 4,
    nbformat_minor: 5,
  };
}

/** @throws SyntaxError, or an Error that names the file, for what is no notebook of version 4. */
export function parseNotebook(text: string, file: string): Notebook {
  const { cells, metadata, nbformat } = JSON.parse(text) as Partial<Notebook>;
  if (nbformat !== 4 || !Array.isArray(cells)) throw new Error(`${file} is no notebook of nbformat 4`);
  return { cells: cells.map(readCell), metadata: metadata ?? {}, nbformat: 4, nbformat_minor: 5 };
}

/** Before nbformat 4.5 cells had no ids, and text may be one string or its lines. */
function readCell(cell: NotebookCell, index: number): NotebookCell {
  const { id = `cell-${index + 1}`, metadata = {}, source } = cell;
  const common = { id, metadata: metadata.tags ? { tags: metadata.tags } : {}, source: joined(source) };
  if (cell.cell_type !== 'code') return { cell_type: 'markdown', ...common };
  const outputs = cell.outputs.map(readOutput);
  return { cell_type: 'code', ...common, execution_count: cell.execution_count ?? null, outputs };
}

function readOutput(output: CellOutput): CellOutput {
  if (output.output_type === 'stream') return { ...output, text: joined(output.text) };
  if (output.output_type === 'error') return output;
  const data = Object.entries(output.data).map(([type, value]) => [
    type,
    isText(type) ? joined(value) : value,
  ]);
  return { ...output, data: Object.fromEntries(data) };
}

/** The same notebook as if it had never run. */
export function withoutOutputs(notebook: Notebook): Notebook {
  const cells = notebook.cells.map((cell): NotebookCell =>
    cell.cell_type === 'code' ? { ...cell, execution_count: null, outputs: [] } : cell,
  );
  return { ...notebook, cells };
}

/** One notebook, one text: keys in order, text in lines, as Jupyter writes it. */
export function formatNotebook(notebook: Notebook): string {
  const cells = notebook.cells.map((cell) => ({
    ...cell,
    source: lines(cell.source),
    ...(cell.cell_type === 'code' && { outputs: cell.outputs.map(writtenOutput) }),
  }));
  return `${JSON.stringify(sorted({ ...notebook, cells }), null, 1)}\n`;
}

function writtenOutput(output: CellOutput): unknown {
  if (output.output_type === 'stream') return { ...output, text: lines(output.text) };
  if (output.output_type === 'error') return output;
  const data = Object.entries(output.data).map(([type, value]) => [type, writtenData(type, value)]);
  return { ...output, data: Object.fromEntries(data) };
}

function writtenData(type: string, value: MimeData): unknown {
  return isText(type) && typeof value === 'string' ? lines(value) : value;
}

/** MIME types whose data is text; the others are base64 or JSON. */
function isText(type: string): boolean {
  return type.startsWith('text/') || type === 'image/svg+xml' || type === 'application/javascript';
}

const lines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

const joined = (text: unknown): string => (Array.isArray(text) ? text.join('') : String(text));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
