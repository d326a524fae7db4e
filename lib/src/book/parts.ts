/** Parts of a chapter that are written as data: facts, symbols, references, quizzes, exercises. */
import type { Token } from 'markdown-it';
import { exerciseParts } from './exercises.js';
import { readFence, type PartName } from './fence.js';
import { factsPart, referencesPart, symbolsPart } from './listed-parts.js';
import { quizParts } from './quiz.js';
import { setNote } from './tokens.js';
import type { Workshop } from './workshop.js';

/** Notes on each fence of a part the pieces that it stands for. @param prefix of the chapter's file, e.g. `03`. */
export function expandParts(tokens: readonly Token[], prefix: string | undefined, workshop: Workshop): void {
  const named = (name: PartName): readonly Token[] => tokens.filter((token) => partOf(token) === name);
  for (const token of named('facts')) setNote(token, 'pieces', factsPart(token, workshop));
  for (const token of named('symbols')) setNote(token, 'pieces', symbolsPart(token, workshop));
  for (const token of named('references')) setNote(token, 'pieces', referencesPart(token, workshop));
  quizParts(named('quiz'), prefix, workshop);
  exerciseParts(named('exercises'), prefix, workshop);
}

function partOf({ type, info }: Token): PartName | undefined {
  if (type !== 'fence') return undefined;
  try {
    const fence = readFence(info);
    return fence.kind === 'part' ? fence.part : undefined;
  } catch {
    // told where the fence is drawn
    return undefined;
  }
}
