/** The episodes that clients play, with their limits. Nothing here knows how a client is connected. */
import type { Episode, StepResult } from '../envs/index.js';
import type { RawAction, ResetRequest, RewardRequest, State, StepReply } from './protocol.js';
import { RequestError } from './request-error.js';
import type { ServedTask, World } from './worlds.js';

/** One thing that happened; all of them in their order make the episodes again. */
export type Entry =
  | { readonly reset: string; readonly task_id: string }
  | ({ readonly step: string } & Said)
  | { readonly close: string };

/** Keeps entries. An entry whose `write` throws has not happened. */
export interface Journal {
  write(entry: Entry): void;
  close(): void;
}

/** A reply of the policy, and the name of the request that brought it. */
interface Said {
  readonly text: string;
  readonly request_id?: string;
}

/** One episode under way, or over and not yet forgotten. */
interface Session {
  readonly id: string;
  readonly served: ServedTask;
  readonly episode: Episode;
  readonly said: Said[];
  last: StepReply;
  totalReward: number;
  usedAt: number;
}

export interface EpisodeLimits {
  /** Episodes at once; default 4096, some megabytes. Those that are over make room first. */
  readonly maxConcurrentEnvs?: number;
  /** Seconds after which an episode that nobody asks for is forgotten; default 3600: longer than any trainer's step. */
  readonly sessionTimeout?: number;
}

