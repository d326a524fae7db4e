/** The chapters as they are: the book can be made, and their exercises can be solved. */
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exercisesSchema, type Exercise, type ExerciseCode } from 'posttrain/book/exercises';
import { readBook } from 'posttrain/book/read-book.node';
import { createRunPrograms } from 'posttrain/book/run-programs.node';
import type { ProgramResult } from 'posttrain/book/programs';

const FOLDER = 'chapters/exercises';
/** Programs train small models. */
const TIME = 5 * 60_000;

const run = createRunPrograms({ root: process.cwd() });

async function endsWell(code: string): Promise<string> {
  const pieces = [{ code, place: { file: FOLDER, line: 1 }, output: '' }];
  const [result] = (await run([{ pieces }])) as readonly [ProgramResult];
  if ('failure' in result) return result.failure;
  return result.outputs.at(-1)!.split('\n').at(-1)!;
}

const coded = (existsSync(FOLDER) ? readdirSync(FOLDER) : []).flatMap((name) => {
  const exercises = exercisesSchema.parse(parse(readFileSync(`${FOLDER}/${name}`, 'utf8')));
  return exercises
    .filter((exercise): exercise is Exercise & ExerciseCode => 'program' in exercise)
    .map((exercise) => ({ where: `${name}: ${exercise.id}`, ...exercise }));
});

describe('the book of this repository', () => {
  it(
    'can be made, with every number, formula, figure, link and output as it says',
    { timeout: TIME },
    async () => {
      const { pages } = await readBook(process.cwd());
      expect(pages.length).toBeGreaterThan(0);
    },
  );

  it.each(coded)(
    '$where cannot be passed as it starts, and is passed by its solution',
    { timeout: TIME },
    async (exercise) => {
      const { starter, program, check } = exercise;
      expect(await endsWell(`${program}\n${check}`)).toBe('ok');
      expect(await endsWell(`${starter}\n${check}`)).not.toBe('ok');
    },
  );
});
