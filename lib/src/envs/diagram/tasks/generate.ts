/** The task at an address: a pure function of `(seed, split, index, profile)`. */
import { randomStream } from '../../../tensor/random.js';
import type { DiagramTask } from '../types.js';
import { drawCurriculumTask } from './curriculum-task.js';
import { drawFullTask, pickKind } from './full-task.js';
import { curriculumSplits, splitSizes, type GeneratedSplit, type Profile, type Split } from './splits.js';

export interface TaskAddress {
  /** The data set; a non-negative integer. Whatever the seeds, splits that must differ share no labelled graph. */
  readonly seed: number;
  readonly split: Split;
  /** Which task of the split, from 0; there is no last one. */
  readonly index: number;
  readonly profile?: Profile;
}

/** More draws than any address needs; reaching it means the split is too narrow for its buckets. */
const MAX_ATTEMPTS = 2_000;

/**
 * Generates one task. Draws are repeated until the graph belongs to the split (see `admission.ts`), so example `i` can be
 * made alone and shards need no order.
 * @param address `profile` defaults to `full`
 * @throws RangeError for a split that the profile does not have
 */
export function generateTask({ seed, split, index, profile = 'full' }: TaskAddress): DiagramTask {
  const generated = requireSplit(split, profile);
  const id = `${profile}-${split}-${seed}-${index}`;
  const purpose = `task/${profile}/${split}`;
  const kind = pickKind(generated, randomStream(seed, `${purpose}/kind`, 0, index));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const random = randomStream(seed, purpose, attempt, index);
    const task =
      profile === 'curriculum'
        ? drawCurriculumTask(id, generated, random)
        : drawFullTask(id, generated, kind, random);
    if (task) return task;
  }
  throw new Error(
    `no ${profile} task for split ${split}, seed ${seed}, index ${index} in ${MAX_ATTEMPTS} attempts`,
  );
}

function requireSplit(split: Split, profile: Profile): GeneratedSplit {
  if (split === 'real') throw new RangeError('the split "real" is not generated: use realTasks()');
  if (!Object.hasOwn(splitSizes, split))
    throw new RangeError(
      `unknown split "${String(split)}": use one of ${Object.keys(splitSizes).join(', ')}`,
    );
  if (profile !== 'full' && profile !== 'curriculum')
    throw new RangeError(`unknown profile "${String(profile)}": use full or curriculum`);
  if (profile === 'curriculum' && !curriculumSplits.includes(split))
    throw new RangeError(
      `the curriculum profile has no split "${split}": use ${curriculumSplits.join(', ')}, or the full profile`,
    );
  return split;
}
