import type { Book } from '../page.js';
import type { SiteAssets } from './assets.js';
import { chapterPage } from './chapter-page.js';
import { frontPage } from './front-page.js';
import { glossaryPage } from './glossary-page.js';
import { ICON_FILE } from './icons.js';
import { llmsText } from './llms.js';
import { missingPage } from './missing-page.js';
import { notebooksPage } from './notebooks-page.js';
import {
  FRONT,
  GLOSSARY,
  ICON,
  markdownPlace,
  notebookPlace,
  NOTEBOOKS,
  plotsPlace,
  REFERENCES,
  SCRIPT,
  SEARCH_DATA,
  sourcePlace,
  SOURCES,
  STYLES,
} from './places.js';
import { referencesPage } from './references-page.js';
import { dataScript } from './script-data.js';
import { searchData } from './search-data.js';
import { sitemap } from './sitemap.js';
import { sourcePage, sourcesPage } from './source-pages.js';

type Content = string | Uint8Array;
type File = readonly [place: string, content: Content];

/**
 * Every file of the site by its place in it.
 * @throws Error when two files want the same place
 */
export function siteFiles(book: Book, assets: SiteAssets): Map<string, Content> {
  const pages = htmlPages(book, assets);
  const files: readonly File[] = [
    ...pages,
    ['404.html', missingPage()],
    ...book.pages.map((page): File => [markdownPlace(page.path), page.markdown]),
    ...[...book.notebooks].map(([file, json]): File => [notebookPlace(file), json]),
    ['sitemap.xml', sitemap(sitemapEntries(book, assets, pages), assets.url)],
    ['llms.txt', llmsText(book)],
    [STYLES, assets.styles],
    [SCRIPT, assets.script],
    [ICON, ICON_FILE],
    [SEARCH_DATA, dataScript('posttrainSearch', searchData(book))],
    ...plots(book),
    ...assets.files,
  ];
  return withoutDoubles(files);
}

function htmlPages(book: Book, assets: SiteAssets): readonly File[] {
  return [
    [FRONT, frontPage(book, assets)],
    ...book.pages.map((page): File => [page.path, chapterPage(book, assets, page)]),
    [GLOSSARY, glossaryPage(book, assets)],
    [REFERENCES, referencesPage(book, assets)],
    ...(book.notebooks.size > 0 ? [[NOTEBOOKS, notebooksPage(book, assets)] as const] : []),
    ...(book.sources.length > 0 ? [[SOURCES, sourcesPage(book, assets)] as const] : []),
    ...book.sources.map((file): File => [sourcePlace(file.path), sourcePage(book, assets, file)]),
  ];
}

function sitemapEntries(book: Book, assets: SiteAssets, pages: readonly File[]) {
  const updated = new Map(book.pages.map((page) => [page.path, page.updated]));
  return pages.map(([place]) => ({ place, updated: updated.get(place) ?? assets.date }));
}

function plots(book: Book): readonly File[] {
  return book.pages
    .filter((page) => Object.keys(page.plots).length > 0)
    .map((page) => [plotsPlace(page.id), dataScript('posttrainPlots', page.plots)]);
}

function withoutDoubles(files: readonly File[]): Map<string, Content> {
  const site = new Map<string, Content>();
  for (const [place, content] of files) {
    if (site.has(place)) throw new Error(`two files of the book want the place ${place} in the site`);
    site.set(place, content);
  }
  return site;
}
