/** Requests that demos draw: those of the training split, by number. */
import type { DiagramTask } from '../../envs/index.js';
import { generateTask } from '../../envs/diagram/tasks/index.js';

/** @param number from 1 */
export function exampleTask(number: number): DiagramTask {
  return generateTask({ seed: 7, split: 'train', index: number - 1, profile: 'curriculum' });
}

/** A request as it is shown: a sentence in quotation marks. */
export function requestOf({ requests }: DiagramTask): string {
  return `“${requests.join(' ')}”`;
}
