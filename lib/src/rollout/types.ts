/** What a policy did in an environment, as tokens: never rebuilt from text. */
import type { StepResult, StopReason } from '../envs/types.js';

/** What the environment made of a reply: of `StepResult`, what can be learned from. */
export type TurnResult = Pick<StepResult, 'reward' | 'violations' | 'discharges'>;

/** One reply of the policy. */
export interface Turn extends TurnResult {
  /** Its first token, an index into `tokens`. */
  readonly start: number;
  /** One past its last token. */
  readonly end: number;
}

/** One training sequence: prompt, replies and environment messages, in order. */
export interface Trajectory {
  /** `[T]` */
  readonly tokens: Int32Array;
  /** `[T]`; 1 where the policy sampled the token, 0 for prompt and environment tokens. */
  readonly actionMask: Uint8Array;
  /** `[T]`; log-probability under the sampling policy; 0 where `actionMask` is 0. */
  readonly logprobs: Float32Array;
  readonly turns: readonly Turn[];
}

/** One episode, finished: what was sampled, and how it was judged. */
export interface EpisodeRecord {
  readonly taskId: string;
  readonly split: string;
  /** The group (one task, one step) it belongs to; never inferred from the prompt text. */
  readonly groupId: string;
  /** Position of the task in the step, and of the episode in its group; with seed and step they fix all randomness. */
  readonly promptIndex: number;
  readonly sampleIndex: number;
  readonly seed: number;
  /** Counts optimizer steps of the policy that sampled; guards against stale samples. */
  readonly policyVersion: number;
  /** One, unless a later prompt did not extend the tokens before it; empty when nothing could be sampled. */
  readonly trajectories: readonly Trajectory[];
  /** Sum of the step rewards; `null` when nothing could be sampled, so nothing can be judged. */
  readonly reward: number | null;
  /** Named numbers of the last step. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly stopReason: StopReason;
  /** The conversation as text, for display only. */
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
}

/** The episodes of one task. */
export interface EpisodeGroup<T> {
  readonly task: T;
  readonly groupId: string;
  readonly episodes: readonly EpisodeRecord[];
}
