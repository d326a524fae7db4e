/** PEFT's `adapter_config.json`, read strictly: what would change the computation is refused, not ignored. */
import { z } from 'zod';
import type { LoraConfig } from './types.js';

const schema = z
  .object({
    peft_type: z.literal('LORA'),
    r: z.int().positive(),
    lora_alpha: z.number().positive(),
    target_modules: z
      .array(z.string(), 'expected a list of names of layers, like ["q_proj", "v_proj"], not a pattern')
      .min(1),
  })
  .loose();

/** Fields that say where an adapter is from or how it was trained; they do not change what it computes. */
const notes = [
  'auto_mapping',
  'base_model_name_or_path',
  'inference_mode',
  'lora_dropout',
  'megatron_core',
  'peft_version',
  'qalora_group_size',
  'revision',
];

/** Values besides null, false and nothing that the remaining fields may have. */
const harmless: Record<string, readonly unknown[]> = {
  bias: ['none'],
  // The other ways to begin change the base weights too.
  init_lora_weights: [true, 'gaussian', 'orthogonal'],
  task_type: ['CAUSAL_LM'],
};

/** What to do with what is not supported. */
export const mergeInPython =
  'Merge the adapter in Python (merge_and_unload, then save_pretrained) and load the merged model.';

/**
 * Reads an `adapter_config.json` as PEFT writes it. Dropout matters only to training, and there is none in ours.
 * Throws, naming the key and what to do, when a field is missing or wrong, or asks for more than LoRA on linear layers with one
 * rank and one scale: DoRA, biases, `modules_to_save`, `rank_pattern`, …
 */
export function adapterConfigFromJSON(json: string): LoraConfig {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new Error('adapter_config.json is not JSON; copy or save the adapter again.', { cause });
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      `adapter_config.json: unsupported or missing ${issue?.path.join('.')}: ${issue?.message}.`,
    );
  }
  const { r, lora_alpha: loraAlpha, target_modules: targetModules } = parsed.data;
  const known = [...Object.keys(schema.shape), ...notes];
  const unsupported = Object.entries(parsed.data).find(
    ([key, value]) => !known.includes(key) && !isNothing(value) && !harmless[key]?.includes(value),
  );
  if (unsupported) {
    const [key, value] = unsupported;
    const advice =
      key === 'use_rslora'
        ? `Set it to false and lora_alpha to ${loraAlpha * Math.sqrt(r)}, which gives the same scale.`
        : mergeInPython;
    throw new Error(
      `adapter_config.json: ${key} is ${JSON.stringify(value)}, which is not supported. ${advice}`,
    );
  }
  return { r, loraAlpha, targetModules };
}

/**
 * The config as PEFT's `adapter_config.json`.
 * @param baseModelNameOrPath where Python finds the model it belongs to, if it is to look for it
 */
export function adapterConfigToJSON(
  { r, loraAlpha, targetModules }: LoraConfig,
  baseModelNameOrPath?: string,
): string {
  const json = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: baseModelNameOrPath ?? null,
    r,
    lora_alpha: loraAlpha,
    target_modules: targetModules,
    lora_dropout: 0,
    bias: 'none',
    fan_in_fan_out: false,
    use_dora: false,
    use_rslora: false,
    modules_to_save: null,
    inference_mode: true,
  };
  return JSON.stringify(json, null, 2) + '\n';
}

function isNothing(value: unknown): boolean {
  return !value || (typeof value === 'object' && Object.keys(value).length === 0);
}
