import { escapeMarkup } from '../../markup.js';
import type { Book, BookPage } from '../page.js';
import type { SiteAssets } from './assets.js';
import { chapterNode, extraPages } from './contents.js';
import { BOOK_TITLE, framed } from './frame.js';
import { SEARCH } from './icons.js';
import { loopPicture } from './loop-picture.js';
import { FRONT } from './places.js';

const DESCRIPTION =
  'How a language model that cannot answer at all becomes an agent that draws the diagram you asked for: in TypeScript, on a laptop.';

/** The first page: what the book is, its chapters, what one needs. */
export function frontPage(book: Book, assets: SiteAssets): string {
  return framed(book, assets, {
    place: FRONT,
    title: BOOK_TITLE,
    description: DESCRIPTION,
    kind: 'front',
    html: [hero(book), chapters(book), needs(), method(), more(book)].join('\n'),
  });
}

function hero(book: Book): string {
  const first = book.pages[0];
  return `<header class="hero">
<div class="hero-text">
<h1>${BOOK_TITLE}</h1>
<p class="lead">A language model that cannot answer at all becomes an agent that draws the diagram you asked for. You build every part of it, in TypeScript, and watch it learn on your own laptop.</p>
<p class="actions">${first ? `<a class="primary" href="${first.path}" data-continue>Start reading</a>` : ''}
<button class="search-button needs-script" type="button" data-opens="search">${SEARCH}<span>Search the book</span><kbd>/</kbd></button></p>
</div>
${loopPicture()}
</header>`;
}

function chapters(book: Book): string {
  const minutes = book.pages.reduce((sum, page) => sum + page.minutes, 0);
  return `<section class="chapters" aria-labelledby="chapters">
<h2 id="chapters">Chapters</h2>
<p class="soft">${hours(minutes)} of reading in all<span class="read-so-far"></span>.</p>
<ol class="rail wide">${book.pages.map((page) => chapterCard(book, page)).join('')}</ol>
</section>`;
}

/** To the half hour: the minutes of the chapters are estimates themselves. */
function hours(minutes: number): string {
  const halves = Math.round(minutes / 30);
  if (halves < 2) return `${minutes} minutes`;
  return `About ${Math.floor(halves / 2)}${halves % 2 === 1 ? '½' : ''} hours`;
}

function chapterCard(book: Book, page: BookPage): string {
  return `<li data-chapter="${page.id}"><a href="${page.path}">${chapterNode(book, page)}<span class="name">${escapeMarkup(page.title)}</span> <span class="minutes">${page.minutes} min</span><span class="summary">${escapeMarkup(page.summary)}</span></a></li>`;
}

function needs(): string {
  return `<section aria-labelledby="needs">
<h2 id="needs">What you need</h2>
<p>To read: a browser. Each chapter has something to try in the page, and nothing is sent anywhere. To run the experiments: Node 20.19 or newer and two CPU cores. No GPU, no Python, no key, and no network after the first command.</p>
<pre tabindex="0"><code>npm ci      # installs and builds
npm start   # trains the agent in less than ten minutes and writes a report</code></pre>
<p>You should be at home in TypeScript. Everything else, from a logit to a policy gradient, is explained where it is first used.</p>
</section>`;
}

function method(): string {
  return `<section aria-labelledby="method">
<h2 id="method">How it is written</h2>
<ul class="points">
<li><strong>By hand, then by code.</strong> Each method comes as an example worked with pencil and paper, as a loop of at most forty lines, and as the library’s own function. All three are tested against each other.</li>
<li><strong>Measured here.</strong> Numbers and figures come from recorded runs over several seeds, with intervals. Where a run contradicts what is often claimed, the book says so.</li>
<li><strong>Predict first.</strong> You guess before each main figure, find a bug that was planted, answer a quiz, and do exercises with hints and solutions.</li>
</ul>
</section>`;
}

function more(book: Book): string {
  const links = extraPages(book).map(
    ({ name, place, lang }) => `<li><a href="${place}">${name}${lang ?? ''}</a></li>`,
  );
  return `<section aria-labelledby="more"><h2 id="more">Look things up</h2><ul class="inline-list">${links.join('')}<li><a href="llms.txt">llms.txt</a></li></ul></section>`;
}
