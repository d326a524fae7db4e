/** A policy that replies from a script, in letters, and records what it was asked. */
import type { Datum, Engine, ForwardBackwardResult } from 'posttrain/engine';
import type { MaskedSequence, Sample, SampleKey, SamplingParams } from 'posttrain/model';
import { letterTokenizer } from './tiny.js';

export const END = 1;

export interface Reply {
  readonly text: string;
  /** There was no room for the stop token. */
  readonly cut?: boolean;
}

interface ScriptedSampler {
  /** The prompts without their special tokens. */
  readonly requests: string[];
  readonly keys: SampleKey[];
  readonly params: SamplingParams[];
  readonly maxLength: number;
  readonly sample: Engine['sample'];
}

/** Log-probability of every scripted token. */
export const SCRIPTED_LOGPROB = -0.5;

export function scriptedSampler(reply: (request: string, key: SampleKey) => Reply): ScriptedSampler {
  const requests: string[] = [];
  const keys: SampleKey[] = [];
  const params: SamplingParams[] = [];
  const answer = (prompt: Int32Array, key: SampleKey): Sample => {
    const request = letterTokenizer.decode(prompt).replaceAll(/<[^>]*>/g, '');
    const { text, cut } = reply(request, key);
    requests.push(request);
    keys.push(key);
    const tokens = Int32Array.of(...letterTokenizer.encode(text), ...(cut ? [] : [END]));
    const logprobs = new Float32Array(tokens.length).fill(SCRIPTED_LOGPROB);
    return { tokens, logprobs, finishReason: cut ? 'length' : 'stop' };
  };
  return {
    requests,
    keys,
    params,
    maxLength: 64,
    sample(prompts, settings, askedKeys) {
      params.push(settings);
      return Promise.resolve(prompts.map((prompt, n) => answer(prompt, askedKeys[n] as SampleKey)));
    },
  };
}

/** A scripted engine that records what it is trained on, and has seen every token with one log-probability. */
export function scriptedTrainer(
  reply: (request: string, key: SampleKey) => Reply,
  trainedLogprob = SCRIPTED_LOGPROB,
) {
  const sampler = scriptedSampler(reply);
  const trained: (readonly Datum[])[] = [];
  let policyVersion = 0;
  const engine = {
    ...sampler,
    trained,
    get policyVersion() {
      return policyVersion;
    },
    forwardBackward: (batch: readonly Datum[]): Promise<ForwardBackwardResult> => {
      trained.push(batch);
      const streams = batch.map(({ weights }) =>
        weights.map((weight) => (weight === 0 ? 0 : trainedLogprob)),
      );
      const hits = batch.map(({ tokens }) => new Uint8Array(tokens.length));
      return Promise.resolve({ loss: 0, logprobs: streams, entropies: streams, hits });
    },
    logprobs: (sequences: readonly MaskedSequence[]): Promise<Float32Array[]> =>
      Promise.resolve(
        sequences.map(({ mask }) => Float32Array.from(mask, (on) => (on === 0 ? 0 : trainedLogprob))),
      ),
    optimStep: () => {
      policyVersion += 1;
      return Promise.resolve({ gradNorm: 1, stepped: true });
    },
  };
  return engine as typeof engine & Engine;
}
