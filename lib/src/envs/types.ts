/**
 * The nouns every environment shares (Gymnasium / OpenEnv / Tinker words).
 *
 * `Task ──env.start──▶ Episode ──observation──▶ policy ──action──▶ Episode.step ──▶ StepResult`
 */

/** One problem to solve: what is asked, and whatever the environment needs to judge the answer. */
export interface Task {
  /** Unique within its data set; appears in logs, completions and reports. */
  readonly id: string;
  /** Which evaluation split the task belongs to, e.g. `train`, `id`, `ood-size`. */
  readonly split: string;
}

/** Why an episode ended (Tinker's closed list). Only `completed` and `parse_error` are terminations; the rest truncate. */
export type StopReason =
  'completed' | 'max_turns' | 'max_tokens' | 'context_overflow' | 'parse_error' | 'rollout_timeout';

/** What the environment says after one action. */
export interface StepResult {
  /** Reward of this step; episodes with an outcome reward give 0 until the last step. */
  readonly reward: number;
  /**
   * Rules the action broke, judged on the state it was taken in; an action that cannot be read breaks none. Apart from `reward`, which is
   * the outcome's: `channels` of GRPOConfig says what comes of it. Absent = this world keeps no rules.
   */
  readonly violations?: number;
  /** Obligations the action met, each once in an episode however often it is met: what pays twice is farmed. Absent = 0. */
  readonly discharges?: number;
  readonly episodeDone: boolean;
  /** The next observation, `null` when the episode is done. */
  readonly nextObservation: string | null;
  /** Set when the episode is done. */
  readonly stopReason?: StopReason;
  /** Named numbers for the log (reward terms, `success` as 0/1, counts). Finite always. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** One attempt at one task. Single use: start a new one for every sample of a group. */
export interface Episode {
  initialObservation(): string;
  /** Applies the policy's reply. Throws when called after the episode is done. */
  step(action: string): StepResult;
}

/** A world: it starts episodes. Holds no clock and no random source, so the same actions give the same result. */
export interface Environment<T extends Task = Task> {
  readonly name: string;
  start(task: T): Episode;
}
