import { z } from 'zod';
import type { Place } from './problems.js';

/** A term as its file has it: the definition is Markdown. */
export interface WrittenTerm {
  readonly term: string;
  readonly zh: string;
  readonly also: readonly string[];
  readonly definition: string;
  readonly chapter: string;
}

export type PlacedTerm = WrittenTerm & { readonly place: Place };

export const glossarySchema: z.ZodType<WrittenTerm[]> = z.array(
  z.strictObject({
    term: z.string().min(1),
    zh: z.string().min(1),
    also: z.array(z.string()).default([]),
    definition: z.string().min(1),
    chapter: z.string().min(1),
  }),
);

/** Terms by all their names, in small letters. */
export type TermsByName = ReadonlyMap<string, PlacedTerm>;

export function termNames({ term, also }: WrittenTerm): readonly string[] {
  return [term, ...also].map((name) => name.toLowerCase());
}
