/** Programs of a chapter, and whether they print what the text says. */
import type { Token } from 'markdown-it';
import { readFence, type Fence } from './fence.js';
import type { Place, Problems } from './problems.js';
import { note } from './tokens.js';

export interface ProgramPiece {
  readonly code: string;
  readonly place: Place;
  /** What stands in the text as its output; empty where nothing does. */
  readonly output: string;
}

export interface Program {
  readonly pieces: readonly ProgramPiece[];
}

/** What a program printed, one text a piece; or why it did not end well. */
export type ProgramResult = { readonly outputs: readonly string[] } | { readonly failure: string };

/** Runs programs, each in a process of its own. */
export type RunPrograms = (programs: readonly Program[]) => Promise<readonly ProgramResult[]>;

/** Printed between the pieces of a program. */
const MARK = '\u0001piece\u0001';

/** One TypeScript module. */
export function programText({ pieces }: Program): string {
  return pieces.map(({ code }) => code).join(`\n;console.log(${JSON.stringify(MARK)});\n`);
}

export function outputsOf(printed: string): readonly string[] {
  return printed.split(`${MARK}\n`).map((output) => output.trimEnd());
}

/** The programs among a chapter's fences, in order. */
export function programsIn(tokens: readonly Token[], problems: Problems): readonly Program[] {
  const fences = tokens.filter(({ type }) => type === 'fence');
  const kinds = fences.map((fence) => kindOf(fence));
  const programs = new Map<string, ProgramPiece[]>();
  fences.forEach((fence, index) => {
    const kind = kinds[index];
    const place = note(fence, 'place');
    if (kind?.kind === 'output' && kinds[index - 1]?.kind !== 'run')
      problems.add(place, 'an output follows the fence that prints it, ```ts run');
    if (kind?.kind !== 'run') return;
    const next = fences[index + 1];
    const output = kinds[index + 1]?.kind === 'output' ? next!.content.trimEnd() : '';
    const name = kind.program ?? `fence ${index}`;
    programs.set(name, [...(programs.get(name) ?? []), { code: fence.content, place, output }]);
  });
  return [...programs.values()].map((pieces) => ({ pieces }));
}

function kindOf({ info }: Token): Fence | undefined {
  try {
    return readFence(info);
  } catch {
    // told where the fence is drawn
    return undefined;
  }
}

export function checkOutputs({ pieces }: Program, result: ProgramResult, problems: Problems): void {
  if ('failure' in result) return problems.add(pieces[0]!.place, `the program fails: ${result.failure}`);
  pieces.forEach(({ place, output }, index) => {
    const printed = result.outputs[index] ?? '';
    if (printed === output) return;
    const says = output === '' ? 'the text has no output for it' : `the text has\n${indented(output)}`;
    problems.add(place, `it prints\n${indented(printed)}\n  but ${says}`);
  });
}

const indented = (text: string): string => text.replace(/^/gm, '    ');
