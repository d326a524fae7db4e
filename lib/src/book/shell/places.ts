/** Where things lie in the site, and how one page leads to another; all links are relative, so the site works at any path. */

export const FRONT = 'index.html';
export const GLOSSARY = 'glossary.html';
export const REFERENCES = 'references.html';
export const NOTEBOOKS = 'notebooks.html';
export const SOURCES = 'source.html';
export const STYLES = 'assets/book.css';
export const MATH_STYLES = 'assets/katex/katex.css';
export const SCRIPT = 'assets/book.js';
export const ICON = 'assets/icon.svg';
export const PLOTLY = 'assets/plotly.js';
export const SEARCH_DATA = 'assets/search.js';

/** The page of a source file of the repository. */
export function sourcePlace(path: string): string {
  return `source/${path}.html`;
}

/** The Markdown of a chapter, beside its page. */
export function markdownPlace(page: string): string {
  return page.replace(/\.html$/, '.md');
}

/** The figures' plotly.js specifications of a chapter, as a script. */
export function plotsPlace(id: string): string {
  return `assets/plots/${id}.js`;
}

/** A notebook as a file to download. */
export function notebookPlace(file: string): string {
  return `notebooks/${file}`;
}

/** The way from a page up to the site's root: `./`, `../`, … */
export function rootFrom(page: string): string {
  return '../'.repeat(page.split('/').length - 1) || './';
}

/** The link that leads from one file of the site to another. */
export function linkFrom(page: string, target: string): string {
  const root = rootFrom(page);
  return `${root === './' ? '' : root}${target}`;
}
