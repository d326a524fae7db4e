/** Questions of `quizzes/NN.yaml`, where the chapter wants them. */
import type { Token } from 'markdown-it';
import { z } from 'zod';
import { parseFragment } from './markdown.js';
import { note, setNote, type Piece } from './tokens.js';
import { fenceData, partFile, type Workshop } from './workshop.js';
import type { YamlData } from './yaml-file.js';

interface Option {
  readonly text: string;
  readonly correct?: true | undefined;
  readonly why: string;
}

export interface Question {
  readonly id: string;
  readonly question: string;
  readonly options: readonly Option[];
}

const text = z.string().min(1);
const options = z
  .array(z.strictObject({ text, correct: z.literal(true).optional(), why: text }))
  .min(3, 'expected 3 or 4 options')
  .max(4, 'expected 3 or 4 options')
  .refine(
    (all) => all.filter(({ correct }) => correct).length === 1,
    'expected exactly one with correct: true',
  );

export const quizSchema: z.ZodType<Question[]> = z
  .array(z.strictObject({ id: z.string().regex(/^[a-z0-9-]+$/), question: text, options }))
  .min(3, 'expected 3 to 6 questions')
  .max(6, 'expected 3 to 6 questions');

/** Notes on each quiz fence its questions: those that it names, or, for an empty one, all that no other names. */
export function quizParts(fences: readonly Token[], prefix: string | undefined, workshop: Workshop): void {
  const file = `chapters/quizzes/${prefix ?? 'NN'}.yaml`;
  const quiz = prefix === undefined ? undefined : partFile(file, quizSchema, workshop);
  const { problems, repository } = workshop;
  if (quiz === undefined) {
    if (prefix === undefined || repository.read(file) === undefined)
      for (const fence of fences) problems.add(note(fence, 'place'), `there is no ${file} for this quiz`);
    return;
  }
  const wanted = new Map(fences.map((fence) => [fence, idsIn(fence, workshop)]));
  const named = new Set([...wanted.values()].flat());
  const rest = quiz.data.map(({ id }) => id).filter((id) => !named.has(id));
  const shown = new Set<string>();
  for (const [fence, ids] of wanted) {
    const pieces = (ids ?? rest).flatMap((id) => {
      const index = quiz.data.findIndex((question) => question.id === id);
      if (index === -1) problems.add(note(fence, 'place'), `there is no question "${id}" in ${file}`);
      if (index === -1 || shown.has(id)) return [];
      shown.add(id);
      return questionPieces(quiz, index, shown.size, workshop);
    });
    setNote(fence, 'pieces', pieces);
  }
  quiz.data.forEach(({ id }, index) => {
    if (!shown.has(id))
      problems.add(quiz.placeOf(index), `no quiz fence of the chapter shows the question "${id}"`);
    if (quiz.data.findIndex((other) => other.id === id) !== index)
      problems.add(quiz.placeOf(index, 'id'), `there is a question "${id}" already`);
  });
}

function idsIn(fence: Token, { problems }: Workshop): readonly string[] | undefined {
  if (fence.content.trim() === '') return undefined;
  return fenceData(fence, z.array(z.string()), problems)?.data ?? [];
}

/** Radio buttons for those with scripts; the answers are folded below for everybody. */
function questionPieces(
  quiz: YamlData<readonly Question[]>,
  index: number,
  number: number,
  { md }: Workshop,
): readonly Piece[] {
  const { id, question, options: all } = quiz.data[index]!;
  const inline = (text: string, ...path: readonly (string | number)[]): Piece =>
    parseFragment(md, text, quiz.placeOf(index, ...path), true);
  const optionPieces = all.flatMap((option, i) => [
    `<label class="option"><input type="radio" name="quiz-${id}" value="${i}"${option.correct ? ' data-correct' : ''}> <span>`,
    inline(option.text, 'options', i, 'text'),
    '</span></label>\n',
  ]);
  const answers = all.flatMap((option, i) => [
    `<li${option.correct ? ' class="correct"' : ''}><p>`,
    inline(option.text, 'options', i, 'text'),
    `</p><p class="why">${option.correct ? 'Right. ' : 'Wrong. '}`,
    inline(option.why, 'options', i, 'why'),
    '</p></li>\n',
  ]);
  return [
    `<form class="quiz" id="quiz-${id}"><fieldset aria-describedby="quiz-${id}-question"><legend>Question ${number}</legend>\n`,
    `<div class="question" id="quiz-${id}-question">`,
    parseFragment(md, question, quiz.placeOf(index, 'question')),
    '</div>\n',
    ...optionPieces,
    '</fieldset><p class="verdict" role="status"></p>\n',
    '<details class="answers"><summary>Answers</summary><ol>\n',
    ...answers,
    '</ol></details></form>\n',
  ];
}
