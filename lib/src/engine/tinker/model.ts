/** One model of a server, in a session that is kept alive. */
import { z } from 'zod';
import { ServiceError } from '../../remote/errors.js';
import type { Submitted, TinkerClient } from './client.js';
import {
  type BuiltInLoss,
  chunksOf,
  type ForwardBackwardOutput,
  forwardBackwardOutput,
  type WireDatum,
} from './wire.js';

export interface ModelOptions {
  /** What is trained, as the server knows it, e.g. `Qwen/Qwen3-0.6B`. */
  readonly baseModel: string;
  /** Of the LoRA adapter; default 32, the protocol's. */
  readonly rank?: number;
  /** Of the adapter's first weights; default 0. */
  readonly seed?: number;
  /** Seconds between two signs of life; default 10, as the SDK. SkyRL drops a session after 300 without one. */
  readonly heartbeatSeconds?: number;
}

export interface TinkerModel {
  readonly id: string;
  /** Submits work on this model under the next sequence id. It must be awaited before the next: servers keep the order of arrival. */
  submit<T extends object>(route: string, fields: object, output: z.ZodType<T>): Promise<Submitted<T>>;
  /**
   * Submits a save. A server that has it already, because only its reply was lost, refuses the second with 409 and does not say where the
   * first is: then it is saved once more, under the next number.
   * @param fields what is saved under this number
   */
  submitSave<T extends object>(
    route: string,
    fields: (number: number) => object,
    output: z.ZodType<T>,
  ): Promise<Submitted<T>>;
  /** Lets the server forget the model. What was saved stays. */
  close(): void;
}

const CONFLICT = 409;

export async function openModel(
  client: TinkerClient,
  { baseModel, rank = 32, seed = 0, heartbeatSeconds = 10 }: ModelOptions,
): Promise<TinkerModel> {
  const session = { type: 'create_session', tags: [], user_metadata: {}, sdk_version: 'posttrain' };
  const { session_id } = await client.post('create_session', session, z.object({ session_id: z.string() }));
  const heartbeat = setInterval(
    () => client.tell('session_heartbeat', { type: 'session_heartbeat', session_id }),
    heartbeatSeconds * 1000,
  );
  try {
    const lora = { session_id, model_seq_id: 0, base_model: baseModel, lora_config: { rank, seed } };
    const created = await client.submit('create_model', lora, z.object({ model_id: z.string() }));
    const { model_id } = await created();
    return opened(client, model_id, () => clearInterval(heartbeat));
  } catch (error) {
    clearInterval(heartbeat);
    throw error;
  }
}

function opened(client: TinkerClient, model_id: string, silence: () => void): TinkerModel {
  let sequence = 0;
  const submit = <T extends object>(
    route: string,
    fields: object,
    output: z.ZodType<T>,
  ): Promise<Submitted<T>> => client.submit(route, { model_id, seq_id: (sequence += 1), ...fields }, output);
  return {
    id: model_id,
    submit,
    submitSave<T extends object>(route: string, fields: (number: number) => object, output: z.ZodType<T>) {
      const save = (): Promise<Submitted<T>> => submit(route, fields(sequence + 1), output);
      return save().catch((error: unknown) => {
        if (error instanceof ServiceError && error.status === CONFLICT) return save();
        throw error;
      });
    },
    close: () => {
      silence();
      client.tell('unload_model', { type: 'unload_model', model_id });
    },
  };
}

/** Submits a pass over data in as many requests as it needs; the outputs of all are one list. */
export async function submitPass(
  model: TinkerModel,
  route: 'forward' | 'forward_backward',
  data: readonly WireDatum[],
  loss: BuiltInLoss,
): Promise<Submitted<ForwardBackwardOutput['loss_fn_outputs']>> {
  const submitted: Submitted<ForwardBackwardOutput>[] = [];
  for (const chunk of chunksOf(data)) {
    const input = { [`${route}_input`]: { data: chunk, ...loss } };
    submitted.push(await model.submit(route, input, forwardBackwardOutput));
  }
  return async () => {
    const outputs = await Promise.all(submitted.map((result) => result()));
    return outputs.flatMap(({ loss_fn_outputs }) => loss_fn_outputs);
  };
}

const NOT_FOUND = 404;

/** A server that has forgotten a model says so in several ways; all are told with what to do. */
export function withAdvice(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { status, retryable, message } = error;
  if (status !== NOT_FOUND && !/not loaded/.test(message)) return error;
  const advice =
    'The server no longer knows this model: it was restarted, or dropped the session. Load the last saved state, which opens a new one.';
  return new ServiceError(`${message}. ${advice}`, { status, retryable });
}
