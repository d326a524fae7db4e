import type { Environment, Task } from '../envs/types.js';
import { eventLoopTurn } from '../event-loop.js';
import { hashText, uniform } from '../tensor/random.js';
import { recordKey, type TrajectoryRecord } from './records.js';
import type { Exchange, Teacher } from './teacher.js';

/** What makes an answer worth learning from: a success, a least reward, or anything the teacher says. */
export type Keep = 'success' | 'all' | { readonly reward: number };

/** A teacher and its part in a mixture. */
export interface TeacherShare<T extends Task = Task> {
  readonly teacher: Teacher<T>;
  /** Relative to the other shares; default 1. */
  readonly share?: number;
  /** Default `success`. */
  readonly keep?: Keep;
}

export interface CollectProgress {
  /** Answers finished, those found by `done` included. */
  readonly finished: number;
  readonly total: number;
  readonly kept: number;
}

export interface CollectOptions<T extends Task = Task> {
  readonly env: Environment<T>;
  /** Each answer is given by one of them, drawn by its share. */
  readonly teachers: readonly TeacherShare<T>[];
  readonly tasks: readonly T[];
  /** Answers per task; default 1. */
  readonly numGenerations?: number;
  /** Decides which teacher gives which answer; default 0. */
  readonly seed?: number;
  /** Answers that exist already and are skipped. */
  readonly done?: readonly TrajectoryRecord[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CollectProgress) => void;
}

/** Answers between two visits to the event loop: a script never waits, and Ctrl-C must still be heard. */
const answersPerBreath = 16;

/**
 * Lets teachers act in an environment and yields every episode, kept or rejected, in task order.
 * Which teacher answers depends on the seed, the task and the sample only, so an interrupted collection goes on identically.
 *
 * Throws when the options are unusable, when `done` was collected with another seed, teacher or prompt, when the signal
 * is aborted (its reason), and whatever a teacher throws.
 */
export async function* collect<T extends Task>(options: CollectOptions<T>): AsyncGenerator<TrajectoryRecord> {
  const { env, tasks, numGenerations = 1, seed = 0, done = [], signal, onProgress } = options;
  requireUsable(options);
  const existing = new Map(done.map((record) => [recordKey(record), record]));
  const total = tasks.length * numGenerations;
  let finished = 0;
  let kept = 0;
  for (const task of tasks) {
    for (let sample = 0; sample < numGenerations; sample++) {
      signal?.throwIfAborted();
      const choice = pickTeacher(options.teachers, seed, task, sample);
      const known = existing.get(recordKey({ taskId: task.id, sample }));
      if (known !== undefined)
        requireSameOrigin(known, choice.teacher, seed, env.start(task).initialObservation());
      const record = known ?? (await runEpisode(env, task, choice, sample, seed, signal));
      finished++;
      if (record.rejection === null) kept++;
      if (known === undefined) yield record;
      onProgress?.({ finished, total, kept });
      if (known === undefined && finished % answersPerBreath === 0) {
        await eventLoopTurn();
      }
    }
  }
}

async function runEpisode<T extends Task>(
  env: Environment<T>,
  task: T,
  { teacher, keep = 'success' }: TeacherShare<T>,
  sample: number,
  seed: number,
  signal: AbortSignal | undefined,
): Promise<TrajectoryRecord> {
  const episode = env.start(task);
  const turns: Exchange[] = [];
  let reward = 0;
  for (let observation: string | null = episode.initialObservation(); observation !== null;) {
    const context = { history: [...turns], sample, ...(signal === undefined ? {} : { signal }) };
    const completion = await teacher.answer(task, observation, context);
    const result = episode.step(completion);
    turns.push({ observation, completion });
    reward += result.reward;
    observation = result.nextObservation;
    if (!result.episodeDone) continue;
    const success = result.metrics['success'] === 1;
    return {
      teacher: { name: teacher.name, version: teacher.version },
      taskId: task.id,
      split: task.split,
      sample,
      seed,
      promptHash: promptHash(turns[0]!.observation),
      turns,
      reward,
      metrics: result.metrics,
      success,
      rejection: reasonToReject(keep, reward, success),
    };
  }
  throw new Error(
    `environment "${env.name}" gave no next observation although task "${task.id}" is not done`,
  );
}

function reasonToReject(keep: Keep, reward: number, success: boolean): string | null {
  if (keep === 'all') return null;
  if (keep === 'success') return success ? null : 'not a success';
  return reward >= keep.reward ? null : `reward ${reward.toFixed(3)} below ${keep.reward}`;
}

function pickTeacher<T extends Task>(
  teachers: readonly TeacherShare<T>[],
  seed: number,
  task: T,
  sample: number,
): TeacherShare<T> {
  const total = teachers.reduce((sum, { share = 1 }) => sum + share, 0);
  let left = uniform(seed, 'collect', hashText(task.id), sample) * total;
  return teachers.find(({ share = 1 }) => (left -= share) < 0) ?? teachers.at(-1)!;
}

function promptHash(observation: string): string {
  return hashText(observation).toString(16).padStart(8, '0');
}

/** An answer that exists may be used again only if it would be asked for again in the same way. */
function requireSameOrigin(
  record: TrajectoryRecord,
  teacher: Teacher<never>,
  seed: number,
  prompt: string,
): void {
  const facts: readonly [what: string, then: string, now: string][] = [
    ['seed', String(record.seed), String(seed)],
    ['teacher', `${record.teacher.name} ${record.teacher.version}`, `${teacher.name} ${teacher.version}`],
    ['prompt hash', record.promptHash, promptHash(prompt)],
  ];
  const changed = facts.find(([, then, now]) => then !== now);
  if (changed === undefined) return;
  const [what, then, now] = changed;
  throw new Error(
    `the answer to task "${record.taskId}" was collected with ${what} "${then}", now it is "${now}"; ` +
      'remove the file and collect again, or go on with the old settings',
  );
}

function requireUsable<T extends Task>({ teachers, tasks, numGenerations = 1 }: CollectOptions<T>): void {
  if (!Number.isSafeInteger(numGenerations) || numGenerations < 1) {
    throw new RangeError(`numGenerations must be a positive integer, got ${numGenerations}`);
  }
  if (teachers.length === 0) throw new RangeError('collect needs at least one teacher');
  for (const { teacher, share = 1 } of teachers) {
    if (!(share >= 0 && share < Infinity)) {
      throw new RangeError(`the share of teacher "${teacher.name}" must be a number ≥ 0, got ${share}`);
    }
  }
  if (!teachers.some(({ share = 1 }) => share > 0))
    throw new RangeError('at least one teacher needs a share above 0');
  const ids = new Set<string>();
  for (const { id } of tasks) {
    if (ids.has(id)) throw new Error(`two tasks have the id "${id}"; ids must be unique within a collection`);
    ids.add(id);
  }
}
