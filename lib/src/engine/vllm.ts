/** A vLLM server in the engine's verbs: a policy that acts, and a teacher that scores. */
import type { StructuredOutputs, VLLMServer } from '../remote/index.js';
import type { Engine, LogprobScorer } from './types.js';

/** What `rollout` and `evaluate` need of an engine. */
export type Sampler = Pick<Engine, 'sample' | 'policyVersion' | 'maxLength'>;

export interface VLLMSamplerOptions {
  /** Name of an adapter that the server has loaded; default: the base model alone. */
  readonly adapter?: string;
  /** Optimizer steps the adapter has behind it; default 0. Part of the cache salt. */
  readonly policyVersion?: number;
  /**
   * Forces replies into a JSON schema, a regular expression or a choice. For evaluation: the log-probabilities are then those of a masked
   * distribution, which no trainer here computes. A sampler is no engine, so none can be given it.
   * A finished grammar allows the tokenizer’s end of sequence only, so that must be among the stop tokens.
   */
  readonly structuredOutputs?: StructuredOutputs;
}

/** A policy that a vLLM server has, for `evaluate` and `rollout`. Never run against a real server (see `openVLLM`). */
export function vllmSampler(
  server: VLLMServer,
  { adapter = server.model, policyVersion = 0, structuredOutputs }: VLLMSamplerOptions = {},
): Sampler {
  const policy = { model: adapter, cacheSalt: `${adapter}@v${policyVersion}`, structuredOutputs };
  return {
    policyVersion,
    maxLength: server.maxLength,
    sample: (prompts, params, keys) => server.sample(policy, prompts, params, keys),
  };
}

/**
 * A teacher for `distill`, or a reference: scores tokens by vLLM's prompt log-probabilities. It must share the student's tokenizer.
 *
 * At temperature 1 only: vLLM does not apply a temperature to prompts, in any `--logprobs-mode` (vllm-project/vllm#37082, #47680). Never run
 * against a real server (see `openVLLM`).
 * @param adapter name of an adapter that the server has loaded; default: the base model alone
 */
export function vllmScorer(server: VLLMServer, adapter: string = server.model): LogprobScorer {
  return {
    async logprobs(sequences, temperature = 1) {
      if (temperature !== 1) {
        throw new RangeError(
          `temperature is ${temperature}; vLLM scores prompts at temperature 1 only. Set the trainer’s temperature to 1.`,
        );
      }
      return server.logprobs({ model: adapter, cacheSalt: `${adapter}@scorer` }, sequences);
    },
    dispose: () => undefined,
  };
}
