import { readFileSync } from 'node:fs';
import { writeFileAtomic } from '../../files.node.js';
import { readTrajectories } from '../../teachers/collect.node.js';
import { markFinished, type RunFolder } from './run-folder.node.js';

/**
 * Checks that a run can learn from a file that `posttrain collect` has written.
 * @throws Error for a file that is not whole, has no answer worth learning from, or answers tasks that are for evaluation.
 */
export function requireTrajectories(path: string): void {
  const records = readTrajectories(path);
  const foreign = records.find(({ split }) => split !== 'train');
  if (foreign !== undefined)
    throw new Error(
      `${path} answers task "${foreign.taskId}" of the split "${foreign.split}"; only training tasks may be learned from`,
    );
  if (records.every(({ rejection }) => rejection !== null))
    throw new Error(
      `none of the ${records.length} answers in ${path} was kept; collect again, with another teacher or --keep`,
    );
}

/** Puts them in the place of what the run's own teacher would have drawn: the run begins with SFT. */
export function adoptTrajectories(folder: RunFolder, path: string): void {
  writeFileAtomic(folder.trajectories, readFileSync(path));
  markFinished(folder, 'teacher', { seconds: 0, peakMemory: 0 });
}
