/**
 * Bodies and replies of Tinker's REST protocol, as far as they are used here.
 * Source: the Python SDK (`thinking-machines-lab/tinker`, `src/tinker/types/`) and SkyRL's server (`NovaSky-AI/SkyRL`,
 * `skyrl/tinker/api.py`), the JSON of both.
 */
import { z } from 'zod';
import type { Datum } from '../types.js';

export interface TensorData {
  /** `null` stands for what JSON cannot say: NaN and the infinities. */
  readonly data: readonly (number | null)[];
  readonly dtype?: 'int64' | 'float32';
  readonly shape?: readonly number[];
}

export interface ModelInput {
  readonly chunks: readonly { readonly type: 'encoded_text'; readonly tokens: readonly number[] }[];
}

/** Targets are shifted: entry t is the token that comes after input token t. All tensors are `[T − 1]`. */
export interface WireDatum {
  readonly model_input: ModelInput;
  readonly loss_fn_inputs: Readonly<Record<string, TensorData>>;
}

/** A loss that the server has. Losses are sums over tokens. */
export interface BuiltInLoss {
  readonly loss_fn: 'cross_entropy' | 'importance_sampling' | 'ppo';
  /** Of `ppo`: the bounds of the ratio themselves, not their distances from 1. */
  readonly loss_fn_config?: { readonly clip_low_threshold: number; readonly clip_high_threshold: number };
}

export interface ForwardBackwardInput extends BuiltInLoss {
  readonly data: readonly WireDatum[];
}

export interface ForwardBackwardOutput {
  /** One per datum. */
  readonly loss_fn_outputs: readonly { readonly logprobs: TensorData }[];
}

const numberOrNull = z.number().nullable();

export const forwardBackwardOutput: z.ZodType<ForwardBackwardOutput> = z.object({
  loss_fn_outputs: z.array(z.object({ logprobs: z.object({ data: z.array(numberOrNull) }) })),
});

export interface OptimStepOutput {
  /** `skyrl.ai/grad_norm` where the server is SkyRL. */
  readonly metrics?: Readonly<Record<string, number | null>> | null | undefined;
}

export const optimStepOutput: z.ZodType<OptimStepOutput> = z.object({
  metrics: z.record(z.string(), numberOrNull).nullish(),
});

export interface SampleOutput {
  readonly sequences: readonly {
    readonly stop_reason: 'stop' | 'length';
    /** The stop token included. */
    readonly tokens: readonly number[];
    readonly logprobs: readonly number[] | null;
  }[];
  /** One per token of the prompt, the first `null`; where it was asked for. */
  readonly prompt_logprobs?: readonly (number | null)[] | null | undefined;
}

export const sampleOutput: z.ZodType<SampleOutput> = z.object({
  sequences: z.array(
    z.object({
      stop_reason: z.enum(['stop', 'length']),
      tokens: z.array(z.number()),
      logprobs: z.array(z.number()).nullable(),
    }),
  ),
  prompt_logprobs: z.array(numberOrNull).nullish(),
});

export function modelInput(tokens: ArrayLike<number>): ModelInput {
  return { chunks: [{ type: 'encoded_text', tokens: Array.from(tokens) }] };
}

/** A sequence `[T]` with its streams `[T]`, of which the first entries, that nothing predicts, are left out. */
export function wireDatum(
  tokens: ArrayLike<number>,
  streams: Readonly<Record<string, ArrayLike<number>>>,
): WireDatum {
  const ids = Array.from(tokens);
  const shape = [ids.length - 1];
  const floats = Object.entries(streams).map(([name, stream]): [string, TensorData] => [
    name,
    { data: Array.from(stream).slice(1), dtype: 'float32', shape },
  ]);
  return {
    model_input: modelInput(ids.slice(0, -1)),
    loss_fn_inputs: {
      target_tokens: { data: ids.slice(1), dtype: 'int64', shape },
      ...Object.fromEntries(floats),
    },
  };
}

/** What came back of a sequence, `[T]`: 0 where its mask is 0. */
export function alignedLogprobs({ data }: TensorData, mask: ArrayLike<number>): Float32Array {
  return Float32Array.from(mask, (counts, t) => (counts === 0 ? 0 : (data[t - 1] ?? NaN)));
}

/** The SDK's bounds of one request. */
const MOST_DATA = 1024;
const MOST_NUMBERS = 500_000;

/** The data in order, in requests of bounded size; gradients of several requests add up. */
export function chunksOf(data: readonly WireDatum[]): WireDatum[][] {
  const chunks: WireDatum[][] = [];
  let room = 0;
  for (const datum of data) {
    const numbers = numbersIn(datum);
    const last = chunks.at(-1);
    if (last === undefined || last.length === MOST_DATA || numbers > room) {
      chunks.push([datum]);
      room = MOST_NUMBERS - numbers;
    } else {
      last.push(datum);
      room -= numbers;
    }
  }
  return chunks;
}

/** Every tensor is as long as the targets, and so is the input. */
function numbersIn({ loss_fn_inputs }: WireDatum): number {
  const tensors = Object.values(loss_fn_inputs);
  return (tensors.length + 1) * (tensors[0] as TensorData).data.length;
}

/** Whether all that the server would be sent of a sequence can be said in JSON. */
export function isFiniteDatum({ weights, advantages, oldLogprobs, refLogprobs }: Datum): boolean {
  return [weights, advantages, oldLogprobs, refLogprobs].every((stream) =>
    weights.every((weight, t) => weight === 0 || stream === undefined || Number.isFinite(stream[t])),
  );
}
