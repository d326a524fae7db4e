/** What all chapters share: terms, references and macros, written in one file a chapter. */
import { z } from 'zod';
import type { Reference } from './page.js';
import { referencesSchema } from './bibliography.js';
import { glossarySchema, termNames, type PlacedTerm, type TermsByName } from './glossary.js';
import type { Macros } from './math.js';
import type { Place, Problems } from './problems.js';
import { partFile, type Workshop } from './workshop.js';
import type { YamlData } from './yaml-file.js';

export type PlacedReference = Reference & { readonly place: Place };

export interface SharedData {
  readonly glossary: readonly PlacedTerm[];
  readonly terms: TermsByName;
  readonly references: ReadonlyMap<string, PlacedReference>;
  readonly macros: Macros;
}

export function readSharedData(workshop: Workshop): SharedData {
  const { problems } = workshop;
  const glossary = filesIn('glossary', glossarySchema, workshop).flatMap(({ data, placeOf }) =>
    data.map((term, index): PlacedTerm => ({ ...term, place: placeOf(index) })),
  );
  const references = new Map<string, PlacedReference>();
  for (const { data, placeOf } of filesIn('references', referencesSchema, workshop))
    for (const [key, reference] of Object.entries(data)) {
      const place = placeOf(key);
      unlessTaken(references, key, { ...reference, key, place }, `reference "${key}"`, problems);
    }
  return { glossary, terms: termsByName(glossary, problems), references, macros: macrosOf(workshop) };
}

function termsByName(glossary: readonly PlacedTerm[], problems: Problems): TermsByName {
  const terms = new Map<string, PlacedTerm>();
  for (const term of glossary)
    for (const name of new Set(termNames(term))) unlessTaken(terms, name, term, `term "${name}"`, problems);
  return terms;
}

function macrosOf(workshop: Workshop): Macros {
  const { problems } = workshop;
  const schema = z.record(z.string().regex(/^\\[A-Za-z]+$/, 'expected \\letters'), z.string());
  const macros = new Map<string, { readonly tex: string; readonly place: Place }>();
  for (const { data, placeOf } of filesIn('macros', schema, workshop))
    for (const [name, tex] of Object.entries(data)) {
      unlessTaken(macros, name, { tex, place: placeOf(name) }, `macro ${name}`, problems);
    }
  return Object.fromEntries([...macros].map(([name, { tex }]) => [name, tex]));
}

function unlessTaken<T extends { readonly place: Place }>(
  map: Map<string, T>,
  key: string,
  value: T,
  what: string,
  problems: Problems,
): void {
  const taken = map.get(key);
  if (taken === undefined) map.set(key, value);
  else problems.add(value.place, `${what} is in ${taken.place.file}:${taken.place.line} already`);
}

function filesIn<T>(kind: string, schema: z.ZodType<T>, workshop: Workshop): readonly YamlData<T>[] {
  const folder = `chapters/${kind}`;
  return workshop.repository
    .list(folder)
    .flatMap((name) => partFile(`${folder}/${name}`, schema, workshop) ?? []);
}
