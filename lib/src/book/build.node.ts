import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { copiedFiles, pageScript, siteStyles } from './bundles.node.js';
import { createHighlight } from './highlight.js';
import type { Book } from './page.js';
import { readBook, type ReadBookOptions } from './read-book.node.js';
import type { SiteAssets } from './shell/assets.js';
import { languageOf } from './shell/source-language.js';
import { siteFiles } from './shell/site-files.js';
import { writeSite } from './site-folder.node.js';

export interface BuildOptions extends ReadBookOptions {
  /** Where the site will stand, e.g. `https://example.org/book/`, for the sitemap. */
  readonly url?: string;
}

/**
 * Builds the book's static site; a build that fails leaves the folder as it was.
 * @param root of the repository @param out the site's folder: new, empty, or an older site
 * @throws Error that lists every problem of the chapters, or when the folder holds other files
 */
export async function buildSite(root: string, out: string, options: BuildOptions = {}): Promise<void> {
  await writeSite(await makeSite(root, options), out);
}

/** The site's files by their places. @throws Error that lists every problem of the chapters */
export async function makeSite(
  root: string,
  options: BuildOptions = {},
): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const book = await readBook(root, options);
  return siteFiles(book, await siteAssets(root, book, options));
}

/** What the site of this book is drawn with. */
export async function siteAssets(root: string, book: Book, { url }: BuildOptions): Promise<SiteAssets> {
  const [styles, script, files, highlight, date] = await Promise.all([
    siteStyles(root),
    pageScript(root),
    copiedFiles(root),
    createHighlight(book.sources.map(({ path }) => languageOf(path))),
    commitDate(root),
  ]);
  return { styles, script, files, highlight, date, ...(url !== undefined && { url }) };
}

/** Of the last commit: two builds of one commit are equal. Outside of a repository the day itself. */
async function commitDate(root: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%cs'], { cwd: root });
    return stdout.trim();
  } catch {
    return new Date().toISOString().slice(0, 10);
  }
}
