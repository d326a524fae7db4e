import { escapeMarkup } from '../../markup.js';
import type { Book, GlossaryTerm } from '../page.js';
import { termAnchor } from '../anchors.js';
import type { SiteAssets } from './assets.js';
import { chapterName } from './contents.js';
import { listPage } from './list-page.js';
import { GLOSSARY } from './places.js';

/** All terms in English order with their Chinese names, and the Chinese names in theirs. */
export function glossaryPage(book: Book, assets: SiteAssets): string {
  const terms = book.glossary.toSorted((a, b) => a.term.localeCompare(b.term, 'en'));
  return listPage(book, assets, {
    place: GLOSSARY,
    title: 'Glossary',
    description: 'The field’s words, in English and Chinese, and the chapter that explains each.',
    html: `${letters(terms)}
<dl class="glossary">
${terms.map((term) => entry(book, term)).join('\n')}
</dl>
<section lang="zh-Hans" aria-labelledby="zh-index"><h2 id="zh-index">中文索引</h2><ul class="zh-index">${chineseIndex(terms)}</ul></section>`,
  });
}

function initial({ term }: GlossaryTerm): string {
  return term.charAt(0).toUpperCase();
}

/** Links to the first term of each letter. */
function letters(terms: readonly GlossaryTerm[]): string {
  const firsts = new Map(terms.toReversed().map((term) => [initial(term), termAnchor(term.term)]));
  const links = [...firsts]
    .toReversed()
    .map(([letter, anchor]) => `<li><a href="#${anchor}">${escapeMarkup(letter)}</a></li>`);
  return `<nav class="letters" aria-label="Letters"><ul>${links.join('')}<li lang="zh-Hans"><a href="#zh-index">中文</a></li></ul></nav>`;
}

function entry(book: Book, { term, zh, also, definition, chapter }: GlossaryTerm): string {
  const page = book.pages.find(({ id }) => id === chapter);
  const others = also.length === 0 ? '' : `<span class="also">also ${escapeMarkup(also.join(', '))}</span>`;
  const explained = page
    ? `<p class="explained"><a href="${page.path}">${chapterName(book, page)}: ${escapeMarkup(page.title)}</a></p>`
    : '';
  return `<div id="${termAnchor(term)}"><dt>${escapeMarkup(term)} <span class="zh" lang="zh-Hans">${escapeMarkup(zh)}</span>${others}</dt><dd>${definition}${explained}</dd></div>`;
}

/** By pinyin. */
function chineseIndex(terms: readonly GlossaryTerm[]): string {
  const inOrder = terms.filter(({ zh }) => zh !== '').toSorted((a, b) => a.zh.localeCompare(b.zh, 'zh-Hans'));
  return inOrder
    .map(
      ({ term, zh }) =>
        `<li><a href="#${termAnchor(term)}">${escapeMarkup(zh)} <span lang="en">${escapeMarkup(term)}</span></a></li>`,
    )
    .join('');
}
