/** What passes between the pooled engine and its workers: structured clones, no tensors. */
import type { LossSpec, ScalarLossSpec } from '../losses/index.js';
import type {
  LoraConfig,
  MaskedSequence,
  ModelConfig,
  Sample,
  SampleKey,
  SamplingParams,
} from '../model/index.js';
import type { BackendOptions } from '../tensor/index.js';
import type { ScalarDatum } from './scalar-types.js';
import type { Datum } from './types.js';

/** What a worker is born with. */
export interface WorkerSetup {
  readonly config: ModelConfig;
  /** Of the model's adapter, if it has one. */
  readonly lora: LoraConfig | undefined;
  /** tfjs back end; the same in every thread, so that it does not matter who computes. */
  readonly backend: BackendOptions;
}

/** Weights end to end, in the order of the model; never written to again, so no one reads half of an update. */
export interface SharedWeights {
  readonly version: number;
  /** What is trained. */
  readonly buffer: SharedArrayBuffer;
  /** What lies under an adapter: the same in all versions. */
  readonly base: SharedArrayBuffer | undefined;
}

export type WorkerTask =
  | {
      readonly verb: 'sample';
      readonly prompts: readonly Int32Array[];
      readonly params: SamplingParams;
      readonly keys: readonly SampleKey[];
    }
  | { readonly verb: 'logprobs'; readonly sequences: readonly MaskedSequence[]; readonly temperature: number }
  | { readonly verb: 'distributions'; readonly sequences: readonly MaskedSequence[] }
  | { readonly verb: 'values'; readonly sequences: readonly MaskedSequence[] }
  | GradientTask;

/** Forward and backward of one micro-batch, of a language model or of one with a scalar head. */
export type GradientTask = (
  | {
      readonly verb: 'microStep';
      readonly data: readonly Datum[];
      readonly loss: LossSpec;
      readonly temperature: number;
    }
  | { readonly verb: 'scalarStep'; readonly data: readonly ScalarDatum[]; readonly loss: ScalarLossSpec }
) & {
  /** Where the gradients of what is trained go, end to end, in the order of the model. */
  readonly gradients: SharedArrayBuffer;
};

/** What each verb gives back. */
export interface WorkerResults {
  readonly sample: Sample[];
  readonly logprobs: Float32Array[];
  readonly distributions: Float32Array[];
  readonly values: Float32Array[];
  /** The report of the function of that name. */
  readonly microStep: Float32Array;
  readonly scalarStep: Float32Array;
}

export interface WorkerRequest {
  readonly weights: SharedWeights;
  readonly task: WorkerTask;
}

export type WorkerReply =
  | { readonly value: WorkerResults[keyof WorkerResults] }
  | { readonly error: { readonly name: string; readonly message: string } };
