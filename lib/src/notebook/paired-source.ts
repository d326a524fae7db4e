/**
 * A notebook as a file of TypeScript that people read and review: `// %%` begins a cell of code, `// %% [markdown]` one of Markdown,
 * whose lines are comments. Jupytext and VS Code call it the percent format.
 */
import type { Notebook, NotebookCell } from './format.js';
import { notebookOf } from './format.js';

/** `// %%`, `// %% [markdown]`, `// %% tags=["raises-exception"]`, or both. */
const MARKER = /^\/\/ %%(?<markdown> \[markdown\])?(?: tags=(?<tags>\[.*\]))?\s*$/;

interface Draft {
  readonly markdown: boolean;
  readonly tags: readonly string[];
  readonly lines: string[];
}

/** @throws Error that names file and line for text before the first cell, an unknown marker and a line of Markdown that is no comment. */
export function readPairedSource(text: string, file: string): Notebook {
  const drafts: Draft[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    const problem = (what: string): Error => new Error(`${file}:${index + 1}: ${what}`);
    const current = drafts.at(-1);
    if (line.startsWith('// %%')) {
      drafts.push(readMarker(line, problem));
    } else if (current === undefined) {
      if (line.trim() !== '') throw problem('a notebook begins with "// %%" or "// %% [markdown]"');
    } else if (!current.markdown) {
      current.lines.push(line);
    } else if (line === '//' || line.startsWith('// ')) {
      current.lines.push(line.slice(3));
    } else if (line.trim() !== '') {
      throw problem('a line of Markdown begins with "// "; "// %%" begins a cell of code');
    }
  });
  const ids = createIds();
  return notebookOf(drafts.map((draft) => cellOf(draft, ids)));
}

function readMarker(line: string, problem: (what: string) => Error): Draft {
  const groups = MARKER.exec(line)?.groups;
  if (groups === undefined)
    throw problem(`"${line}" is no marker; write "// %%" or "// %% [markdown]", with tags=["…"] if need be`);
  return {
    markdown: groups['markdown'] !== undefined,
    tags: groups['tags'] === undefined ? [] : (JSON.parse(groups['tags']) as string[]),
    lines: [],
  };
}

function cellOf({ markdown, tags, lines }: Draft, nextId: (heading: boolean) => string): NotebookCell {
  const source = lines.join('\n').replace(/^\s*\n|\s+$/g, '');
  const common = {
    id: nextId(markdown && /^## /m.test(source)),
    metadata: tags.length > 0 ? { tags } : {},
    source,
  };
  return markdown
    ? { cell_type: 'markdown', ...common }
    : { cell_type: 'code', ...common, execution_count: null, outputs: [] };
}

/** `s2-03`: third cell of the second section. An edit renames the cells behind it in its section, and no others. */
function createIds(): (startsSection: boolean) => string {
  let section = 0;
  let cell = 0;
  return (startsSection) => {
    if (startsSection) [section, cell] = [section + 1, 0];
    cell++;
    return `s${section}-${String(cell).padStart(2, '0')}`;
  };
}

/** The source that makes this notebook; outputs are left out. @throws Error for code with a line that would begin a cell. */
export function writePairedSource({ cells }: Notebook): string {
  const marked = cells.find(({ cell_type: type, source }) => type === 'code' && /^\/\/ %%/m.test(source));
  if (marked !== undefined)
    throw new Error(`cell ${marked.id} has a line that begins with "// %%", as only a cell may`);
  const texts = cells.map(({ cell_type: type, metadata: { tags = [] }, source }) => {
    const markdown = type === 'markdown';
    const marker = `// %%${markdown ? ' [markdown]' : ''}${tags.length > 0 ? ` tags=${JSON.stringify(tags)}` : ''}`;
    const lines = source.split('\n').map((line) => (markdown ? `// ${line}`.trimEnd() : line));
    return [marker, ...lines].join('\n');
  });
  return `${texts.join('\n\n')}\n`;
}
