import fc from 'fast-check';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  formatNotebook,
  notebookOf,
  parseNotebook,
  withoutOutputs,
  type CodeCell,
} from 'posttrain/notebook/format';
import { outdated, pairedFiles } from 'posttrain/notebook/notebook-files.node';
import { readPairedSource, writePairedSource } from 'posttrain/notebook/paired-source';

const source = `// %% [markdown]
// # Title
//
// A paragraph.

// %%
const a = 1;

const b = a;

// %% [markdown]
// ## Section

// %% tags=["raises-exception"]
throw new Error('on purpose');
`;

describe('a paired source', () => {
  it('is the cells of its notebook', () => {
    expect(readPairedSource(source, 'a.ts').cells).toEqual([
      { cell_type: 'markdown', id: 's0-01', metadata: {}, source: '# Title\n\nA paragraph.' },
      {
        cell_type: 'code',
        id: 's0-02',
        metadata: {},
        source: 'const a = 1;\n\nconst b = a;',
        execution_count: null,
        outputs: [],
      },
      { cell_type: 'markdown', id: 's1-01', metadata: {}, source: '## Section' },
      {
        cell_type: 'code',
        id: 's1-02',
        metadata: { tags: ['raises-exception'] },
        source: "throw new Error('on purpose');",
        execution_count: null,
        outputs: [],
      },
    ]);
  });

  it('is written as it was read', () => {
    expect(writePairedSource(readPairedSource(source, 'a.ts'))).toBe(source);
  });

  it('comes back the same from any notebook', () => {
    const line = fc
      .string({ unit: fc.constantFrom('a', ' ', '/', '%', '#', '{', '中') })
      .map((text) => `x${text}x`);
    const text = fc
      .array(fc.oneof(line, fc.constant('')), { maxLength: 4 })
      .map((lines) => ['x', ...lines, 'y'].join('\n'));
    const cell = fc.record({
      code: fc.boolean(),
      text,
      tags: fc.array(fc.constantFrom('a-b', 'c'), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
        const notebook = notebookOf(
          cells.map(({ code, text, tags }, i) => ({
            id: `s0-0${i + 1}`,
            metadata: tags.length > 0 ? { tags } : {},
            source: text,
            ...(code ? { cell_type: 'code', execution_count: null, outputs: [] } : { cell_type: 'markdown' }),
          })),
        );
        expect(readPairedSource(writePairedSource(notebook), 'a.ts')).toEqual(notebook);
      }),
    );
  });

  it.each([
    ['const a = 1;\n', 'a.ts:1: a notebook begins with'],
    ['// %%\n1\n// %% markdown\n', 'a.ts:3: "// %% markdown" is no marker'],
    ['// %% [markdown]\n// text\nconst a = 1;\n', 'a.ts:3: a line of Markdown begins with'],
  ])('refuses %j', (text, problem) => {
    expect(() => readPairedSource(text, 'a.ts')).toThrow(problem);
  });

  it('cannot be made of code that looks like a marker', () => {
    const notebook = notebookOf([
      { cell_type: 'code', id: 'c', metadata: {}, source: '1\n// %% 2', execution_count: null, outputs: [] },
    ]);
    expect(() => writePairedSource(notebook)).toThrow('cell c has a line that begins with');
  });
});

describe('a notebook file', () => {
  const notebook = readPairedSource(source, 'a.ts');
  const ran = notebookOf([
    {
      ...(notebook.cells[1] as CodeCell),
      execution_count: 1,
      outputs: [
        { output_type: 'stream', name: 'stdout', text: 'a\nb' },
        {
          output_type: 'display_data',
          data: { 'text/html': '<p>\n</p>', 'image/png': 'AQID', 'application/json': { b: 1, a: [2] } },
          metadata: {},
        },
        { output_type: 'error', ename: 'Error', evalue: 'no', traceback: ['Error: no'] },
      ],
    },
  ]);

  it('has sorted keys, lines, and a newline at its end', () => {
    const text = formatNotebook(ran);
    expect(text.endsWith('}\n')).toBe(true);
    const { cells, nbformat, nbformat_minor: minor, metadata } = JSON.parse(text);
    expect([nbformat, minor]).toEqual([4, 5]);
    expect(metadata.kernelspec).toEqual({
      name: 'posttrain',
      display_name: 'TypeScript (posttrain)',
      language: 'typescript',
    });
    expect(Object.keys(cells[0])).toEqual([
      'cell_type',
      'execution_count',
      'id',
      'metadata',
      'outputs',
      'source',
    ]);
    expect(cells[0].source).toEqual(['const a = 1;\n', '\n', 'const b = a;']);
    expect(cells[0].outputs[0].text).toEqual(['a\n', 'b']);
    expect(cells[0].outputs[1].data).toEqual({
      'application/json': { a: [2], b: 1 },
      'image/png': 'AQID',
      'text/html': ['<p>\n', '</p>'],
    });
  });

  it('is read as it was written', () => {
    expect(parseNotebook(formatNotebook(ran), 'a.ipynb')).toEqual(ran);
  });

  it('can be cleared', () => {
    expect(withoutOutputs(ran).cells[0]).toMatchObject({ execution_count: null, outputs: [] });
  });

  it('of an older version gets ids, and loses what Jupyter notes for itself', () => {
    const old = JSON.stringify({
      nbformat: 4,
      nbformat_minor: 2,
      metadata: { orig_nbformat: 4 },
      cells: [
        { cell_type: 'code', metadata: { scrolled: true }, source: ['1'], execution_count: 7, outputs: [] },
      ],
    });
    expect(parseNotebook(old, 'a.ipynb').cells[0]).toMatchObject({ id: 'cell-1', metadata: {}, source: '1' });
  });

  it('of version 3 is refused', () => {
    expect(() => parseNotebook('{"nbformat": 3, "worksheets": []}', 'old.ipynb')).toThrow(
      'old.ipynb is no notebook',
    );
  });
});

describe('the notebooks of this repository', () => {
  const files = ['notebooks', 'tests/notebook/notebooks'].filter(existsSync).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /\.(ts|ipynb)$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const sources = files.filter((file) => file.endsWith('.ts'));

  it('are pairs of a source and what is made from it, without outputs', () => {
    expect(sources.length).toBeGreaterThan(0);
    expect(files).toHaveLength(2 * sources.length);
    expect(outdated(sources.flatMap(pairedFiles)).map(({ path }) => path)).toEqual([]);
  });

  it.each(sources)('%s has ids of its own and no text that names a place', (file) => {
    const text = readFileSync(file.replace(/\.ts$/, '.ipynb'), 'utf8');
    const { cells } = parseNotebook(text, file);
    const ids = cells.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^s\d+-\d\d$/);
    expect(text).not.toMatch(/\/home\/|\/Users\/|[A-Z]:\\\\/);
    expect(text.length).toBeLessThan(300_000);
  });
});
