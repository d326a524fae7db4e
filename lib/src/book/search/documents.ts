/** What the search looks through; made by the shell, loaded by the page as a script when somebody searches. */

export interface SearchDocument {
  /** Where it stands, relative to the site's root, e.g. `03-rewards.html#gates`. */
  readonly place: string;
  /** Title of its page. */
  readonly page: string;
  /** "Chapter 3"; empty for pages that are not chapters. */
  readonly part: string;
  /** Empty above a chapter's first heading. */
  readonly heading: string;
  readonly text: string;
}

export interface SearchData {
  readonly documents: readonly SearchDocument[];
  /** Chinese terms with their English ones: a Chinese query also finds what is said in English. */
  readonly chinese: readonly (readonly [chinese: string, english: string])[];
}
