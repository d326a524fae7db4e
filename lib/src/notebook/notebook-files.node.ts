import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { writeFileAtomic } from '../files.node.js';
import { citeNumbers, fillNumbers, type FindResults } from './cited-numbers.js';
import { formatNotebook, parseNotebook, withoutOutputs, type Notebook } from './format.js';
import { readPairedSource, writePairedSource } from './paired-source.js';
import { readResults, recordedFile } from './results-files.node.js';

const NOTEBOOK = '.ipynb';
const SOURCE = '.ts';

/** A notebook from its own file or from its source. @throws Error for a file that is neither, or is not there. */
export function readNotebook(file: string): Notebook {
  if (!existsSync(file)) {
    const name = file.replace(/\.(ts|ipynb)$/, '');
    throw new Error(`there is no ${file}; \`posttrain notebook new ${name}\` begins one`);
  }
  const text = readFileSync(file, 'utf8');
  if (file.endsWith(NOTEBOOK)) return parseNotebook(text, file);
  if (file.endsWith(SOURCE)) return readPairedSource(text, file);
  throw new Error(
    `${file} is no notebook; its name should end with ${NOTEBOOK}, or ${SOURCE} for its source`,
  );
}

/** The file that goes with this one: a source's notebook, a notebook's source. */
export function pairOf(file: string): string {
  const [from, to] = file.endsWith(NOTEBOOK) ? [NOTEBOOK, SOURCE] : [SOURCE, NOTEBOOK];
  return file.slice(0, -from.length) + to;
}

export interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

/**
 * Both files of a pair as they should be, after what `file` says: a source makes its notebook, in which the numbers that its text cites
 * are filled in from recorded results, and a notebook that was edited in Jupyter its source. Notebooks are without outputs.
 * @throws Error that names file, cell and key for a number that was not recorded.
 */
export function pairedFiles(file: string): readonly WrittenFile[] {
  const [sourceFile, notebookFile] = file.endsWith(SOURCE) ? [file, pairOf(file)] : [pairOf(file), file];
  const find: FindResults = (name) => readResults(recordedFile(dirname(file), name));
  try {
    const source = writePairedSource(cited(readNotebook(file), file, find));
    return [
      { path: sourceFile, content: source },
      {
        path: notebookFile,
        content: formatNotebook(fillNumbers(readPairedSource(source, sourceFile), find)),
      },
    ];
  } catch (error) {
    throw (error as Error).message.startsWith('cell ')
      ? new Error(`${file}, ${(error as Error).message}`)
      : error;
  }
}

/** The notebook with the citations of its source, where that is there. */
function cited(notebook: Notebook, file: string, find: FindResults): Notebook {
  if (file.endsWith(SOURCE) || !existsSync(pairOf(file))) return notebook;
  return citeNumbers(notebook, readNotebook(pairOf(file)), find);
}

/** The files that are missing or differ. */
export function outdated(files: readonly WrittenFile[]): readonly WrittenFile[] {
  return files.filter(({ path, content }) => !existsSync(path) || readFileSync(path, 'utf8') !== content);
}

/** Removes outputs and execution counts from a notebook's file. @throws Error for a source. */
export function clearNotebook(file: string): void {
  if (file.endsWith(SOURCE))
    throw new Error(`${file} is a source, which has no outputs; clear its notebook, ${pairOf(file)}`);
  writeFileAtomic(file, formatNotebook(withoutOutputs(parseNotebook(readFileSync(file, 'utf8'), file))));
}

/** A notebook to begin with. @throws Error when there is one already. */
export function newNotebook(file: string): readonly WrittenFile[] {
  const source = file.endsWith(NOTEBOOK) ? pairOf(file) : file.endsWith(SOURCE) ? file : `${file}${SOURCE}`;
  for (const path of [source, pairOf(source)])
    if (existsSync(path)) throw new Error(`${path} exists already; choose another name`);
  writeFileAtomic(source, template(basename(source, SOURCE)));
  const files = pairedFiles(source);
  for (const { path, content } of files) writeFileAtomic(path, content);
  return files;
}

function template(name: string): string {
  return `// %% [markdown]
// # ${name}
//
// What is the question, and what will you be able to do when it is answered?

// %%
import * as pt from 'posttrain';
import { setup } from 'posttrain/notebook';

// %%
const { fast, seed } = await setup({ seed: 7 });
const steps = fast ? 2 : 20;

// %% [markdown]
// ## First experiment
//
// What does the next cell show, and what do you expect?

// %%
console.log(steps, 'steps with seed', seed, 'on', pt.backendInUse()?.backend);
`;
}
