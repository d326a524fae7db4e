/** Exercises of `exercises/NN.yaml`. */
import type { Token } from 'markdown-it';
import { z } from 'zod';
import { parseFragment } from './markdown.js';
import { note, setNote, type Piece } from './tokens.js';
import { partFile, type Workshop } from './workshop.js';
import type { YamlData } from './yaml-file.js';

interface About {
  readonly id: string;
  readonly title: string;
  readonly level: 1 | 2 | 3;
  /** Markdown, like hint and solution. */
  readonly statement: string;
  readonly hint: string;
  readonly solution: string;
}

/** TypeScript: `program` passes the `check`, `starter` does not. */
export interface ExerciseCode {
  readonly starter: string;
  readonly program: string;
  readonly check: string;
}

export type Exercise =
  | (About & { readonly kind: 'derive' | 'predict' | 'experiment' })
  | (About & ExerciseCode & { readonly kind: 'code' | 'debug' });

const text = z.string().min(1);
const about = {
  id: z.string().regex(/^[a-z0-9-]+$/, 'expected small letters, digits and -'),
  title: text,
  level: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  statement: text,
  hint: text,
  solution: text,
};
const code = { starter: text, program: text, check: text };
const exerciseSchema: z.ZodType<Exercise> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['derive', 'predict', 'experiment']), ...about }),
  z.strictObject({ kind: z.enum(['code', 'debug']), ...about, ...code }),
]);

export const exercisesSchema: z.ZodType<Exercise[]> = z
  .array(exerciseSchema)
  .min(6, 'expected 6 to 10 exercises')
  .max(10, 'expected 6 to 10 exercises')
  .refine(
    (all) => new Set(all.map(({ level }) => level)).size === 3,
    'expected exercises of levels 1, 2 and 3',
  );

/** Notes on the chapter's exercise fence all its exercises. */
export function exerciseParts(
  fences: readonly Token[],
  prefix: string | undefined,
  workshop: Workshop,
): void {
  const file = `chapters/exercises/${prefix ?? 'NN'}.yaml`;
  const { problems, repository } = workshop;
  const there = prefix !== undefined && repository.read(file) !== undefined;
  const [fence, ...more] = fences;
  for (const other of more) problems.add(note(other, 'place'), 'the exercises stand in the chapter already');
  if (fence !== undefined && !there)
    problems.add(note(fence, 'place'), `there is no ${file} for these exercises`);
  if (fence === undefined && there)
    problems.add({ file, line: 1 }, 'no exercises fence of the chapter shows these');
  const exercises = there ? partFile(file, exercisesSchema, workshop) : undefined;
  if (fence === undefined || exercises === undefined) return;
  exercises.data.forEach(({ id }, index) => {
    if (exercises.data.findIndex((other) => other.id === id) !== index)
      problems.add(exercises.placeOf(index, 'id'), `there is an exercise "${id}" already`);
  });
  setNote(
    fence,
    'pieces',
    exercises.data.flatMap((_, index) => exercisePieces(exercises, index, workshop)),
  );
}

const KINDS: Readonly<Record<Exercise['kind'], string>> = {
  derive: 'derive',
  predict: 'predict',
  experiment: 'experiment',
  code: 'program',
  debug: 'find the fault',
};

function exercisePieces(
  exercises: YamlData<readonly Exercise[]>,
  index: number,
  { md }: Workshop,
): readonly Piece[] {
  const exercise = exercises.data[index]!;
  const block = (text: string, field: string): Piece =>
    parseFragment(md, text, exercises.placeOf(index, field));
  const folded = (summary: string, pieces: readonly Piece[]): readonly Piece[] => [
    `<details class="${summary.toLowerCase()}"><summary>${summary}</summary>\n`,
    ...pieces,
    '</details>\n',
  ];
  const code = 'program' in exercise ? exercise : undefined;
  return [
    `<section class="exercise" id="exercise-${exercise.id}"><h3>${index + 1}. `,
    parseFragment(md, exercise.title, exercises.placeOf(index, 'title'), true),
    `</h3>\n<p class="exercise-kind">Level ${exercise.level}, ${KINDS[exercise.kind]}</p>\n`,
    block(exercise.statement, 'statement'),
    ...(code === undefined
      ? []
      : [block(fenced(code.starter), 'starter'), ...folded('Check', [block(fenced(code.check), 'check')])]),
    ...folded('Hint', [block(exercise.hint, 'hint')]),
    ...folded('Solution', [
      block(exercise.solution, 'solution'),
      ...(code === undefined ? [] : [block(fenced(code.program), 'program')]),
    ]),
    '</section>\n',
  ];
}

function fenced(code: string): string {
  return `~~~~~ts\n${code.trimEnd()}\n~~~~~\n`;
}
