/** One attempt at a diagram task, reply by reply. */
import type { Episode, StepResult, StopReason } from '../types.js';
import { actionTypes, drawActionTypes } from './actions.js';
import { applyActions, emptyCanvas, emptyLog, recordParseError } from './canvas.js';
import { lint } from './lint.js';
import { observe } from './observation.js';
import { parseActions } from './parse.js';
import type { ActionLog, Canvas, DiagramTask, Problem, Score, Scorer } from './types.js';

/** What a second look costs in `draw-review`, so that a policy looks again only when it helps. */
export const REVIEW_COST = 0.01;

/** Replies an episode allows. In `build-up` every message of the user gets one. */
export function stepLimit({ kind, requests }: DiagramTask): number {
  switch (kind) {
    case 'draw':
      return 1;
    case 'edit':
      return 2;
    case 'draw-review':
    case 'repair':
      return 3;
    case 'build-up':
      return requests.length;
  }
}

/**
 * The reward is the outcome's, paid with the last reply: a bonus on the way could be farmed by breaking and mending.
 * The episode ends with `finish`, at the step limit (the canvas is judged as it is), or with a reply that cannot be read.
 */
export class DiagramEpisode implements Episode {
  #canvas: Canvas;
  #log: ActionLog = emptyLog;
  #steps = 0;
  #done = false;

  constructor(
    private readonly task: DiagramTask,
    private readonly scorer: Scorer,
    private readonly limit: number,
  ) {
    this.#canvas = task.initial ?? emptyCanvas(task.rules);
  }

  get canvas(): Canvas {
    return this.#canvas;
  }

  get log(): ActionLog {
    return this.#log;
  }

  initialObservation(): string {
    const { rules, graph, initial } = this.task;
    return observe({
      rules,
      ...(graph.direction ? { direction: graph.direction } : {}),
      ...(initial ? { canvas: initial, problems: lint(initial, rules) } : {}),
      ...(this.limit > 1 ? { stepsLeft: this.limit } : {}),
      request: this.request(),
    });
  }

  step(reply: string): StepResult {
    if (this.#done) {
      throw new Error(`Episode of task ${this.task.id} is over; start a new one with env.start(task).`);
    }
    this.#steps++;
    const parsed = parseActions(reply, this.task.kind === 'draw' ? drawActionTypes : actionTypes);
    if (!parsed.ok) {
      this.#log = recordParseError(this.#log, parsed.problem);
      return this.end('parse_error');
    }
    const before = this.#log.errors.length;
    const { canvas, log, finished } = applyActions(this.#canvas, parsed.actions, this.#log);
    this.#canvas = canvas;
    this.#log = log;
    if (finished || this.#steps >= this.limit) return this.end(this.stopReason(finished));
    return {
      reward: 0,
      episodeDone: false,
      nextObservation: this.nextObservation(log.errors.slice(before)),
      metrics: this.counts(),
    };
  }

  /** The message the next reply answers. */
  private request(): string {
    const { requests } = this.task;
    return requests[Math.min(this.#steps, requests.length - 1)] ?? '';
  }

  private nextObservation(errors: readonly Problem[]): string {
    return observe({
      canvas: this.#canvas,
      problems: [...errors, ...lint(this.#canvas, this.task.rules)],
      stepsLeft: this.limit - this.#steps,
      request: this.request(),
    });
  }

  /** Running out of steps cuts an episode short only where the policy was expected to say when it is done. */
  private stopReason(finished: boolean): StopReason {
    const answersAll = this.task.kind === 'draw' || this.task.kind === 'build-up';
    return finished || (answersAll && this.#steps >= stepLimit(this.task)) ? 'completed' : 'max_turns';
  }

  private end(stopReason: StopReason): StepResult {
    this.#done = true;
    const { reward, success, terms } = this.judge();
    const review = this.task.kind === 'draw-review' ? REVIEW_COST * (this.#steps - 1) : 0;
    return {
      reward: Math.max(0, reward - review),
      episodeDone: true,
      nextObservation: null,
      stopReason,
      metrics: {
        ...this.counts(),
        success: Number(success),
        ...Object.fromEntries(Object.entries(terms).map(([name, { value }]) => [`terms/${name}`, value])),
      },
    };
  }

  private judge(): Score {
    const score = this.scorer(this.task, this.#canvas, this.#log);
    const values = [score.reward, ...Object.values(score.terms).map(({ value }) => value)];
    if (values.every((value) => value >= 0 && value <= 1)) return score;
    throw new Error(
      `The scorer gave task ${this.task.id} a value outside [0, 1] (reward ${score.reward}); ` +
        'a reward that can leave its range must not reach a trainer. Fix the scorer.',
    );
  }

  private counts(): Record<string, number> {
    const { parsed, actions, valid, errors } = this.#log;
    return { steps: this.#steps, parsed: Number(parsed), actions, valid, errors: errors.length };
  }
}
