import { escapeMarkup } from '../../markup.js';
import type { Book } from '../page.js';
import type { SiteAssets } from './assets.js';
import { breadcrumbs, type Crumb, framed } from './frame.js';
import { FRONT } from './places.js';

export interface ListPage {
  readonly place: string;
  readonly title: string;
  /** Plain text: in search results of the web, and as the page's lead. */
  readonly description: string;
  readonly html: string;
  readonly kind?: 'list' | 'source';
  /** What lies between the front page and this one. */
  readonly above?: readonly Crumb[];
}

/** A page that is not a chapter: glossary, references, notebooks, source files. */
export function listPage(book: Book, assets: SiteAssets, page: ListPage): string {
  const { place, title, description, html, kind = 'list', above = [] } = page;
  return framed(book, assets, {
    place,
    title,
    description,
    kind,
    html: `${breadcrumbs(place, [{ name: 'Contents', place: FRONT }, ...above], title)}
<article>
<header class="chapter-head"><h1>${escapeMarkup(title)}</h1><p class="lead">${escapeMarkup(description)}</p></header>
${html}
</article>`,
  });
}
