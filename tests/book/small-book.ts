/** The small book, made in memory, as it is or with changes. */
import { makeBook, type DrawDemo } from 'posttrain/book/book';
import type { Book, BookPage } from 'posttrain/book/page';
import { BookError, type Problem } from 'posttrain/book/problems';
import type { RunPrograms } from 'posttrain/book/programs';
import { files, results } from './small-book-files.js';

/** What the programs of the small book print. */
const runPrograms: RunPrograms = (programs) =>
  Promise.resolve(
    programs.map(({ pieces }) =>
      pieces.some(({ code: text }) => text.includes('throw'))
        ? { failure: 'Error: thrown' }
        : { outputs: pieces.map(({ code: text }) => (text.includes('a + 1') ? '2' : '1')) },
    ),
  );

const drawDemo: DrawDemo = (name, values) => {
  if (name !== 'slider') throw new Error(`there is no demo "${name}"`);
  return Promise.resolve(`<div class="demo">${JSON.stringify(values)}</div>`);
};

/** Changes of the fixture's files: a text, or pairs of what stands there and what shall stand there instead; `undefined` removes it. */
export type Changes = Readonly<Record<string, string | readonly (readonly [string, string])[] | undefined>>;

export function smallBook(changes: Changes = {}, run = true): Promise<Book> {
  const texts = changedFiles(changes);
  return makeBook({
    repository: {
      read: (path) => texts.get(path),
      list: (folder) => {
        const below = [...texts.keys()].filter((path) => path.startsWith(`${folder}/`));
        return [...new Set(below.map((path) => path.slice(folder.length + 1).split('/')[0]!))].sort();
      },
    },
    findResults: (name) => results[name],
    runPrograms: run ? runPrograms : undefined,
    drawDemo,
    version: '0.1.0',
    commit: 'abc',
  });
}

function changedFiles(changes: Changes): ReadonlyMap<string, string> {
  const changed = { ...files, ...Object.fromEntries(Object.entries(changes).map(applied)) };
  return new Map(
    Object.entries(changed).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function applied([path, change]: [string, Changes[string]]): [string, string | undefined] {
  if (typeof change === 'string' || change === undefined) return [path, change];
  const text = change.reduce((all, [before, after]) => {
    if (!all.includes(before))
      throw new Error(`${path} of the fixture does not have ${JSON.stringify(before)}`);
    return all.replace(before, () => after);
  }, files[path]!);
  return [path, text];
}

export async function smallPage(path: string, changes: Changes = {}): Promise<BookPage> {
  return (await smallBook(changes)).pages.find((page) => page.path === path)!;
}

/** Everything that is wrong with the changed book, with the text of its line. */
export async function problemsOf(
  changes: Changes,
): Promise<readonly (Problem & { readonly text: string })[]> {
  try {
    await smallBook(changes);
    return [];
  } catch (error) {
    if (!(error instanceof BookError)) throw error;
    const texts = changedFiles(changes);
    return error.problems.map((problem) => ({
      ...problem,
      text: texts.get(problem.file)?.split('\n')[problem.line - 1] ?? '',
    }));
  }
}
