/** Links of chapters, which are those of the repository, as links of the site. */
import { notebookPath, slug, sourcePath } from './anchors.js';
import type { Chapter } from './chapter.js';
import { codePiece } from './code-region.js';
import { joinPath, type Repository } from './repository.js';

export type LinkTarget =
  | { readonly kind: 'outside'; readonly href: string }
  | {
      readonly kind: 'chapter';
      readonly href: string;
      readonly chapter: Chapter;
      readonly anchor: string | undefined;
    }
  | { readonly kind: 'notebook'; readonly href: string; readonly name: string }
  | { readonly kind: 'source'; readonly href: string; readonly file: string };

/** The address of a chapter's page. */
export function pagePath(chapter: Pick<Chapter, 'file'>): string {
  return chapter.file.replace(/^chapters\/(.*)\.md$/, '$1.html');
}

/**
 * Where a link leads that is written in a chapter, or in a file of data whose text chapters show.
 * @param own the chapter that `#anchor` means
 * @throws Error for one that leads nowhere.
 */
export function linkTarget(
  href: string,
  own: Chapter | undefined,
  chapters: readonly Chapter[],
  repository: Repository,
): LinkTarget {
  if (/^(https?|mailto):/.test(href)) return { kind: 'outside', href };
  if (/^[a-z][a-z0-9+.-]*:|^\//i.test(href))
    throw new Error(
      `"${href}" is no link that works everywhere; expected https://… or a path from chapters/`,
    );
  const [path = '', fragment] = decodeURI(href).split('#');
  if (path === '' && own === undefined) throw new Error(`"${href}" needs a chapter: NN-name.md${href}`);
  const file = path === '' ? own!.file : joinPath('chapters', path);
  if (file === undefined) throw new Error(`"${href}" leads out of the repository`);
  const chapter = chapters.find((each) => each.file === file);
  if (chapter !== undefined) {
    const page = chapter === own ? '' : pagePath(chapter);
    return {
      kind: 'chapter',
      href: fragment === undefined ? pagePath(chapter) : `${page}#${encodeURIComponent(fragment)}`,
      chapter,
      anchor: fragment,
    };
  }
  const text = repository.read(file);
  if (text === undefined)
    throw new Error(
      repository.list(file).length > 0
        ? `"${href}" is a folder; link to a file in it`
        : `there is no ${file}`,
    );
  const [, notebook] = /^notebooks\/([^/]+\.ipynb)$/.exec(file) ?? [];
  if (notebook !== undefined) return { kind: 'notebook', href: notebookPath(notebook), name: notebook };
  return { kind: 'source', href: sourcePath(file, lineOf(fragment, text, file)), file };
}

/** Of a fragment as code hosts have them: a line, a heading of Markdown, the name of a declaration. */
function lineOf(fragment: string | undefined, text: string, file: string): number | undefined {
  if (fragment === undefined) return undefined;
  const lines = text.split('\n');
  const [, line] = /^L(\d+)(?:-L\d+)?$/.exec(fragment) ?? [];
  if (line !== undefined && Number(line) <= lines.length) return Number(line);
  if (line !== undefined) throw new Error(`${file} has ${lines.length} lines, no ${line}th`);
  if (!file.endsWith('.md')) return codePiece(text, file, fragment, true).line;
  const heading = lines.findIndex((each) => /^#+ /.test(each) && slug(each.replace(/^#+ /, '')) === fragment);
  if (heading === -1) throw new Error(`${file} has no heading #${fragment}`);
  return heading + 1;
}
