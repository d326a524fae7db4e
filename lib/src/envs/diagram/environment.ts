/** The diagram world: starts episodes and hands each canvas to a scorer that it was given. */
import type { Environment } from '../types.js';
import { DiagramEpisode, stepLimit } from './episode.js';
import type { DiagramTask, Scorer } from './types.js';

export interface DiagramEnvironmentOptions {
  /** Judges the final canvas. Given from outside, so that a world and its reward can be changed apart. */
  readonly scorer: Scorer;
  /** Lowers the number of replies an episode allows; the kind of the task sets the default. */
  readonly maxSteps?: number;
}

/** An environment whose episodes also let a program look at the canvas and the action log. */
export interface DiagramEnvironment extends Environment<DiagramTask> {
  start(task: DiagramTask): DiagramEpisode;
}

/**
 * Makes the diagram environment. No clock and no random source: the same replies give the same episode.
 *
 * @throws when `maxSteps` is not a positive integer; `start` throws on a task without a request or, for `edit` and
 * `repair`, without a starting canvas.
 */
export function diagramEnvironment({ scorer, maxSteps }: DiagramEnvironmentOptions): DiagramEnvironment {
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps > 0)) {
    throw new Error(`maxSteps must be a positive integer, got ${maxSteps}.`);
  }
  return {
    name: 'diagram',
    start(task) {
      checkTask(task);
      return new DiagramEpisode(task, scorer, Math.min(stepLimit(task), maxSteps ?? Infinity));
    },
  };
}

function checkTask({ id, kind, requests, initial }: DiagramTask): void {
  if (requests.length === 0) throw new Error(`Task ${id} has no request; give it at least one message.`);
  if ((kind === 'edit' || kind === 'repair') && !initial) {
    throw new Error(`Task ${id} is of kind ${kind} and needs an initial canvas.`);
  }
}
