/** A teacher that errs at a known rate and in known ways: what filters and students make of errors can be measured. */
import { parseActions } from '../envs/diagram/parse.js';
import type { DiagramTask } from '../envs/diagram/types.js';
import type { Attack } from '../rewards/index.js';
import { hashText, randomStream } from '../tensor/random.js';
import { isAction } from './reply-format.js';
import type { Teacher } from './teacher.js';

export interface NoisyTeacherOptions {
  /** Share of answers with a mistake, in [0, 1]. */
  readonly rate: number;
  /** What can go wrong, by name; each as likely as the others. At least one. */
  readonly mistakes: Readonly<Record<string, Attack>>;
  /** Decides which answers are spoilt, and how. Default 0. */
  readonly seed?: number;
}

/**
 * The teacher, with some of its answers spoilt: which ones depends on the seed, the task and the sample only.
 * Answers that are no list of actions are passed on as they are.
 *
 * @throws RangeError when the rate is not in [0, 1] or there is no mistake to make.
 */
export function noisyTeacher(
  teacher: Teacher<DiagramTask>,
  { rate, mistakes, seed = 0 }: NoisyTeacherOptions,
): Teacher<DiagramTask> {
  const names = Object.keys(mistakes);
  if (!(rate >= 0 && rate <= 1)) throw new RangeError(`rate must be a share from 0 to 1, got ${rate}`);
  if (names.length === 0) throw new RangeError('noisyTeacher needs at least one mistake');
  return {
    name: `noisy-${teacher.name}`,
    version: `${teacher.version} rate=${rate} mistakes=${names.join(',')} seed=${seed}`,
    answer: async (task, observation, context) => {
      const answer = await teacher.answer(task, observation, context);
      const random = randomStream(seed, 'noisy teacher', hashText(task.id), context.sample);
      if (random.uniform() >= rate) return answer;
      const given = typeof answer === 'string' ? { completion: answer } : answer;
      const parsed = parseActions(given.completion);
      if (!parsed.ok) return answer;
      return { ...given, completion: mistakes[random.pick(names)]!(task, parsed.actions.filter(isAction)) };
    },
  };
}
