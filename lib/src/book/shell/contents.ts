import { escapeMarkup } from '../../markup.js';
import type { Book, BookPage } from '../page.js';
import { GLOSSARY, linkFrom, NOTEBOOKS, REFERENCES, SOURCES } from './places.js';

/** The book's contents beside each page; the page at `place` is marked. */
export function contentsList(book: Book, place: string): string {
  const chapters = book.pages.map((page) => chapterItem(book, page, place));
  const others = extraPages(book).map(
    ({ name, place: target, lang }) =>
      `<li><a href="${linkFrom(place, target)}"${currentIf(target === place)}>${name}${lang ?? ''}</a></li>`,
  );
  return `<ol class="rail">${chapters.join('')}</ol>\n<ul class="more-pages">${others.join('')}</ul>`;
}

interface ExtraPage {
  readonly name: string;
  readonly place: string;
  readonly lang?: string;
}

/** The pages that are not chapters. */
export function extraPages(book: Book): readonly ExtraPage[] {
  return [
    { name: 'Glossary', place: GLOSSARY, lang: ' <span lang="zh-Hans">术语</span>' },
    { name: 'References', place: REFERENCES },
    ...(book.notebooks.size > 0 ? [{ name: 'Notebooks', place: NOTEBOOKS }] : []),
    ...(book.sources.length > 0 ? [{ name: 'Source files', place: SOURCES }] : []),
  ];
}

function chapterItem(book: Book, page: BookPage, place: string): string {
  return `<li data-chapter="${page.id}"><a href="${linkFrom(place, page.path)}"${currentIf(page.path === place)}>${chapterNode(book, page)}<span class="name">${escapeMarkup(page.title)}</span> <span class="minutes">${page.minutes} min</span></a></li>`;
}

function currentIf(current: boolean): string {
  return current ? ' aria-current="page"' : '';
}

/** The box with the chapter's number; the script fills it when the chapter has been read. */
export function chapterNode(book: Book, page: BookPage): string {
  return `<span class="node"><span>${ordinal(book, page)}</span></span>`;
}

/** "Chapter 3", "Appendix A". */
export function chapterName(book: Book, page: BookPage): string {
  return `${page.number === undefined ? 'Appendix' : 'Chapter'} ${ordinal(book, page)}`;
}

function ordinal(book: Book, page: BookPage): string {
  if (page.number !== undefined) return String(page.number);
  return String.fromCodePoint(65 + book.pages.filter(({ number }) => number === undefined).indexOf(page));
}
