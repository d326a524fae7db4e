import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pages, site } from './visit.js';

/** Kilobytes on the way. */
const weight = (place: string): number => gzipSync(readFileSync(join(site!.folder, place))).length / 1000;

describe.skipIf(site === null)('what a page weighs, compressed', () => {
  it('is at most 150 kB of HTML', () => {
    const heavy = pages.map((place) => ({ place, kB: weight(place) })).filter(({ kB }) => kB > 150);
    expect(heavy).toEqual([]);
  });

  it('is at most 60 kB of our script, and 20 of style', () => {
    expect(weight('assets/book.js')).toBeLessThan(60);
    expect(weight('assets/book.css')).toBeLessThan(20);
  });
});
