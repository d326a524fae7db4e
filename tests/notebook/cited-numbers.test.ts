import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { citeNumbers, fillNumbers } from 'posttrain/notebook/cited-numbers';
import type { Notebook } from 'posttrain/notebook/format';
import { outdated, pairedFiles } from 'posttrain/notebook/notebook-files.node';
import { readPairedSource } from 'posttrain/notebook/paired-source';
import type { Results } from 'posttrain/notebook/results';

const results: Results = {
  wins: 0.3125,
  farming: { 'per-seed': { return: { value: 1911.4, low: 0.25, high: 2000 } } },
  seconds: 75,
};
const find = (name: string): Results | undefined => (name === '01' ? results : undefined);
const notebook = (markdown: string): Notebook =>
  readPairedSource(
    `// %% [markdown]\n// ${markdown.replaceAll('\n', '\n// ')}\n\n// %%\n'{{01:wins}}';\n`,
    'a.ts',
  );
const filled = (markdown: string): string => fillNumbers(notebook(markdown), find).cells[0]!.source;

describe('numbers that text cites', () => {
  it.each([
    ['{{01:wins}}', '0.313'],
    ['{{01:wins|short}}', '0.313'],
    ['{{01:wins|percent}}', '31.3 %'],
    ['{{01:wins|percent0}}', '31 %'],
    ['{{01:wins|fixed2}}', '0.31'],
    ['{{01:seconds|seconds}}', '1 min 15 s'],
    ['{{01:farming.per-seed.return|integer}}', '1,911'],
    ['{{01:farming.per-seed.return.low}}', '0.25'],
    ['{{01:farming.per-seed.return.high|percent0}}', '200000 %'],
    ['{{01:farming.per-seed.return|interval}}', '1911 (0.25–2000)'],
    ['{{01:wins|points}}', '31.3'],
    ['{{01:farming.per-seed.return|pointsInterval}}', '191140.0 (25.0–200000.0)'],
    ['{{01:farming.per-seed.return|percentInterval}}', '191140.0 % (25–200000)'],
    ['both {{01:wins}} and {{01:seconds}} s', 'both 0.313 and 75 s'],
    ['$\\frac{{a}}{b}$ and {{curly}}', '$\\frac{{a}}{b}$ and {{curly}}'],
  ])('%s is %s', (markdown, text) => {
    expect(filled(markdown)).toBe(text);
  });

  it('leaves code alone', () => {
    expect(fillNumbers(notebook(''), find).cells[1]!.source).toBe("'{{01:wins}}';");
  });

  it.each([
    ['{{01:win}}', 'there is no "win"; there are wins, farming, seconds'],
    ['{{01:farming}}', '"farming" is no number, interval or record over seeds; it has per-seed'],
    ['{{01:wins.low}}', 'there is no "low" in 0.3125'],
    ['{{02:wins}}', 'there are no such recorded results; `posttrain notebook run --record` writes them'],
    ['{{01:}}', 'expected {{NAME:path.of.number}}'],
    ['{{01:wins|percent|short}}', 'expected {{NAME:path.of.number}}'],
    ['{{01:wins|per cent}}', '"per cent" is no format; choose one of short, percent,'],
    ['{{01:.wins}}', '".wins" is no path'],
    ['{{01:wins|toString}}', '"toString" is no format; choose one of short, percent,'],
    ['{{01:wins|interval}}', '"wins" is a single number, without an interval'],
  ])('%s is refused, by cell and key', (markdown, problem) => {
    expect(() => filled(markdown)).toThrow(`cell s0-01: ${markdown}: ${problem}`);
  });

  it('are cited again in a notebook that was edited, where its lines were not', () => {
    const source = notebook('first {{01:wins}}\nsecond {{01:seconds|seconds}}\nthird');
    const edited = fillNumbers(source, find);
    expect(citeNumbers(edited, source, find)).toEqual(source);
    const cells = edited.cells.map((cell) => ({ ...cell, source: cell.source.replace('second', 'other') }));
    expect(citeNumbers({ ...edited, cells }, source, find).cells[0]!.source).toBe(
      'first {{01:wins}}\nother 1 min 15 s\nthird',
    );
  });
});

describe('a pair of files', () => {
  const root = mkdtempSync(join(tmpdir(), 'posttrain-cited-'));
  afterAll(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const source = join(root, 'course/notebooks/01-a.ts');
  const format = (file: string): string[] =>
    outdated(pairedFiles(file)).map(({ path, content }) => {
      writeFileSync(path, content);
      return path;
    });

  it('takes the numbers of the nearest folder that has recorded some, and survives an edit in Jupyter', () => {
    const text = "// %% [markdown]\n// Won: {{01:wins|percent0}}\n//\n// So it is.\n\n// %%\n'code';\n";
    write('course/notebooks/01-a.ts', text);
    expect(() => format(source)).toThrow(`${source}, cell s0-01: {{01:wins|percent0}}: there are no such`);
    write('course/data/results/01.json', JSON.stringify(results));
    write('data/results/01.json', JSON.stringify({ wins: 1 }));
    const notebookFile = source.replace('.ts', '.ipynb');
    expect(format(source)).toEqual([notebookFile]);
    const made = readFileSync(notebookFile, 'utf8');
    expect(made).toContain('"Won: 31 %\\n"');
    writeFileSync(notebookFile, made.replace('So it is', 'So it seems'));
    expect(format(notebookFile)).toEqual([source]);
    expect(readFileSync(source, 'utf8')).toBe(text.replace('So it is', 'So it seems'));
  });
});
