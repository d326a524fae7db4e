/** Finds passages of the book. */
import MiniSearch, { type Query, type SearchResult } from 'minisearch';
import type { SearchData, SearchDocument } from './documents.js';
import { grouped } from '../grouped.js';
import { tokenize } from './tokenize.js';

export interface Passage {
  readonly document: SearchDocument;
  /** The terms of the document that were found, as `tokenize` makes them. */
  readonly terms: readonly string[];
}

/** Passages of one page, best first. */
export interface FoundPage {
  readonly page: string;
  readonly part: string;
  readonly passages: readonly Passage[];
}

export type Find = (query: string) => readonly FoundPage[];

/** Most pages, and most passages of each: more is not read. */
const MOST = { pages: 8, passages: 4 } as const;

export function createFinder({ documents, chinese }: SearchData): Find {
  const index = new MiniSearch<SearchDocument & { id: number }>({
    fields: ['heading', 'page', 'text'],
    tokenize,
    processTerm: (term) => term,
  });
  index.addAll(documents.map((document, id) => ({ ...document, id })));
  return (query) => {
    const found = strictElseLoose(index, query, chinese);
    return byPage(
      found.map(({ id, match }) => ({ document: documents[id as number]!, terms: Object.keys(match) })),
    );
  };
}

/** Passages with all words of the query; where there are none, with any. */
function strictElseLoose(
  index: MiniSearch,
  query: string,
  chinese: SearchData['chinese'],
): readonly SearchResult[] {
  const strict = index.search(withTranslations(query, chinese), OPTIONS);
  return strict.length > 0 ? strict : index.search(query, { ...OPTIONS, combineWith: 'OR' });
}

const OPTIONS = {
  combineWith: 'AND',
  boost: { heading: 4, page: 2 },
  // a beginning of a word is enough while it is typed, and a wrong letter in a long word is forgiven
  prefix: (term: string) => term.length > 1 || /\p{Script=Han}/u.test(term),
  fuzzy: (term: string) => (term.length > 5 && !/\p{Script=Han}/u.test(term) ? 0.17 : false),
} as const;

/** The query itself, or the English for each Chinese term in it. */
function withTranslations(query: string, chinese: SearchData['chinese']): Query {
  const english = chinese.filter(([zh]) => zh !== '' && query.includes(zh)).map(([, term]) => term);
  return english.length === 0
    ? query
    : { combineWith: 'OR', queries: [query, { queries: english, combineWith: 'AND' }] };
}

function byPage(passages: readonly Passage[]): readonly FoundPage[] {
  const pages = grouped(passages, ({ document }) => document.page);
  return [...pages.values()].slice(0, MOST.pages).map((all) => ({
    page: all[0]!.document.page,
    part: all[0]!.document.part,
    passages: all.slice(0, MOST.passages),
  }));
}
