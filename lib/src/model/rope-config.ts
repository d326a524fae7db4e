/** The rotary embedding in `config.json`: `rope_theta` and `rope_scaling`, or `rope_parameters` since transformers 5. */
import { z } from 'zod';
import type { RotaryTheta } from '../tensor/index.js';
import type { ModelConfig, RopeScaling } from './types.js';

const positive = z.number().positive();
const plain = z.literal('default').optional();
const llama3 = z.literal('llama3');

/** Of no type, or `default`: turned by the base alone. */
interface PlainRope {
  readonly rope_theta?: number | undefined;
  readonly rope_type?: 'default' | undefined;
  readonly type?: 'default' | undefined;
}

interface Llama3Rope {
  readonly rope_theta?: number | undefined;
  readonly factor: number;
  readonly low_freq_factor: number;
  readonly high_freq_factor: number;
  readonly original_max_position_embeddings: number;
}

type RopeFields =
  PlainRope | (Llama3Rope & { readonly rope_type: 'llama3' }) | (Llama3Rope & { readonly type: 'llama3' });

const llama3Fields = {
  rope_theta: positive.optional(),
  factor: positive,
  low_freq_factor: positive,
  high_freq_factor: positive,
  original_max_position_embeddings: z.int().positive(),
};

/** Older files call the type `type`. Types other than these two rotate otherwise and are refused. */
export const ropeScalingSchema: z.ZodType<RopeFields> = z.union(
  [
    z.object({ rope_theta: positive.optional(), rope_type: plain, type: plain }),
    z.object({ ...llama3Fields, rope_type: llama3 }),
    z.object({ ...llama3Fields, type: llama3 }),
  ],
  { error: 'only the rope types default and llama3, with all its fields, are supported' },
);

type RopeJSON = RopeFields | null | undefined;

/** What `config.json` says, wherever it says it. The base is 10,000 where it says nothing, as in transformers. */
export function ropeFieldsFrom(fields: {
  readonly rope_theta?: number | null | undefined;
  readonly rope_parameters?: RopeJSON;
  readonly rope_scaling?: RopeJSON;
}): Pick<ModelConfig, 'ropeTheta' | 'ropeScaling'> {
  const ropeTheta = fields.rope_parameters?.rope_theta ?? fields.rope_theta ?? 10_000;
  const ropeScaling = scalingFrom(fields.rope_parameters) ?? scalingFrom(fields.rope_scaling);
  return { ropeTheta, ...(ropeScaling && { ropeScaling }) };
}

/** The same in the words of transformers 4 and 5 alike. */
export function ropeFieldsOf({ ropeTheta, ropeScaling }: ModelConfig): object {
  const scaling = ropeScaling && {
    rope_type: 'llama3',
    factor: ropeScaling.factor,
    low_freq_factor: ropeScaling.lowFreqFactor,
    high_freq_factor: ropeScaling.highFreqFactor,
    original_max_position_embeddings: ropeScaling.originalMaxPositionEmbeddings,
  };
  return {
    rope_theta: ropeTheta,
    ...(scaling && { rope_scaling: scaling }),
    rope_parameters: { rope_theta: ropeTheta, ...(scaling ?? { rope_type: 'default' }) },
  };
}

/** What the rotary embedding of a model is computed from. */
export function rotaryTheta({ ropeTheta, ropeScaling }: ModelConfig): RotaryTheta {
  return ropeScaling ? { theta: ropeTheta, ...ropeScaling } : ropeTheta;
}

function scalingFrom(json: RopeJSON): RopeScaling | undefined {
  if (!json || !('factor' in json)) return undefined;
  return {
    factor: json.factor,
    lowFreqFactor: json.low_freq_factor,
    highFreqFactor: json.high_freq_factor,
    originalMaxPositionEmbeddings: json.original_max_position_embeddings,
  };
}
