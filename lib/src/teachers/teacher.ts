import type { Task } from '../envs/types.js';
import type { Constraint, Usage } from '../remote/types.js';
import type { Wrapping } from '../remote/unwrap.js';

/** One turn of an episode: what the environment said and what the teacher answered. */
export interface Exchange {
  readonly observation: string;
  readonly completion: string;
}

/** What a teacher may know besides the task and the newest observation. */
export interface TeacherContext {
  /** The earlier turns of this episode, oldest first. */
  readonly history: readonly Exchange[];
  /** Which of several answers to the same task this is, from 0; different samples should differ. */
  readonly sample: number;
  readonly signal?: AbortSignal;
}

/** How a reply was got from a model behind an API: recorded with every turn. */
export interface ModelCall {
  readonly service: string;
  /** As configured. */
  readonly model: string;
  /** As the service said that it answered. */
  readonly modelVersion: string;
  /** Of everything the model was shown, instructions included. */
  readonly promptHash: string;
  /** Of the schema that it was sent. */
  readonly schemaHash: string;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly constraint: Constraint;
  /** What had to be taken off the reply. */
  readonly wrappings: readonly Wrapping[];
  readonly finishReason: string;
  readonly attempts: number;
  readonly usage: Usage;
}

/** A reply, and what is known of its making. */
export interface TeacherAnswer {
  readonly completion: string;
  /** Why it must not be learned from, whatever it is worth: blocked, cut short. */
  readonly rejection?: string;
  readonly call?: ModelCall;
}

/** Someone who shows how it is done: a script, or a larger model behind an API. */
export interface Teacher<T extends Task = Task> {
  /** Recorded with every answer. */
  readonly name: string;
  /** Changes whenever the same question may get another answer: script version, model id, prompt version. */
  readonly version: string;
  /**
   * The reply to an observation, exactly as the student should write it.
   * @throws UnansweredError when there is none this time; the question may be asked again later.
   */
  answer(task: T, observation: string, context: TeacherContext): Promise<string | TeacherAnswer>;
}
