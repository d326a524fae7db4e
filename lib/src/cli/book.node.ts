import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { listenForInterrupt } from './interrupt.node.js';
import { nonNegativeInteger } from './options.node.js';
import type { SetStatus } from './program.node.js';
import { rejectUnknownCommand } from './unknown-command.node.js';

interface ServeOptions {
  readonly port: number;
  readonly run: boolean;
}

interface BuildCommandOptions {
  readonly out: string;
  readonly run: boolean;
  readonly url?: string;
}

/** What the book is made from; a change there makes it anew. */
const WATCHED = ['chapters', 'data/results', 'data/pictures', 'notebooks', 'lib/src', 'tests'];

const MAKING =
  'Making the book. The first time the programs of all chapters are run, which takes a minute or two; later some seconds.';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

export function addBook(program: Command, setStatus: SetStatus): void {
  const book = program.command('book').description('read and build the book of this repository');
  book
    .command('serve', { isDefault: true })
    .description('serve it on this machine, and make it anew when a chapter changes')
    .argument('[command]')
    .option('--port <number>', '0 takes a free one', nonNegativeInteger, 8123)
    .option('--no-run', 'leave the programs of chapters alone')
    .action(async (command: string | undefined, options: ServeOptions) => {
      if (command !== undefined) rejectUnknownCommand(book, command);
      await serve(options);
    });
  book
    .command('build')
    .description('write it as a static site, which needs no server and no network')
    .option('--out <folder>', 'new, empty, or an older site', join('runs', 'book'))
    .option('--url <address>', 'where it will stand, for its sitemap')
    .option('--no-run', 'leave the programs of chapters alone: their outputs are as they were written')
    .action(async ({ out, ...options }: BuildCommandOptions) => {
      const root = repositoryRoot();
      const { buildSite } = await importBook();
      say(MAKING);
      try {
        await buildSite(root, out, options);
        say(`Open ${join(out, 'index.html')}`);
      } catch (error) {
        if (!isBookError(error)) throw error;
        complain(error.message);
        setStatus(1);
      }
    });
}

/** The folder with the chapters, which this package is a part of. @throws Error in a package that comes without them. */
function repositoryRoot(): string {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  if (existsSync(join(root, 'chapters'))) return root;
  throw new Error(
    'the book is made in the repository, not by the published package; clone it, then "npm ci" and "npm run book"',
  );
}

/** Only now: it brings libraries with it that nothing else needs, and the published package does not have. */
async function importBook() {
  try {
    return await import('../book/build.node.js');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`${(error as Error).message}; run "npm ci" in the repository, not "npm ci --omit=dev"`);
  }
}

/** Errors of a build: a list of problems, which should not become one line. */
function isBookError(error: unknown): error is Error {
  return error instanceof Error && 'problems' in error;
}

async function serve({ port, run }: ServeOptions): Promise<void> {
  const root = repositoryRoot();
  const { makeSite } = await importBook();
  const { serveSite } = await import('../book/serve.node.js');
  const { watchFolders } = await import('../book/watch.node.js');
  const server = await serveSite(port);
  const build = async (): Promise<void> => {
    try {
      server.show(await makeSite(root, { run }));
      say(`The book is at ${server.url}`);
    } catch (error) {
      complain((error as Error).message);
      server.tell((error as Error).message);
    }
  };
  const { signal, release } = listenForInterrupt(() => say('Stopping.'));
  say(`${MAKING} Ctrl-C stops it.`);
  server.tell(MAKING);
  await build();
  const stop = watchFolders(root, WATCHED, oneAtATime(build));
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  stop();
  release();
  await server.close();
}

/** What changes while a build is going on waits for its end, and is built once. */
function oneAtATime(build: () => Promise<void>): () => void {
  let [running, again] = [false, false];
  const next = async (): Promise<void> => {
    again = running;
    if (running) return;
    running = true;
    await build();
    running = false;
    if (again) void next();
  };
  return () => void next();
}
