import { z } from 'zod';
import { escapeMarkup } from '../markup.js';
import type { Reference } from './page.js';

export const referencesSchema: z.ZodType<Record<string, Omit<Reference, 'key'>>> = z.record(
  z.string().regex(/^[\w:-]+$/, 'expected letters, digits, - and :'),
  z.strictObject({
    authors: z.string().min(1),
    year: z.int().min(1600).max(2100),
    title: z.string().min(1),
    venue: z.string().min(1),
    url: z.url({ protocol: /^https?$/ }),
  }),
);

/** As text cites it: `Schulman et al. 2017`. */
export function citedAs({ authors, year }: Reference): string {
  const names = authors.split(/,\s*|\s+and\s+/).filter((name) => name !== '');
  const short =
    names.length > 2 || /\bet al\b/.test(authors)
      ? `${names[0]!.replace(/\s+et al\.?$/, '')} et al.`
      : names.join(' and ');
  return `${short} ${year}`;
}

/** The whole entry, as a list of references has it. */
export function referenceHtml({ authors, year, title, venue, url }: Reference): string {
  const link = `<a href="${escapeMarkup(url)}"><cite>${escapeMarkup(title)}</cite></a>`;
  return `${escapeMarkup(authors)} (${year}). ${link}. ${escapeMarkup(venue)}.`;
}
