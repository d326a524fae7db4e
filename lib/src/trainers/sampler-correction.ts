/** What to do about a sampler that is not quite the policy that is trained: another engine, another precision. */
import type { Datum, Engine } from '../engine/types.js';
import { type ImportanceSamplingMode, importanceWeights } from '../losses/index.js';
import { tokenMean, type Values } from './metrics.js';
import type { Rule } from './resolve-config.js';
import type { SampledBatch } from './sampled-batch.js';

/** TRL's settings. */
export interface SamplerCorrection {
  /**
   * Weighs each token's advantage by how much likelier the trainer finds it than the sampler did (`importanceWeights`), at the price of one
   * more forward pass. For samples from elsewhere, e.g. `sampleOnVLLM`. false, where TRL has true: the engines here sample with the very
   * policy that is trained.
   */
  readonly vllmImportanceSamplingCorrection: boolean;
  /** Whose ratio, and what becomes of one above the cap. `'sequence_mask'`. */
  readonly vllmImportanceSamplingMode: ImportanceSamplingMode;
  /** Largest ratio that is believed. 3. */
  readonly vllmImportanceSamplingCap: number;
}

export const correctionDefaults: SamplerCorrection = {
  vllmImportanceSamplingCorrection: false,
  vllmImportanceSamplingMode: 'sequence_mask',
  vllmImportanceSamplingCap: 3,
};

const correctionModes: readonly ImportanceSamplingMode[] = [
  'token_truncate',
  'token_mask',
  'sequence_truncate',
  'sequence_mask',
];

export function correctionRules(config: SamplerCorrection): Rule[] {
  const { vllmImportanceSamplingMode: mode, vllmImportanceSamplingCap: cap } = config;
  return [
    [
      correctionModes.includes(mode),
      `vllmImportanceSamplingMode is ${mode}, expected one of ${correctionModes.join(', ')}.`,
    ],
    [
      cap >= 1,
      `vllmImportanceSamplingCap is ${cap}, expected a number ≥ 1: equal policies have the ratio 1.`,
    ],
  ];
}

/** The batch with corrected advantages, and TRL's `sampling/importance_sampling_ratio/mean`. The penalty of `beta` is left alone, as in TRL. */
export async function correctForSampler(
  batch: SampledBatch,
  engine: Pick<Engine, 'logprobs'>,
  config: SamplerCorrection & { readonly temperature: number },
): Promise<{ readonly batch: SampledBatch; readonly metrics: Values }> {
  if (!config.vllmImportanceSamplingCorrection || batch.data.length === 0) return { batch, metrics: {} };
  const masks = batch.data.map(({ weights }) => Uint8Array.from(weights, (weight) => Number(weight !== 0)));
  const sequences = batch.data.map(({ tokens }, row) => ({ tokens, mask: masks[row] as Uint8Array }));
  const trainer = await engine.logprobs(sequences, config.temperature);
  const factors = batch.trajectories.map(({ logprobs: samplerLogprobs }, row) =>
    importanceWeights(
      { trainerLogprobs: trainer[row] as Float32Array, samplerLogprobs, mask: masks[row] as Uint8Array },
      config.vllmImportanceSamplingMode,
      config.vllmImportanceSamplingCap,
    ),
  );
  const data = batch.data.map((datum, row): Datum => {
    const advantages = datum.advantages?.map((advantage, t) => advantage * (factors[row]?.[t] ?? 0));
    return advantages === undefined ? datum : { ...datum, advantages };
  });
  const weights = batch.data.map((datum) => datum.weights);
  const ratio = tokenMean(weights, (row, t) => factors[row]?.[t] ?? 0);
  return { batch: { ...batch, data }, metrics: { 'sampling/importance_sampling_ratio/mean': ratio } };
}
