/** A policy as it was when it was saved for sampling. */
import type { MaskedSequence, Sample, SampleKey, SamplingParams } from '../../model/index.js';
import { uniform } from '../../tensor/random.js';
import type { TinkerClient } from './client.js';
import { alignedLogprobs, modelInput, type SampleOutput, sampleOutput } from './wire.js';

export interface Sampler {
  sample(prompt: Int32Array, params: SamplingParams, key: SampleKey): Promise<Sample>;
  /** `[T]` at temperature 1, 0 where the mask is 0. */
  logprobs(sequence: MaskedSequence): Promise<Float32Array>;
}

/** The protocol's seeds are 31 bits. */
const SEEDS = 2 ** 31;

export function createSampler(client: TinkerClient, sampling_session_id: string): Sampler {
  let sequence = 0;
  const ask = async (
    prompt: ArrayLike<number>,
    sampling_params: object,
    more: object,
  ): Promise<SampleOutput> => {
    const question = {
      type: 'sample',
      sampling_session_id,
      seq_id: (sequence += 1),
      num_samples: 1,
      prompt: modelInput(prompt),
      sampling_params,
      ...more,
    };
    const result = await client.submit('asample', question, sampleOutput);
    return result();
  };

  return {
    async sample(prompt, { maxNewTokens, stopTokens, temperature, topP = 1, topK = 0 }, key) {
      const { sequences } = await ask(
        prompt,
        {
          max_tokens: maxNewTokens,
          seed: seedOf(key),
          ...(stopTokens.length > 0 && { stop: stopTokens }),
          temperature,
          top_p: topP,
          top_k: topK === 0 ? -1 : topK,
        },
        {},
      );
      const [reply] = sequences;
      if (reply?.logprobs?.length !== reply?.tokens.length || reply === undefined)
        throw new Error(
          `The server sent ${reply?.tokens.length ?? 'no'} tokens with ${reply?.logprobs?.length ?? 'no'} log-probabilities; training needs one for each token.`,
        );
      return {
        tokens: Int32Array.from(reply.tokens),
        logprobs: Float32Array.from(reply.logprobs as readonly number[]),
        finishReason: reply.stop_reason,
      };
    },

    async logprobs({ tokens, mask }) {
      const one = { max_tokens: 1, temperature: 1, seed: 0 };
      const { prompt_logprobs } = await ask(tokens, one, { prompt_logprobs: true });
      if (prompt_logprobs?.length !== tokens.length)
        throw new Error(
          `The server sent ${prompt_logprobs?.length ?? 'no'} log-probabilities for a prompt of ${tokens.length} tokens. A reference needs a server with \`prompt_logprobs\`.`,
        );
      return alignedLogprobs({ data: prompt_logprobs.slice(1) }, mask);
    },
  };
}

function seedOf({ seed, purpose, step, index }: SampleKey): number {
  return Math.floor(uniform(seed, purpose, step, index) * SEEDS);
}
