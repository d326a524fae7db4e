import { escapeMarkup } from '../../markup.js';
import type { Book, SourceFile } from '../page.js';
import { grouped } from '../grouped.js';
import type { SiteAssets } from './assets.js';
import { chapterName } from './contents.js';
import { listPage } from './list-page.js';
import { languageOf } from './source-language.js';
import { linkFrom, sourcePlace, SOURCES } from './places.js';

const ABOVE = [{ name: 'Source files', place: SOURCES }] as const;

/** The list of the shown files, by folder. */
export function sourcesPage(book: Book, assets: SiteAssets): string {
  const folders = grouped(inOrder(book), ({ path }) => path.slice(0, path.lastIndexOf('/') + 1) || './');
  const groups = [...folders].map(
    ([folder, files]) =>
      `<h2>${escapeMarkup(folder)}</h2><ul class="files">${files.map(({ path }) => `<li><a href="${sourcePlace(path)}"><code>${escapeMarkup(path.slice(path.lastIndexOf('/') + 1))}</code></a></li>`).join('')}</ul>`,
  );
  return listPage(book, assets, {
    place: SOURCES,
    title: 'Source files',
    description: 'The files of the repository that the chapters show, as they were when the book was built.',
    html: groups.join('\n'),
  });
}

function inOrder(book: Book): readonly SourceFile[] {
  return book.sources.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** One file with an anchor at each line: `#L12`. */
export function sourcePage(book: Book, assets: SiteAssets, file: SourceFile): string {
  const place = sourcePlace(file.path);
  return listPage(book, assets, {
    place,
    title: file.path,
    description: `A file of posttrain ${book.version}${book.commit === '' ? '' : `, commit ${book.commit}`}.`,
    kind: 'source',
    above: ABOVE,
    html: `${shownIn(book, file, place)}\n<pre class="shiki source-code" tabindex="0" aria-label="Source text"><code>${numberedLines(file, assets)}</code></pre>`,
  });
}

function shownIn(book: Book, file: SourceFile, place: string): string {
  const pages = book.pages.filter(({ html }) => html.includes(`"${sourcePlace(file.path)}`));
  if (pages.length === 0) return '';
  const links = pages.map(
    (page) =>
      `<a href="${linkFrom(place, page.path)}">${chapterName(book, page)}: ${escapeMarkup(page.title)}</a>`,
  );
  return `<p class="soft">In ${links.join(', ')}.</p>`;
}

/** Colours come with a `<span class="line">` for each line, in order. */
function numberedLines({ path, text }: SourceFile, { highlight }: SiteAssets): string {
  const colored = highlight(text.replace(/\n$/, ''), languageOf(path));
  const lines = colored.slice(colored.indexOf('<code>') + '<code>'.length, colored.lastIndexOf('</code>'));
  let number = 0;
  return lines.replaceAll('<span class="line">', () => `<span class="line" id="L${(number += 1)}">`);
}
