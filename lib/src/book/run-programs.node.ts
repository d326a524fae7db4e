/** Runs the programs of chapters: each in a process of its own, two at once, and none twice while nothing has changed. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { writeFileAtomic } from '../files.node.js';
import { outputsOf, programText, type Program, type ProgramResult, type RunPrograms } from './programs.js';

export interface ProgramOptions {
  /** Programs run here, and find `posttrain` from here. */
  readonly root: string;
  /** After which a program is stopped. A chapter's programs take 20 s together on two free cores. */
  readonly limitSeconds?: number;
}

const AT_ONCE = 2;
const CACHE = 'node_modules/.cache/posttrain-book';
/** What programs see besides their own text. */
const SEEN = ['lib/dist', 'data'];
/** Longest part of an error that is told. */
const ERROR_LINES = 12;

export function createRunPrograms({ root, limitSeconds = 120 }: ProgramOptions): RunPrograms {
  return async (programs) => {
    const seen = SEEN.map((folder) => contentHash(join(root, folder))).join();
    const results = new Map<Program, ProgramResult>();
    const waiting = [...programs];
    const worker = async (): Promise<void> => {
      for (let program = waiting.shift(); program !== undefined; program = waiting.shift())
        results.set(program, await runOrRecall(program, root, seen, limitSeconds));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return programs.map((program) => results.get(program)!);
  };
}

async function runOrRecall(
  program: Program,
  root: string,
  seen: string,
  limitSeconds: number,
): Promise<ProgramResult> {
  const text = programText(program);
  const key = createHash('sha256')
    .update([process.version, seen, text].join('\n'))
    .digest('hex')
    .slice(0, 32);
  const kept = join(root, CACHE, `${key}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as ProgramResult;
  const result = await runText(text, join(root, CACHE, `${key}.mjs`), root, limitSeconds);
  if ('outputs' in result) writeFileAtomic(kept, JSON.stringify(result));
  return result;
}

async function runText(
  text: string,
  file: string,
  root: string,
  limitSeconds: number,
): Promise<ProgramResult> {
  try {
    const { code } = await transform(text, { loader: 'ts', format: 'esm', target: 'node20' });
    writeFileAtomic(file, code);
    return await runFile(file, root, limitSeconds);
  } catch (error) {
    return { failure: (error as Error).message };
  } finally {
    rmSync(file, { force: true });
  }
}

function runFile(file: string, root: string, limitSeconds: number): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitSeconds * 1000,
      killSignal: 'SIGKILL',
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.on('error', (error) => resolve({ failure: error.message }));
    child.on('close', (status, signal) => {
      if (status === 0) resolve({ outputs: outputsOf(out) });
      else if (signal !== null) resolve({ failure: `it was stopped after ${limitSeconds} s` });
      else resolve({ failure: errorIn(err) });
    });
  });
}

function errorIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const message = lines.findIndex((line) => /^\w*Error\b/.test(line));
  return lines.slice(Math.max(0, message)).slice(0, ERROR_LINES).join('\n    ');
}

function contentHash(folder: string): string {
  const hash = createHash('sha256');
  if (!existsSync(folder)) return '';
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash.update(path.slice(folder.length)).update(readFileSync(path));
  return hash.digest('hex');
}
