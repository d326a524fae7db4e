/** The nouns of the book: what the pipeline makes of the chapters, and what the site is drawn from. */
import type { MimeObject } from '../display/index.js';

/** What stands between the `---` of a chapter's first lines. */
export interface FrontMatter {
  /** Unique in the book; its file's name without number and ending. */
  readonly id: string;
  readonly title: string;
  /** One sentence: for lists of chapters, search results and `llms.txt`. */
  readonly summary: string;
  /** BCP 47, e.g. `en`. */
  readonly lang: string;
  /** From 1, for everybody, to 3, for those who want to know exactly. */
  readonly level: number;
  /** To read it, without exercises. */
  readonly minutes: number;
  /** Ids of chapters to read before. */
  readonly needs: readonly string[];
  /** Notebooks that belong to it, e.g. `03-rewards`. */
  readonly notebooks: readonly string[];
  /** Folders of `lib/src` that it shows. */
  readonly lib: readonly string[];
  /** `2026-11-30`. */
  readonly updated: string;
}

/** A chapter, checked and rendered. */
export interface BookPage extends FrontMatter {
  /** `3`, or `undefined` for an appendix. */
  readonly number: number | undefined;
  /** Its address in the site: `03-rewards.html`. */
  readonly path: string;
  /** Its Markdown in the repository: `chapters/03-rewards.md`. */
  readonly source: string;
  /** Everything below the title. */
  readonly html: string;
  /** Headings of the second and third order, for the page's outline. */
  readonly outline: readonly Heading[];
  /** The text under each heading, for search; the first has no heading: the text before them. */
  readonly sections: readonly SearchableSection[];
  /** The Markdown with numbers, code and outputs filled in, for those who read it raw. */
  readonly markdown: string;
  /** plotly.js specifications of its figures, by the figure's id. */
  readonly plots: Readonly<Record<string, MimeObject>>;
  /** Names of its live demos. */
  readonly demos: readonly string[];
}

export interface Heading {
  readonly level: 2 | 3;
  /** Its anchor. */
  readonly id: string;
  /** Inline HTML: it may hold code and math. */
  readonly html: string;
}

export interface SearchableSection {
  /** `undefined` before the first heading. */
  readonly id: string | undefined;
  readonly heading: string;
  /** Plain text. */
  readonly text: string;
}

/** A term of the field, explained where it is first used. */
export interface GlossaryTerm {
  readonly term: string;
  /** In Chinese: what a Chinese query finds it by. */
  readonly zh: string;
  /** Other names and forms. */
  readonly also: readonly string[];
  /** HTML. */
  readonly definition: string;
  /** Id of the chapter that explains it. */
  readonly chapter: string;
}

/** An entry of the bibliography. */
export interface Reference {
  readonly key: string;
  readonly authors: string;
  readonly year: number;
  readonly title: string;
  readonly venue: string;
  readonly url: string;
}

/** A file of the repository that chapters show or link to. */
export interface SourceFile {
  /** `lib/src/losses/clip.ts`. */
  readonly path: string;
  readonly text: string;
}

/** The whole book. */
export interface Book {
  /** In reading order, appendices last. */
  readonly pages: readonly BookPage[];
  readonly glossary: readonly GlossaryTerm[];
  readonly references: readonly Reference[];
  readonly sources: readonly SourceFile[];
  /** Notebooks that chapters name: file name and JSON text. */
  readonly notebooks: ReadonlyMap<string, string>;
  /** Of posttrain, e.g. `0.1.0`. */
  readonly version: string;
  /** Short name of the commit it was built from, with `+` where files have changed since; empty outside of a repository. */
  readonly commit: string;
}
