/** Hugging Face `config.json`, read strictly: a field that would change the computation is refused, not ignored. */
import { z } from 'zod';
import { ropeFieldsFrom, ropeFieldsOf, ropeScalingSchema } from './rope-config.js';
import type { SafetensorsType } from './safetensors.js';
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
  /** Where transformers 5 keeps `rope_theta` and the scaling. */
  rope_parameters: optional(ropeScalingSchema),
  rope_scaling: optional(ropeScalingSchema),
  rms_norm_eps: z.number().positive(),
  tie_word_embeddings: z.boolean().default(false),
  bos_token_id: optional(tokenId),
  eos_token_id: optional(z.union([tokenId, z.array(tokenId)])),
  pad_token_id: optional(tokenId),
  architectures: optional(z.array(z.string())),
  /** transformers writes the names of the labels, and counts them. */
  id2label: optional(z.record(z.string(), z.string())),
  num_labels: optional(count),
  // Only these values of the remaining fields describe a computation this library does.
  hidden_act: z.literal('silu').default('silu'),
  rope_interleaved: optional(z.literal(false)),
  attention_bias: optional(z.literal(false)),
  mlp_bias: optional(z.literal(false)),
  attention_dropout: optional(z.literal(0)),
  use_sliding_window: optional(z.literal(false)),
  layer_types: optional(z.array(z.literal('full_attention'))),
  quantization_config: optional(z.null()),
});

const families = { llama: 'Llama', qwen2: 'Qwen2', qwen3: 'Qwen3' };
const CLASSIFIER = 'ForSequenceClassification';
/** How many labels a classifier has whose config does not name them. */
const TRANSFORMERS_LABELS = 2;

/**
 * Reads a `config.json` of the Llama, Qwen2 or Qwen3 family.
 * Throws, naming the field, when one is missing, wrong, or asks for something not supported (a rope
 * scaling other than Llama 3's, sliding windows, biases in Llama and Qwen3, another activation, a classifier of more than one label).
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
    ...ropeFieldsFrom(fields),
    rmsNormEps: fields.rms_norm_eps,
    tieWordEmbeddings: fields.tie_word_embeddings,
    bosTokenId: fields.bos_token_id ?? undefined,
    eosTokenId: fields.eos_token_id ?? undefined,
    padTokenId: fields.pad_token_id ?? undefined,
    ...(fields.architectures?.some((name) => name.endsWith(CLASSIFIER)) && { numLabels: oneLabel(fields) }),
  });
}

/** The number of labels, which must be 1: a reward model or a critic. */
function oneLabel({ num_labels, id2label }: z.infer<typeof configSchema>): 1 {
  const count = num_labels ?? (id2label ? Object.keys(id2label).length : TRANSFORMERS_LABELS);
  if (count === 1) return 1;
  throw new Error(
    `config.json: unsupported num_labels: ${count} labels make a classifier; a reward model or a critic has 1.`,
  );
}

/** How weights are stored, in the words of PyTorch. */
const torchTypes: Readonly<Record<SafetensorsType, string>> = {
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
};

/**
 * The config as `config.json`, in the words of transformers 4 and 5 alike.
 * @param dtype how the weights beside it are stored; `F32`
 */
export function configToJSON(config: ModelConfig, dtype: SafetensorsType = 'F32'): string {
  const json = {
    architectures: [families[config.modelType] + (config.numLabels ? CLASSIFIER : 'ForCausalLM')],
    model_type: config.modelType,
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    intermediate_size: config.intermediateSize,
    num_hidden_layers: config.numHiddenLayers,
    num_attention_heads: config.numAttentionHeads,
    num_key_value_heads: config.numKeyValueHeads,
    head_dim: config.headDim,
    max_position_embeddings: config.maxPositionEmbeddings,
    ...ropeFieldsOf(config),
    rms_norm_eps: config.rmsNormEps,
    tie_word_embeddings: config.tieWordEmbeddings,
    bos_token_id: config.bosTokenId ?? null,
    eos_token_id: config.eosTokenId ?? null,
    pad_token_id: config.padTokenId ?? null,
    hidden_act: 'silu',
    torch_dtype: torchTypes[dtype],
    ...(config.numLabels && { num_labels: 1, id2label: { 0: 'LABEL_0' }, label2id: { LABEL_0: 0 } }),
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
