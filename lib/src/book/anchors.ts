/** Addresses inside of the site. */

/** A heading's anchor, as GitHub makes it: links work there and here. Letters of all languages are kept. */
export function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Where a file of the repository is shown. */
export function sourcePath(file: string, line?: number): string {
  const path = file.split('/').map(encodeURIComponent).join('/');
  return `source/${path}.html${line === undefined ? '' : `#L${line}`}`;
}

export function notebookPath(file: string): string {
  return `notebooks/${encodeURIComponent(file)}`;
}

/** The anchor of a term on the glossary's page. */
export function termAnchor(term: string): string {
  return slug(term);
}
