/** Hugging Face `config.json`, read strictly: a field that would change the computation is refused, not ignored. */
import { z } from 'zod';
import type { ModelConfig } from './types.js';

const count = z.int().positive();
const tokenId = z.int().nonnegative();
const optional = <T extends z.ZodType>(type: T): z.ZodOptional<z.ZodNullable<T>> =>
  type.nullable().optional();

const configSchema = z.object({
  model_type: z.enum(['llama', 'qwen2', 'qwen3']),
  vocab_size: count,
  hidden_size: count,
  intermediate_size: count,
  num_hidden_layers: count,
  num_attention_heads: count,
  num_key_value_heads: optional(count),
  head_dim: optional(count),
  max_position_embeddings: count,
  rope_theta: optional(z.number().positive()),
  /** Where transformers 5 keeps `rope_theta`. */
  rope_parameters: optional(
    z.object({ rope_theta: z.number().positive(), rope_type: z.literal('default').optional() }),
  ),
  rms_norm_eps: z.number().positive(),
  tie_word_embeddings: z.boolean().default(false),
  bos_token_id: optional(tokenId),
  eos_token_id: optional(z.union([tokenId, z.array(tokenId)])),
  pad_token_id: optional(tokenId),
  // Only these values of the remaining fields describe a computation this library does.
  hidden_act: z.literal('silu').default('silu'),
  rope_scaling: optional(z.null()),
  attention_bias: optional(z.literal(false)),
  mlp_bias: optional(z.literal(false)),
  attention_dropout: optional(z.literal(0)),
  use_sliding_window: optional(z.literal(false)),
  layer_types: optional(z.array(z.literal('full_attention'))),
  quantization_config: optional(z.null()),
});

const architectures = { llama: 'LlamaForCausalLM', qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM' };

/**
 * Reads a `config.json` of the Llama, Qwen2 or Qwen3 family.
 * Throws, naming the field, when one is missing, wrong, or asks for something not supported (rope scaling,
 * sliding windows, biases in Llama and Qwen3, another activation).
 */
export function configFromJSON(json: string): ModelConfig {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new Error('config.json is not JSON; copy or save the model again.', { cause });
  }
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`config.json: unsupported or missing ${issue?.path.join('.')}: ${issue?.message}.`);
  }
  const fields = parsed.data;
  return checkedConfig({
    modelType: fields.model_type,
    vocabSize: fields.vocab_size,
    hiddenSize: fields.hidden_size,
    intermediateSize: fields.intermediate_size,
    numHiddenLayers: fields.num_hidden_layers,
    numAttentionHeads: fields.num_attention_heads,
    numKeyValueHeads: fields.num_key_value_heads ?? fields.num_attention_heads,
    headDim: fields.head_dim ?? fields.hidden_size / fields.num_attention_heads,
    maxPositionEmbeddings: fields.max_position_embeddings,
    ropeTheta: fields.rope_parameters?.rope_theta ?? fields.rope_theta ?? 10_000,
    rmsNormEps: fields.rms_norm_eps,
    tieWordEmbeddings: fields.tie_word_embeddings,
    bosTokenId: fields.bos_token_id ?? undefined,
    eosTokenId: fields.eos_token_id ?? undefined,
    padTokenId: fields.pad_token_id ?? undefined,
  });
}

/** The config as `config.json`, in the words of transformers 4 and 5 alike. */
export function configToJSON(config: ModelConfig): string {
  const json = {
    architectures: [architectures[config.modelType]],
    model_type: config.modelType,
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    intermediate_size: config.intermediateSize,
    num_hidden_layers: config.numHiddenLayers,
    num_attention_heads: config.numAttentionHeads,
    num_key_value_heads: config.numKeyValueHeads,
    head_dim: config.headDim,
    max_position_embeddings: config.maxPositionEmbeddings,
    rope_theta: config.ropeTheta,
    rope_parameters: { rope_theta: config.ropeTheta, rope_type: 'default' },
    rms_norm_eps: config.rmsNormEps,
    tie_word_embeddings: config.tieWordEmbeddings,
    bos_token_id: config.bosTokenId ?? null,
    eos_token_id: config.eosTokenId ?? null,
    pad_token_id: config.padTokenId ?? null,
    hidden_act: 'silu',
    torch_dtype: 'float32',
  };
  return JSON.stringify(json, null, 2) + '\n';
}

/** The config itself. Throws when its sizes do not fit together, naming the field. */
export function checkedConfig(config: ModelConfig): ModelConfig {
  const { numAttentionHeads, numKeyValueHeads, headDim } = config;
  if (numAttentionHeads % numKeyValueHeads !== 0)
    throw new Error(
      `Model config: numKeyValueHeads (num_key_value_heads) is ${numKeyValueHeads}; expected a divisor of the ${numAttentionHeads} attention heads.`,
    );
  if (!Number.isInteger(headDim) || headDim % 2 !== 0)
    throw new Error(
      `Model config: headDim (head_dim) is ${headDim}; rotary embeddings need an even integer.`,
    );
  return config;
}
