import type { Environment, Task } from '../envs/types.js';
import { eventLoopTurn } from '../event-loop.js';
import { UnansweredError } from '../remote/errors.js';
import { hashText, uniform } from '../tensor/random.js';
import { fingerprint } from '../remote/fingerprint.js';
import { recordKey, type TrajectoryRecord } from './records.js';
import type { Teacher, TeacherAnswer } from './teacher.js';

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
  /** Questions that got no answer; they are in no file, so that the next collection asks them again. */
  readonly unanswered: number;
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
  /** Episodes under way at a time; default 1. More only helps where a teacher has to be waited for. */
  readonly concurrency?: number;
  /** Answers that exist already and are skipped. */
  readonly done?: readonly TrajectoryRecord[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CollectProgress) => void;
}

/** Answers between two visits to the event loop: a script never waits, and Ctrl-C must still be heard. */
const answersPerBreath = 16;

/** One question without an answer is bad luck; so many in a row are a service that is down. */
const mostUnanswered = 3;

/** An answer that has to be got. */
interface Question<T extends Task> {
  readonly task: T;
  readonly sample: number;
  readonly choice: TeacherShare<T>;
}

/** How the episode of a question ended. */
type Outcome = { readonly record: TrajectoryRecord } | { readonly error: unknown };

/**
 * Lets teachers act in an environment and yields every episode, kept or rejected, as soon as it is finished: in task order while
 * `concurrency` is 1. Which teacher answers depends on the seed, the task and the sample only, so an interrupted collection goes on
 * identically.
 *
 * Throws when the options are unusable, when `done` was collected with another seed, teacher or prompt, when the signal
 * is aborted (its reason), and whatever a teacher throws; other episodes under way are finished and yielded first. A single
 * `UnansweredError` is only counted, three in a row are thrown.
 */
export async function* collect<T extends Task>(options: CollectOptions<T>): AsyncGenerator<TrajectoryRecord> {
  const { env, tasks, numGenerations = 1, concurrency = 1, done = [], signal, onProgress } = options;
  requireUsable(options);
  const existing = new Map(done.map((record) => [recordKey(record), record]));
  const total = tasks.length * numGenerations;
  const running = new Map<Question<T>, Promise<Outcome>>();
  let [asked, finished, kept, unanswered, inARow] = [0, 0, 0, 0, 0];
  let failure: { readonly error: unknown } | undefined;

  const count = (record: TrajectoryRecord): void => {
    finished++;
    if (record.rejection === null) kept++;
  };
  const tell = (): void => onProgress?.({ finished, total, kept, unanswered });
  /** The records of whatever finishes next. */
  async function* next(): AsyncGenerator<TrajectoryRecord> {
    const [question, outcome] = await Promise.race(
      [...running].map(async ([question, outcome]) => [question, await outcome] as const),
    );
    running.delete(question);
    if ('record' in outcome) {
      inARow = 0;
      count(outcome.record);
      yield outcome.record;
    } else if (outcome.error instanceof UnansweredError && inARow + 1 < mostUnanswered) {
      inARow++;
      unanswered++;
    } else failure ??= outcome;
    tell();
  }

  for (const question of questions(options)) {
    signal?.throwIfAborted();
    const known = existing.get(recordKey({ taskId: question.task.id, sample: question.sample }));
    if (known !== undefined) {
      const { task, choice } = question;
      requireSameOrigin(known, choice.teacher, options.seed ?? 0, env.start(task).initialObservation());
      count(known);
      tell();
      continue;
    }
    running.set(question, outcomeOf(question, options));
    if (running.size >= concurrency) yield* next();
    if (failure !== undefined) break;
    if (++asked % answersPerBreath === 0) await eventLoopTurn();
  }
  while (running.size > 0) yield* next();
  if (failure !== undefined) throw failure.error;
}

function* questions<T extends Task>({
  teachers,
  tasks,
  numGenerations = 1,
  seed = 0,
}: CollectOptions<T>): Generator<Question<T>> {
  for (const task of tasks) {
    for (let sample = 0; sample < numGenerations; sample++) {
      yield { task, sample, choice: pickTeacher(teachers, seed, task, sample) };
    }
  }
}

async function outcomeOf<T extends Task>(
  question: Question<T>,
  options: CollectOptions<T>,
): Promise<Outcome> {
  try {
    return { record: await runEpisode(question, options) };
  } catch (error) {
    return { error };
  }
}

async function runEpisode<T extends Task>(
  { task, sample, choice: { teacher, keep = 'success' } }: Question<T>,
  { env, seed = 0, signal }: CollectOptions<T>,
): Promise<TrajectoryRecord> {
  const episode = env.start(task);
  const turns: TrajectoryRecord['turns'][number][] = [];
  let reward = 0;
  let refusal: string | undefined;
  for (let observation: string | null = episode.initialObservation(); observation !== null;) {
    const context = { history: [...turns], sample, ...(signal === undefined ? {} : { signal }) };
    const { completion, rejection, call } = asAnswer(await teacher.answer(task, observation, context));
    const result = episode.step(completion);
    turns.push({ observation, completion, ...(call === undefined ? {} : { call }) });
    reward += result.reward;
    refusal ??= rejection;
    observation = result.nextObservation;
    if (!result.episodeDone) continue;
    const success = result.metrics['success'] === 1;
    return {
      teacher: { name: teacher.name, version: teacher.version },
      taskId: task.id,
      split: task.split,
      sample,
      seed,
      promptHash: fingerprint(turns[0]!.observation),
      turns,
      reward,
      metrics: result.metrics,
      success,
      rejection: refusal ?? reasonToReject(keep, reward, success),
    };
  }
  throw new Error(
    `environment "${env.name}" gave no next observation although task "${task.id}" is not done`,
  );
}

function asAnswer(answer: string | TeacherAnswer): TeacherAnswer {
  return typeof answer === 'string' ? { completion: answer } : answer;
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
    ['prompt hash', record.promptHash, fingerprint(prompt)],
  ];
  const changed = facts.find(([, then, now]) => then !== now);
  if (changed === undefined) return;
  const [what, then, now] = changed;
  throw new Error(
    `the answer to task "${record.taskId}" was collected with ${what} "${then}", now it is "${now}"; ` +
      'remove the file and collect again, or go on with the old settings',
  );
}

function requireUsable<T extends Task>({
  teachers,
  tasks,
  numGenerations = 1,
  concurrency = 1,
}: CollectOptions<T>): void {
  for (const [name, value] of Object.entries({ numGenerations, concurrency })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`${name} must be a positive integer, got ${value}`);
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
