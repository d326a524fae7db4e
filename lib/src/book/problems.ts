/** What is wrong with the book: everything is found, then told at once. */

/** Counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export interface Problem extends Place {
  readonly message: string;
}

export interface Problems {
  /** The same problem at the same place counts once. */
  readonly add: (place: Place, message: string) => void;
  readonly all: () => readonly Problem[];
}

export function createProblems(): Problems {
  const found = new Map<string, Problem>();
  return {
    add: ({ file, line }, message) => found.set(`${file}:${line}: ${message}`, { file, line, message }),
    all: () =>
      [...found.values()].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)),
  };
}

/** One line a problem, as editors and terminals make links of: `chapters/03-rewards.md:12: there is no …`. */
export class BookError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
    const lines = problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
    super([`the book has ${count}`, ...lines].join('\n'));
    this.problems = problems;
  }
}
