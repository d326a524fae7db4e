/** The book, from the repository's files. */
import type { Token } from 'markdown-it';
import { z } from 'zod';
import type { FindResults } from '../notebook/cited-numbers.js';
import type { Repository } from './repository.js';
import { readChapters, type Chapter } from './chapter.js';
import { anchorProblems, chapterProblems, orphanProblems, unusedReferences } from './checks.js';
import { copied, draw, newDrawing, type Library } from './drawing.js';
import { drawPage } from './draw-page.js';
import { readFence } from './fence.js';
import { createHighlight, isLanguage } from './highlight.js';
import { createMarkdown, parseFragment } from './markdown.js';
import type { Book, GlossaryTerm, SourceFile } from './page.js';
import { BookError, createProblems, type Problems } from './problems.js';
import { checkOutputs, programsIn, type RunPrograms } from './programs.js';
import { addRenderRules } from './render.js';
import { readSharedData } from './shared-data.js';
import { everyToken, note } from './tokens.js';
import { fenceData, type Workshop } from './workshop.js';

/** HTML of a live demo with these start values. @throws Error for a name or a value that there is not. */
export type DrawDemo = (name: string, values: Readonly<Record<string, unknown>>) => Promise<string>;

export interface BookOptions {
  readonly repository: Repository;
  readonly findResults: FindResults;
  /** Without it no program runs, and outputs stay as they were written. */
  readonly runPrograms: RunPrograms | undefined;
  readonly drawDemo: DrawDemo;
  readonly version: string;
  readonly commit: string;
}

/** @throws BookError with all problems there are. */
export async function makeBook(options: BookOptions): Promise<Book> {
  const { repository, findResults, version, commit } = options;
  const problems = createProblems();
  const md = createMarkdown();
  addRenderRules(md);
  const workshop: Workshop = { repository, problems, md, findResults };
  const shared = readSharedData(workshop);
  const chapters = readChapters(workshop);
  await checkPrograms(chapters, options.runPrograms, problems);
  const library: Library = {
    ...workshop,
    ...shared,
    chapters,
    highlight: await createHighlight(languagesOf(chapters)),
    demos: await demosOf(chapters, options.drawDemo, problems),
    formulaTests: formulaTests(repository),
    cited: new Set(),
    sources: new Set(),
    notebooks: new Set(chapters.flatMap(({ front }) => front.data.notebooks.map((name) => `${name}.ipynb`))),
  };
  chapterProblems(library);
  const drawn = chapters.map((chapter) => drawPage(chapter, library));
  const glossaryDrawing = newDrawing(library, undefined);
  const glossary = shared.glossary.map((term): GlossaryTerm => {
    const { place, definition, ...rest } = term;
    return { ...rest, definition: copied(draw(parseFragment(md, definition, place), glossaryDrawing)) };
  });
  anchorProblems(drawn, glossaryDrawing, library);
  unusedReferences(library);
  orphanProblems(library);
  const all = problems.all();
  if (all.length > 0) throw new BookError(all);
  return {
    pages: drawn.map(({ page }) => page),
    glossary,
    references: [...shared.references.values()].map(({ place: _, ...reference }) => reference),
    sources: [...library.sources].sort().map((path): SourceFile => ({ path, text: repository.read(path)! })),
    notebooks: new Map(
      [...library.notebooks].sort().map((name) => [name, repository.read(`notebooks/${name}`)!]),
    ),
    version,
    commit,
  };
}

async function checkPrograms(
  chapters: readonly Chapter[],
  runPrograms: RunPrograms | undefined,
  problems: Problems,
): Promise<void> {
  const programs = chapters.flatMap(({ tokens }) => programsIn(tokens, problems));
  const results = (await runPrograms?.(programs)) ?? [];
  results.forEach((result, index) => checkOutputs(programs[index]!, result, problems));
}

function fencesIn(chapters: readonly Chapter[]): readonly Token[] {
  return chapters.flatMap(({ tokens }) => [...everyToken(tokens)].filter(({ type }) => type === 'fence'));
}

function languagesOf(chapters: readonly Chapter[]): ReadonlySet<string> {
  const languages = fencesIn(chapters).map(({ info }) => info.trim().split(/\s/)[0]!);
  return new Set(languages.filter(isLanguage));
}

const startValues = z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])).nullish();

async function demosOf(
  chapters: readonly Chapter[],
  drawDemo: DrawDemo,
  problems: Problems,
): Promise<ReadonlyMap<Token, string>> {
  const demos = new Map<Token, string>();
  for (const token of fencesIn(chapters)) {
    try {
      const fence = readFence(token.info);
      if (fence.kind !== 'demo') continue;
      const values = fenceData(token, startValues, problems)?.data ?? {};
      demos.set(token, await drawDemo(fence.name, values));
    } catch (error) {
      problems.add(note(token, 'place'), (error as Error).message);
    }
  }
  return demos;
}

function formulaTests(repository: Repository): ReadonlySet<string> {
  const folder = 'tests/book/formulas';
  const texts = repository.list(folder).map((name) => repository.read(`${folder}/${name}`) ?? '');
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/\b(?:it|test)\(\s*['"`](eq-[\w-]+)['"`]/g)].map(([, id]) => id!),
    ),
  );
}