/** All episodes of one world on one server. */
export class Episodes {
  readonly #sessions = new Map<string, Session>();
  readonly #limits: Required<EpisodeLimits>;
  #journal: Journal | undefined;
  #dealt = 0;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(
    readonly world: World,
    private readonly now: () => number,
    private readonly newId: () => string,
    { maxConcurrentEnvs = 4096, sessionTimeout = 3600 }: EpisodeLimits = {},
  ) {
    this.#limits = { maxConcurrentEnvs, sessionTimeout };
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Plays what a journal has. Steps that the world refused then are refused again. */
  replay(entries: Iterable<Entry>): void {
    for (const entry of entries) {
      if ('close' in entry) this.#sessions.delete(entry.close);
      else if ('reset' in entry) this.#begin(entry.reset, this.#taskOf(entry.task_id));
      else {
        const session = this.#sessions.get(entry.step);
        if (session !== undefined) this.#play(session, entry);
      }
    }
  }

  /** From now on everything is written down before it happens. */
  keep(journal: Journal): void {
    this.#journal = journal;
  }

  /** What a journal must have to make the present episodes. */
  *entries(): Iterable<Entry> {
    for (const { id, served, said } of this.#sessions.values()) {
      yield { reset: id, task_id: served.task.id };
      for (const reply of said) yield { step: id, ...reply };
    }
  }

  /** Begins an episode. One of the same name that is under way is given up. */
  reset(request: ResetRequest): StepReply {
    const served = this.#choose(request);
    const id = request.episode_id ?? this.newId();
    if (!this.#sessions.has(id)) this.#makeRoom();
    this.#journal?.write({ reset: id, task_id: served.task.id });
    return this.#begin(id, served).last;
  }

  /** Takes one action; the same request twice is taken once. Without a name it goes to the only episode under way. */
  step(name: string | undefined, action: RawAction, requestId?: string): StepReply {
    const session = this.#find(name);
    if (requestId !== undefined && requestId === session.said.at(-1)?.request_id) return session.last;
    if (session.last.done)
      throw new RequestError(409, 'SESSION_ERROR', `episode ${session.id} is over; reset it for another`);
    const text = this.world.replyOf(action);
    if (text === undefined)
      throw new RequestError(
        422,
        'VALIDATION_ERROR',
        'action: expected { "text": "…" }, or what GET /schema says',
      );
    const said: Said = { text, ...(requestId !== undefined && { request_id: requestId }) };
    this.#journal?.write({ step: session.id, ...said });
    const problem = this.#play(session, said);
    if (problem !== undefined) throw problem;
    return session.last;
  }

  state(name?: string): State {
    const { id, served, said, last, totalReward } = this.#find(name);
    const { task } = served;
    const counts = { step_count: said.length, done: last.done, total_reward: totalReward };
    return { episode_id: id, task_id: task.id, split: task.split, ...counts };
  }

  close(id: string): boolean {
    if (!this.#sessions.has(id)) return false;
    this.#journal?.write({ close: id });
    return this.#sessions.delete(id);
  }

  has(id: string): boolean {
    return this.#sessions.has(id);
  }

  /** Forgets what nobody has asked for in a long time. */
  sweep(): void {
    const oldest = this.now() - 1000 * this.#limits.sessionTimeout;
    for (const { id, usedAt } of [...this.#sessions.values()]) if (usedAt < oldest) this.close(id);
  }

  /** The reward of each completion as the first reply to its task; `null` where one reply does not end the episode. */
  rewards({ task_ids: ids, completions }: RewardRequest): {
    rewards: (number | null)[];
    metrics: Readonly<Record<string, number>>[];
  } {
    if (ids.length !== completions.length)
      throw new RequestError(
        422,
        'VALIDATION_ERROR',
        `${ids.length} task_ids, but ${completions.length} completions`,
      );
    const results = ids.map((id, n) => this.#taskOf(id).start().step(completions[n]!));
    return {
      rewards: results.map(({ episodeDone, reward }) => (episodeDone ? reward : null)),
      metrics: results.map(({ metrics }) => metrics),
    };
  }

  /** A task with what the policy is shown first. */
  task(split: string, index: number): { task_id: string; split: string; text: string } {
    const size = this.#sizeOf(split);
    if (!(Number.isInteger(index) && index >= 0 && index < size))
      throw new RequestError(
        422,
        'VALIDATION_ERROR',
        `index: ${split} has tasks 0 to ${size - 1}, not ${index}`,
      );
    const served = this.world.taskAt(split, index);
    return { task_id: served.task.id, split, text: served.start().initialObservation() };
  }

  #choose({ task_id: id, split, seed }: ResetRequest): ServedTask {
    if (id != null) return this.#taskOf(id);
    const chosen = split ?? Object.keys(this.world.splits)[0]!;
    const size = this.#sizeOf(chosen);
    return this.world.taskAt(chosen, (seed ?? this.#dealt++) % size);
  }

  #sizeOf(split: string): number {
    const { splits, name } = this.world;
    if (Object.hasOwn(splits, split)) return splits[split]!;
    throw new RequestError(
      422,
      'VALIDATION_ERROR',
      `split: ${name} has ${Object.keys(splits).join(', ')}, not "${split}"`,
    );
  }

  #taskOf(id: string): ServedTask {
    const served = this.world.taskOf(id);
    if (served !== undefined) return served;
    throw new RequestError(
      422,
      'VALIDATION_ERROR',
      `task_id: ${this.world.name} as it is served has no task "${id}"`,
    );
  }

  #find(name: string | undefined): Session {
    const session = name === undefined ? this.#only() : this.#sessions.get(name);
    if (session === undefined)
      throw new RequestError(404, 'SESSION_ERROR', `there is no episode "${name}"; reset one`);
    session.usedAt = this.now();
    return session;
  }

  #only(): Session {
    const [session, another] = [...this.#sessions.values()].filter(({ last }) => !last.done);
    if (session === undefined)
      throw new RequestError(409, 'SESSION_ERROR', 'no episode is under way; reset one');
    if (another === undefined) return session;
    throw new RequestError(
      409,
      'SESSION_ERROR',
      'several episodes are under way; say which by episode_id (reset answers it)',
    );
  }

  /** Forgets the episode that has been over for the longest time, if there is no other room. */
  #makeRoom(): void {
    const { maxConcurrentEnvs } = this.#limits;
    if (this.#sessions.size < maxConcurrentEnvs) return;
    const over = [...this.#sessions.values()].find(({ last }) => last.done);
    if (over === undefined)
      throw new RequestError(
        503,
        'CAPACITY_REACHED',
        `all ${maxConcurrentEnvs} episodes are under way; close some, or try later`,
      );
    this.close(over.id);
  }

  #begin(id: string, served: ServedTask): Session {
    const episode = served.start();
    const { task } = served;
    const session: Session = {
      id,
      served,
      episode,
      said: [],
      last: {
        observation: { text: episode.initialObservation(), metrics: {} },
        reward: null,
        done: false,
        metadata: { episode_id: id, task_id: task.id, split: task.split },
      },
      totalReward: 0,
      usedAt: this.now(),
    };
    // a name that was used before moves to the end: the map is in the order of beginnings
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** Lets the world judge one reply. A world that fails has ended the episode; the problem is returned. */
  #play(session: Session, said: Said): RequestError | undefined {
    let result: StepResult;
    try {
      result = session.episode.step(said.text);
    } catch (error) {
      this.close(session.id);
      return new RequestError(
        500,
        'EXECUTION_ERROR',
        `the world failed, the episode is given up: ${(error as Error).message}`,
      );
    }
    session.said.push(said);
    session.totalReward += result.reward;
    session.last = replyOf(result, session.last);
    return undefined;
  }
}

function replyOf(
  { reward, episodeDone, nextObservation, metrics, stopReason }: StepResult,
  last: StepReply,
): StepReply {
  const ending = stopReason === undefined ? {} : { stop_reason: stopReason };
  return {
    observation: { text: nextObservation ?? '', metrics, ...ending },
    reward,
    done: episodeDone,
    metadata: last.metadata,
  };
}
