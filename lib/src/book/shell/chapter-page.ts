import { escapeMarkup } from '../../markup.js';
import type { Book, BookPage, Heading } from '../page.js';
import type { SiteAssets } from './assets.js';
import { chapterName, chapterNode } from './contents.js';
import { breadcrumbs, framed } from './frame.js';
import { DOWNLOAD } from './icons.js';
import { FRONT, markdownPlace, notebookPlace, plotsPlace } from './places.js';

/** The page of a chapter. */
export function chapterPage(book: Book, assets: SiteAssets, page: BookPage): string {
  const at = book.pages.indexOf(page);
  const [before, after] = [book.pages[at - 1], book.pages[at + 1]];
  return framed(book, assets, {
    place: page.path,
    title: page.title,
    description: page.summary,
    kind: 'chapter',
    chapter: page.id,
    head: headLinks(page, before, after),
    outline: outline(page.outline),
    html: [
      breadcrumbs(page.path, [{ name: 'Contents', place: FRONT }], chapterName(book, page)),
      `<article${page.lang === 'en' ? '' : ` lang="${page.lang}"`}${plotsAttribute(page)}>`,
      chapterHead(book, page),
      page.html,
      '</article>',
      chapterEnd(before, after),
    ].join('\n'),
  });
}

function headLinks(page: BookPage, before: BookPage | undefined, after: BookPage | undefined): string {
  return [
    `<link rel="alternate" type="text/markdown" href="${markdownPlace(page.path)}">`,
    ...(before ? [`<link rel="prev" href="${before.path}">`] : []),
    ...(after ? [`<link rel="next" href="${after.path}">`] : []),
    '',
  ].join('\n');
}

/** Where the script finds the specifications of the figures. */
function plotsAttribute(page: BookPage): string {
  return Object.keys(page.plots).length === 0 ? '' : ` data-plots="${plotsPlace(page.id)}"`;
}

function chapterHead(book: Book, page: BookPage): string {
  const needs = page.needs.flatMap((id) => book.pages.filter((each) => each.id === id));
  return `<header class="chapter-head">
<p class="kicker">${chapterNode(book, page)}<span>${chapterName(book, page)}</span></p>
<h1>${escapeMarkup(page.title)}</h1>
<p class="lead">${escapeMarkup(page.summary)}</p>
<dl class="chapter-facts">
<div><dt>Reading time</dt><dd>${page.minutes} minutes</dd></div>
<div><dt>Level</dt><dd>${page.level} of 3</dd></div>
${needs.length === 0 ? '' : `<div><dt>Builds on</dt><dd>${needs.map((each) => `<a href="${each.path}">${escapeMarkup(each.title)}</a>`).join(', ')}</dd></div>`}
${page.notebooks.map((name) => notebookFact(name)).join('')}
<div><dt>As text</dt><dd><a href="${markdownPlace(page.path)}">Markdown</a>, updated ${page.updated}</dd></div>
</dl>
</header>`;
}

function notebookFact(name: string): string {
  const file = `${name}.ipynb`;
  return `<div><dt>Notebook</dt><dd><a href="${notebookPlace(file)}" download>${DOWNLOAD}${escapeMarkup(file)}</a></dd></div>`;
}

/** What the script marks as one scrolls; nothing for a page without headings. */
function outline(headings: readonly Heading[]): string {
  if (headings.length === 0) return '';
  const items = headings.map(
    ({ id, html, level }) =>
      `<li class="level-${level}"><a href="#${escapeMarkup(id)}">${withoutLinks(html)}</a></li>`,
  );
  return `<nav class="outline" aria-labelledby="outline-title"><h2 id="outline-title">On this page</h2><ol>${items.join('')}</ol></nav>`;
}

/** A link may not stand within a link. */
function withoutLinks(html: string): string {
  return html.replace(/<\/?a\b[^>]*>/g, '');
}

/** The end of the chapter, which the script watches for, and the ways on. */
function chapterEnd(before: BookPage | undefined, after: BookPage | undefined): string {
  return `<div class="chapter-end" data-end><p class="needs-script" role="status"></p></div>
<nav class="turn" aria-label="Previous and next chapter">${turn(before, 'prev', 'Previous')}${turn(after, 'next', 'Next')}</nav>`;
}

function turn(page: BookPage | undefined, rel: 'prev' | 'next', word: string): string {
  if (page === undefined) return '<span></span>';
  return `<a class="${rel}" rel="${rel}" href="${page.path}"><span class="word">${word}</span><span class="title">${escapeMarkup(page.title)}</span>${rel === 'next' ? `<span class="summary">${escapeMarkup(page.summary)}</span>` : ''}</a>`;
}
