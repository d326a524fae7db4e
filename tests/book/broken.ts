/** Books with one fault each. */
import { expect, it } from 'vitest';
import { problemsOf, type Changes } from './small-book.js';

export const FIRST = 'chapters/00-first.md';
export const SECOND = 'chapters/01-second.md';
export const QUIZ = 'chapters/quizzes/01.yaml';

export const inFirst = (text: string): Changes => ({ [FIRST]: [['A second [[Advantages|one]]', text]] });
export const inSecond = (before: string, after: string): Changes => ({ [SECOND]: [[before, after]] });

/** What is done to the book that is right, and what is wrong then: in which file, on the line that begins how, and what is said. */
export type Fault = readonly [what: string, changes: Changes, file: string, line: string, message: string];

/** A test for each: the book is refused. */
export function broken(faults: readonly Fault[]): void {
  it.each(faults)('a book is refused for %s', async (_what, changes, file, line, message) => {
    const problems = await problemsOf(changes);
    const found = problems.map((problem) => ({
      ...problem,
      text: problem.text.slice(0, line.length),
      message: problem.message.slice(0, message.length),
    }));
    expect(found).toContainEqual({ file, line: expect.any(Number) as number, text: line, message });
  });
}
