import type { Book } from '../page.js';
import type { SearchData, SearchDocument } from '../search/documents.js';
import { termAnchor } from '../anchors.js';
import { chapterName } from './contents.js';
import { GLOSSARY } from './places.js';

/** All that can be found: each chapter's text by heading, and the glossary. */
export function searchData(book: Book): SearchData {
  const sections = book.pages.flatMap((page) =>
    page.sections.map((section): SearchDocument => ({
      place: section.id === undefined ? page.path : `${page.path}#${section.id}`,
      page: page.title,
      part: chapterName(book, page),
      heading: section.heading,
      text: section.id === undefined ? `${page.summary} ${section.text}` : section.text,
    })),
  );
  const terms = book.glossary.map(({ term, zh, also, definition }): SearchDocument => ({
    place: `${GLOSSARY}#${termAnchor(term)}`,
    page: 'Glossary',
    part: '',
    heading: [term, zh].join(' '),
    text: [plainText(definition), ...also].join(' '),
  }));
  return {
    documents: [...sections, ...terms],
    chinese: book.glossary.map(({ term, zh }) => [zh, term] as const),
  };
}

/** Enough for definitions, which are short and hold little markup; TeX and MathML are not for reading. */
function plainText(html: string): string {
  return html
    .replace(/<(math|template|script|style)\b.*?<\/\1>/gs, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
