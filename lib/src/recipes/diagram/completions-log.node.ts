/** The completions that a run wrote down: one file a step, one line a completion. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../files.node.js';
import type { GRPOCompletion, GRPOStep } from '../../trainers/index.js';

export function writeCompletions(folder: string, { step, completions }: GRPOStep): void {
  const lines = completions.map((completion) => JSON.stringify({ step, ...completion }));
  writeFileAtomic(pathOf(folder, step), `${lines.join('\n')}\n`);
}

/** The steps whose completions there are, in order. */
export function stepsWithCompletions(folder: string): number[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((file) => /^completions_(\d+)\.jsonl$/.exec(file)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

export function readCompletions(folder: string, step: number): GRPOCompletion[] {
  const path = pathOf(folder, step);
  try {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as GRPOCompletion);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`${path} is damaged (${error.message}); look at another step`);
  }
}

/** Forgets what came after `step`: those steps will be taken again. */
export function truncateCompletions(folder: string, step: number): void {
  for (const written of stepsWithCompletions(folder)) if (written > step) rmSync(pathOf(folder, written));
}

function pathOf(folder: string, step: number): string {
  return join(folder, `completions_${String(step).padStart(5, '0')}.jsonl`);
}
