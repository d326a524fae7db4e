/** What the site is drawn with, besides the book itself. */
export interface SiteAssets {
  /** The site's style sheet. */
  readonly styles: string;
  /** The page's own script: a classic one, so that it also runs from `file://`. */
  readonly script: string;
  /** Everything else that is copied, by its path in the site: fonts, plotly.js, what the demos load. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Code as `<pre>` in the colours of both themes, with a `<span class="line">` around each line. */
  readonly highlight: (code: string, language: string) => string;
  /** Of the commit, or of the build where there is none: `2026-11-30`. */
  readonly date: string;
  /** Where the site will stand, e.g. `https://example.org/book/`; the sitemap's addresses are relative without it. */
  readonly url?: string;
}
