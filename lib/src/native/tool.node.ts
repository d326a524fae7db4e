import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

export interface ToolOptions {
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The tool is ended after so many milliseconds (default: never). */
  readonly timeLimitMs?: number;
  /** Ends the tool and everything it has started; `runTool` then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told what the tool prints, line by line. */
  readonly onLine?: (line: string) => void;
}

/** Why a tool did not do its work; `missing` when there is no such program. */
export class ToolFailure extends Error {
  constructor(
    message: string,
    readonly missing: boolean,
    /** The last lines it printed. */
    readonly output: readonly string[],
  ) {
    super(message);
    this.name = 'ToolFailure';
  }
}

const KEPT_LINES = 200;

/** Runs a program to its end and returns the last lines it printed. Throws `ToolFailure` unless it says that it succeeded. */
export function runTool(
  command: string,
  args: readonly string[],
  { cwd, env, timeLimitMs, signal, onLine }: ToolOptions = {},
): Promise<readonly string[]> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const windows = process.platform === 'win32';
    const lines: string[] = [];
    const fail = (what: string, missing = false): void =>
      reject(new ToolFailure([`${basename(command)} ${what}`, ...telling(lines)].join(': '), missing, lines));
    const child = spawn(command, [...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own can be ended whole, compilers and all; on Windows npm is a script of the shell.
      detached: !windows,
      shell: windows,
    });
    const end = (): void => {
      try {
        if (!windows && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        else child.kill();
      } catch {
        // It has ended by itself.
      }
    };
    let timedOut = false;
    const timer =
      timeLimitMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            end();
          }, timeLimitMs);
    signal?.addEventListener('abort', end);
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
        if (line.trim() === '') return;
        lines.push(line);
        if (lines.length > KEPT_LINES) lines.shift();
        onLine?.(line);
      });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      settle();
      fail(`does not start (${error.message})`, error.code === 'ENOENT');
    });
    child.once('close', (code) => {
      settle();
      if (signal?.aborted) reject(signal.reason as Error);
      else if (timedOut) fail(`was ended after ${(timeLimitMs ?? 0) / 1000} s`);
      else if (code !== 0) fail(`ended with status ${code}`);
      else resolve(lines);
    });
  });
}

/** The line that says most about a failure, if there is any. */
function telling(lines: readonly string[]): string[] {
  const line =
    lines.find((line) => /\berror: /i.test(line)) ??
    lines.find((line) => /error/i.test(line)) ??
    lines.at(-1);
  return line === undefined ? [] : [line.trim().slice(0, 300)];
}
