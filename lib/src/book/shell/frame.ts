/** The frame around each page of the site. */
import { escapeMarkup } from '../../markup.js';
import type { Book } from '../page.js';
import type { SiteAssets } from './assets.js';
import { contentsList } from './contents.js';
import { MARK, MENU, SEARCH, THEME } from './icons.js';
import { FRONT, ICON, linkFrom, MATH_STYLES, rootFrom, SCRIPT, STYLES } from './places.js';
import { THEME_SCRIPT } from './theme-script.js';

export const BOOK_TITLE = 'Post-training from first principles';

export interface Framed {
  /** Its place in the site. */
  readonly place: string;
  readonly title: string;
  /** Plain text, one sentence. */
  readonly description: string;
  /** What stands in `main`. */
  readonly html: string;
  /** The page's own outline, beside the text. */
  readonly outline?: string;
  /** More of the head: links to what comes before, after and beside. */
  readonly head?: string;
  /** Says what kind of page it is, for the style sheet and the script. */
  readonly kind: 'front' | 'chapter' | 'list' | 'source';
  /** The chapter that this page is, by its id. */
  readonly chapter?: string;
}

export interface Crumb {
  readonly name: string;
  readonly place: string;
}

/** A page of the site. */
export function framed(book: Book, assets: SiteAssets, page: Framed): string {
  const { place, title, html, outline = '' } = page;
  const documentTitle = title === BOOK_TITLE ? title : `${title} · ${BOOK_TITLE}`;
  return `<!doctype html>
<html lang="en" data-root="${rootFrom(place)}" data-kind="${page.kind}"${page.chapter === undefined ? '' : ` data-chapter="${page.chapter}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeMarkup(documentTitle)}</title>
<meta name="description" content="${escapeMarkup(page.description)}">
<meta name="generator" content="posttrain ${book.version}">
<link rel="icon" type="image/svg+xml" href="${linkFrom(place, ICON)}">
${html.includes('class="katex') ? `<link rel="stylesheet" href="${linkFrom(place, MATH_STYLES)}">\n` : ''}<link rel="stylesheet" href="${linkFrom(place, STYLES)}">
${page.head ?? ''}<script>${THEME_SCRIPT}</script>
<script src="${linkFrom(place, SCRIPT)}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
${topBar(place)}
<div class="columns">
<nav class="contents" id="contents" aria-label="Contents">
${contentsList(book, place)}
</nav>
<main id="main" tabindex="-1">
${html}
</main>
${outline}
</div>
${footer(book, assets)}
</body>
</html>
`;
}

function topBar(place: string): string {
  return `<header class="top">
<button class="icon-button menu needs-script" type="button" aria-expanded="false" aria-controls="contents" aria-label="Contents">${MENU}</button>
<a class="brand" href="${linkFrom(place, FRONT)}">${MARK}<span>posttrain</span><span class="brand-title">${BOOK_TITLE}</span></a>
<button class="search-button needs-script" type="button" data-opens="search" aria-keyshortcuts="/">${SEARCH}<span>Search</span><kbd>/</kbd></button>
<button class="icon-button theme-button needs-script" type="button" aria-label="Dark theme" aria-pressed="false">${THEME}</button>
</header>`;
}

/** Where the page stands in the book. */
export function breadcrumbs(place: string, above: readonly Crumb[], here: string): string {
  const links = above.map(
    (crumb) => `<li><a href="${linkFrom(place, crumb.place)}">${escapeMarkup(crumb.name)}</a></li>`,
  );
  return `<nav class="breadcrumbs" aria-label="Breadcrumbs"><ol>${links.join('')}<li aria-current="page">${escapeMarkup(here)}</li></ol></nav>`;
}

function footer({ version, commit }: Book, { date }: SiteAssets): string {
  const built = [`posttrain ${version}`, ...(commit === '' ? [] : [`commit ${commit}`]), date];
  return `<footer class="bottom"><p>${escapeMarkup(built.join(' · '))}</p><p>Works offline and asks nobody for anything; what it remembers stays on this device.</p></footer>`;
}
