/**
 * OpenEnv's requests, replies and messages as zod schemas. Names are the wire's: snake_case.
 *
 * An action is `{ text }`, the policy's reply in words; the diagram world also takes `{ actions }`. Whether a reply makes sense is for
 * the environment to judge, and costs the policy its reward: only what is no action at all is refused here.
 */
import { z } from 'zod';
import type { RequestError } from './request-error.js';

const identifier = z.string().min(1).max(255);

/** Where an episode starts. Without `task_id` and `seed` the tasks of the split are dealt in turn. */
export interface ResetRequest {
  readonly seed?: number | null | undefined;
  readonly episode_id?: string | null | undefined;
  readonly task_id?: string | null | undefined;
  readonly split?: string | null | undefined;
}
export const resetRequest: z.ZodType<ResetRequest> = z.looseObject({
  seed: z.int().nonnegative().nullish(),
  episode_id: identifier.nullish(),
  task_id: z.string().max(255).nullish(),
  split: z.string().max(255).nullish(),
});

/** An action before the world has looked at it. */
export type RawAction = Readonly<Record<string, unknown>>;
const action = z.record(z.string(), z.unknown());

export interface StepRequest {
  readonly action: RawAction;
  /** Which episode; may be left out while only one is under way. */
  readonly episode_id?: string | null | undefined;
  /** A step that is sent again under the same id is answered again, not taken again. */
  readonly request_id?: string | null | undefined;
}
export const stepRequest: z.ZodType<StepRequest> = z.looseObject({
  action,
  episode_id: identifier.nullish(),
  request_id: identifier.nullish(),
});

export const closeRequest: z.ZodType<{ readonly episode_id: string }> = z.looseObject({
  episode_id: identifier,
});

/** What a reward function in another trainer asks: the n-th completion answers the n-th task. */
export interface RewardRequest {
  readonly task_ids: readonly string[];
  readonly completions: readonly string[];
}
export const rewardRequest: z.ZodType<RewardRequest> = z.strictObject({
  task_ids: z.array(z.string(), { error: 'expected a list of task ids, as GET /task gives them' }).max(4096),
  completions: z
    .array(z.string(), { error: 'expected a list of texts, the n-th for the n-th task' })
    .max(4096),
});

export type SocketMessage =
  | { readonly type: 'reset'; readonly data: ResetRequest }
  | { readonly type: 'step'; readonly data: RawAction }
  | { readonly type: 'state' | 'close' };
export const socketTypes: readonly string[] = ['reset', 'step', 'state', 'close'];
export const socketMessage: z.ZodType<SocketMessage> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('reset'), data: resetRequest.default({}) }),
  z.strictObject({ type: z.literal('step'), data: action }),
  z.strictObject({ type: z.literal('state') }),
  z.strictObject({ type: z.literal('close') }),
]);

export interface Observation {
  /** What the policy sees next; empty when the episode is over. */
  readonly text: string;
  /** The environment's counts and reward terms after this step. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Why the episode ended, once it has. */
  readonly stop_reason?: string | undefined;
}
export const observation: z.ZodType<Observation> = z.strictObject({
  text: z.string(),
  metrics: z.record(z.string(), z.number()),
  stop_reason: z.string().optional(),
});

export interface State {
  readonly episode_id: string;
  readonly step_count: number;
  readonly task_id: string;
  readonly split: string;
  readonly done: boolean;
  readonly total_reward: number;
}
export const state: z.ZodType<State> = z.strictObject({
  episode_id: z.string(),
  step_count: z.int().nonnegative(),
  task_id: z.string(),
  split: z.string(),
  done: z.boolean(),
  total_reward: z.number(),
});

/** What reset and step answer. */
export interface StepReply {
  readonly observation: Observation;
  /** `null` before the first step. */
  readonly reward: number | null;
  readonly done: boolean;
  readonly metadata: { readonly episode_id: string; readonly task_id: string; readonly split: string };
}

/** OpenEnv's codes of error messages over a WebSocket. */
export type ErrorCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'SESSION_ERROR';

export type SocketReply =
  | { readonly type: 'observation'; readonly data: StepReply }
  | { readonly type: 'state'; readonly data: State }
  | { readonly type: 'error'; readonly data: { readonly message: string; readonly code: ErrorCode } };

export function errorReply({ message, code }: RequestError): SocketReply {
  return { type: 'error', data: { message, code } };
}
