/** The transformer's nouns. Weights carry Hugging Face names and layouts. */
import type { Variable } from '@tensorflow/tfjs-core';
import type { DrawTokenOptions, ScaledTheta } from '../tensor/index.js';

/** One decoder-only family: Llama (SmolLM2 too), Qwen2, Qwen3, read from and written to Hugging Face `config.json`. */
export interface ModelConfig {
  /** `qwen2` adds biases on q, k and v; `qwen3` normalises each head's query and key (QK-norm). */
  readonly modelType: 'llama' | 'qwen2' | 'qwen3';
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly numHiddenLayers: number;
  readonly numAttentionHeads: number;
  /** Fewer than the query heads: grouped-query attention. */
  readonly numKeyValueHeads: number;
  readonly headDim: number;
  /** Longest sequence, in tokens. */
  readonly maxPositionEmbeddings: number;
  readonly ropeTheta: number;
  /** Present: Llama 3.1's stretching of the rotary embedding (`rope_type` `llama3`). */
  readonly ropeScaling?: RopeScaling;
  readonly rmsNormEps: number;
  /** The output projection is the embedding table. */
  readonly tieWordEmbeddings: boolean;
  /** Present: a scalar head, `score.weight` `[1, D]`, in the place of the language-model head (`…ForSequenceClassification`). */
  readonly numLabels?: 1;
  readonly bosTokenId?: number;
  readonly eosTokenId?: number | readonly number[];
  readonly padTokenId?: number;
}

/** How the rotary embedding reaches further than the context of the first training. */
export type RopeScaling = Omit<ScaledTheta, 'theta'>;

/** A low-rank adapter (LoRA), in the words of PEFT's `adapter_config.json`. */
export interface LoraConfig {
  /** Rank of every update. */
  readonly r: number;
  /** The update is `loraAlpha / r · B A`. */
  readonly loraAlpha: number;
  /** Linear layers that are updated, by the ends of their names: `q_proj`, `layers.0.mlp.up_proj`, `lm_head`. */
  readonly targetModules: readonly string[];
}

/** Trained instead of the weights it belongs to. */
export interface Adapter {
  readonly config: LoraConfig;
  /** By PEFT's names: `base_model.model.<module>.lora_A.weight` `[r, in]` and `.lora_B.weight` `[out, r]`. */
  readonly weights: ReadonlyMap<string, Variable>;
}

/** A model is its config and its named weights, e.g. `model.layers.0.self_attn.q_proj.weight` `[out, in]`. */
export interface Model {
  readonly config: ModelConfig;
  readonly weights: ReadonlyMap<string, Variable>;
  /** Where there is one, engines train it alone and never change `weights`. */
  readonly adapter?: Adapter;
}

export interface SamplingParams extends DrawTokenOptions {
  readonly maxNewTokens: number;
  readonly stopTokens: readonly number[];
}

export interface Sample {
  /** New tokens only; includes the stop token when there is one. */
  readonly tokens: Int32Array;
  /** Log-probability of each new token under the distribution it was drawn from. */
  readonly logprobs: Float32Array;
  readonly finishReason: 'stop' | 'length';
}
