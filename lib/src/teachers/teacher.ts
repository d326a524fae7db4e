import type { Task } from '../envs/types.js';

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

/** Someone who shows how it is done: a script, or a larger model behind an API. */
export interface Teacher<T extends Task = Task> {
  /** Recorded with every answer. */
  readonly name: string;
  /** Changes whenever the same question may get another answer: script version, model id, prompt version. */
  readonly version: string;
  /** The reply to an observation, as text, exactly as the student should write it. */
  answer(task: T, observation: string, context: TeacherContext): Promise<string>;
}
