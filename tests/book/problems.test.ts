import { describe, expect, it } from 'vitest';
import { FIRST, inSecond } from './broken.js';
import { problemsOf, smallBook, type Changes } from './small-book.js';

describe('a book', () => {
  it('has no problems as it is', async () => {
    expect(await problemsOf({})).toEqual([]);
  });

  it('is refused for all its problems at once, in order', async () => {
    const changes = {
      [FIRST]: [['[@ada1843; @bell1957]', '[@nobody]']],
      'chapters/notes.txt': '',
    } satisfies Changes;
    await expect(smallBook(changes)).rejects.toThrow(
      `the book has 2 problems\n${FIRST}:11: there is no reference "nobody" in chapters/references\nchapters/notes.txt:1: this is no chapter`,
    );
  });

  it('keeps its outputs as they are where programs do not run', async () => {
    const book = await smallBook(inSecond('```output\n2\n', '```output\n3\n'), false);
    expect(book.pages[1]!.html).toContain('<samp>3</samp>');
  });
});
