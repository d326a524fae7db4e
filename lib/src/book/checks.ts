/** What can only be seen once everything has been read or drawn. */
import type { Chapter } from './chapter.js';
import type { DrawnPage } from './draw-page.js';
import type { Drawing, Library } from './drawing.js';
import { figureFile } from './labels.js';
import { note } from './tokens.js';

/** What chapters say of each other and of the repository in their front matter; equations that share a name. */
export function chapterProblems({ chapters, problems, repository, glossary }: Library): void {
  const ids = chapters.map(({ front }) => front.data.id);
  chapters.forEach(({ front, prefix, file }, index) => {
    const { id, needs, notebooks, lib } = front.data;
    if (ids.indexOf(id) !== index) problems.add(front.placeOf('id'), `there is a chapter "${id}" already`);
    const sameNumber = chapters
      .slice(0, index)
      .find((other) => prefix !== undefined && other.prefix === prefix);
    if (sameNumber !== undefined)
      problems.add({ file, line: 1 }, `${sameNumber.file} has the number ${prefix} too`);
    needs.forEach((need, at) => {
      const needed = ids.indexOf(need);
      if (needed === -1 || needed >= index)
        problems.add(front.placeOf('needs', at), `no chapter before this one is called "${need}"`);
    });
    notebooks.forEach((name, at) => {
      if (repository.read(`notebooks/${name}.ipynb`) === undefined)
        problems.add(front.placeOf('notebooks', at), `there is no notebooks/${name}.ipynb`);
    });
    lib.forEach((name, at) => {
      if (repository.list(`lib/src/${name}`).length === 0)
        problems.add(front.placeOf('lib', at), `there is no folder lib/src/${name}`);
    });
  });
  for (const { term, chapter, place } of glossary)
    if (!ids.includes(chapter)) problems.add(place, `term "${term}": there is no chapter "${chapter}"`);
  equationNames(chapters, (place, message) => problems.add(place, message));
}

function equationNames(chapters: readonly Chapter[], tell: Library['problems']['add']): void {
  const seen = new Map<string, string>();
  for (const { labels, file } of chapters)
    for (const [id, { kind, token }] of labels) {
      if (kind !== 'equation') continue;
      const other = seen.get(id);
      if (other !== undefined) tell(note(token, 'place'), `there is an equation #${id} in ${other} already`);
      seen.set(id, file);
    }
}

/** Anchors that links lead to and that are not there, and those that are there twice. */
export function anchorProblems(
  drawn: readonly DrawnPage[],
  glossary: Drawing,
  { chapters, problems }: Library,
): void {
  const anchors = new Map(
    drawn.map(({ page }, index) => [
      chapters[index]!,
      idsIn(page.html.replace(/<template[\s\S]*?<\/template>/g, '')),
    ]),
  );
  for (const { anchorLinks } of [...drawn.map(({ drawing }) => drawing), glossary])
    for (const { place, chapter, anchor } of anchorLinks)
      if (!anchors.get(chapter)!.includes(anchor))
        problems.add(place, `there is no #${anchor} in ${chapter.file}`);
  for (const [{ file }, ids] of anchors)
    for (const id of new Set(ids.filter((each, index) => ids.indexOf(each) !== index)))
      problems.add({ file, line: 1 }, `two things of the page have the id "${id}"`);
}

function idsIn(html: string): readonly string[] {
  return [...html.matchAll(/<[^>]*? id="([^"]*)"/g)].map(([, id]) => id!);
}

export function unusedReferences({ references, cited, problems }: Library): void {
  for (const { key, place } of references.values())
    if (!cited.has(key)) problems.add(place, `nothing cites "${key}"`);
}

/** Files in `chapters/` that belong to no chapter. */
export function orphanProblems({ repository, chapters, problems }: Library): void {
  const orphan = (file: string, why: string): void => problems.add({ file, line: 1 }, why);
  const folders = ['quizzes', 'exercises', 'glossary', 'references', 'macros'];
  for (const name of repository.list('chapters'))
    if (!name.endsWith('.md') && name !== 'figures' && !folders.includes(name))
      orphan(`chapters/${name}`, 'this is no chapter, and no folder of what chapters are made of');
  for (const folder of folders)
    for (const name of repository.list(`chapters/${folder}`))
      if (!chapters.some(({ prefix }) => name === `${prefix}.yaml`))
        orphan(`chapters/${folder}/${name}`, 'no chapter has this number; expected NN.yaml');
  const shown = new Set(
    chapters.flatMap(({ labels }) =>
      [...labels.values()].flatMap((label) => (label.kind === 'figure' ? [figureFile(label.token)] : [])),
    ),
  );
  for (const name of repository.list('chapters/figures'))
    if (!shown.has(`figures/${name}`)) orphan(`chapters/figures/${name}`, 'no chapter shows this figure');
}
