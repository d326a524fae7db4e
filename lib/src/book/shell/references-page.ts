import { referenceHtml } from '../bibliography.js';
import type { Book, Reference } from '../page.js';
import type { SiteAssets } from './assets.js';
import { chapterName } from './contents.js';
import { listPage } from './list-page.js';
import { REFERENCES } from './places.js';

/** The whole bibliography by author, each entry with the chapters that cite it. */
export function referencesPage(book: Book, assets: SiteAssets): string {
  const inOrder = book.references.toSorted(
    (a, b) => a.authors.localeCompare(b.authors, 'en') || a.year - b.year || a.title.localeCompare(b.title),
  );
  return listPage(book, assets, {
    place: REFERENCES,
    title: 'References',
    description: 'What the chapters cite, and where they do. The links lead away from this site.',
    html: `<ul class="references">\n${inOrder.map((each) => entry(book, each)).join('\n')}\n</ul>`,
  });
}

function entry(book: Book, reference: Reference): string {
  return `<li id="${reference.key}">${referenceHtml(reference)}${citedIn(book, reference)}</li>`;
}

/** "Cited in chapters 3 and 6": as links. */
function citedIn(book: Book, { key }: Reference): string {
  const pages = book.pages.filter(({ html }) => html.includes(`"${REFERENCES}#${key}"`));
  if (pages.length === 0) return '';
  const links = pages.map((page) => `<a href="${page.path}">${chapterName(book, page)}</a>`);
  return ` <span class="cited">${links.join(', ')}</span>`;
}
