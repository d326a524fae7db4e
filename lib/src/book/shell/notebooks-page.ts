import { escapeMarkup } from '../../markup.js';
import type { Book } from '../page.js';
import type { SiteAssets } from './assets.js';
import { chapterName } from './contents.js';
import { DOWNLOAD } from './icons.js';
import { listPage } from './list-page.js';
import { notebookPlace, NOTEBOOKS } from './places.js';

/** The notebooks as downloads, and how to run them. */
export function notebooksPage(book: Book, assets: SiteAssets): string {
  return listPage(book, assets, {
    place: NOTEBOOKS,
    title: 'Notebooks',
    description: 'Each experiment of the course as a notebook that runs in minutes on two cores.',
    html: `<p>In a copy of the repository, after <code>npm ci</code>, the notebooks are in <code>notebooks/</code>. JupyterLab and VS Code run them with the kernel that this opens:</p>
<pre tabindex="0"><code>npx posttrain notebook</code></pre>
<p>Without either, plain Node runs one from top to bottom and prints what its cells show:</p>
<pre tabindex="0"><code>npx posttrain notebook run notebooks/${escapeMarkup(firstName(book))}</code></pre>
<ul class="notebooks">
${[...book.notebooks].map(([file, json]) => item(book, file, json)).join('\n')}
</ul>`,
  });
}

function firstName(book: Book): string {
  return [...book.notebooks.keys()][0] ?? 'NAME.ipynb';
}

function item(book: Book, file: string, json: string): string {
  const name = file.replace(/\.ipynb$/, '');
  const pages = book.pages.filter(({ notebooks }) => notebooks.includes(name));
  const chapters = pages.map(
    (page) => `<a href="${page.path}">${chapterName(book, page)}: ${escapeMarkup(page.title)}</a>`,
  );
  return `<li><a class="download" href="${notebookPlace(file)}" download>${DOWNLOAD}${escapeMarkup(file)}</a> <span class="soft">${Math.ceil(json.length / 1024)} kB</span>${chapters.length === 0 ? '' : `<br>With ${chapters.join(', ')}`}</li>`;
}
