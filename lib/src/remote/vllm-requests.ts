/**
 * Bodies of `POST /v1/completions`, and what comes back, as vLLM documents them (`entrypoints/openai/completion/protocol.py`). Tokens in,
 * tokens out: no text is sent, and none is read.
 */
import type { MaskedSequence, Sample, SamplingParams } from '../model/index.js';
import type { JsonSchema } from './types.js';

/** One kind of grammar that a reply must follow. */
export type StructuredOutputs =
  { readonly json: JsonSchema } | { readonly regex: string } | { readonly choice: readonly string[] };

/** Which of the server's policies acts, and how. */
export interface VLLMPolicy {
  /** Name of the base model, or of an adapter that was loaded. */
  readonly model: string;
  /** What was computed for a prompt under one salt is never reused under another: one for each policy version. */
  readonly cacheSalt: string;
  /** Only for evaluation: see `vllmSampler`. */
  readonly structuredOutputs?: StructuredOutputs | undefined;
}

/**
 * `n` replies to one prompt. Everything that shapes the distribution is said, because what is left out comes from the model's
 * `generation_config.json`, which for some models cuts the distribution or punishes repetition.
 * @param seed of the first reply; the server gives reply i the seed `seed + i`
 */
export function samplingBody(
  { model, cacheSalt, structuredOutputs }: VLLMPolicy,
  prompt: Int32Array,
  n: number,
  { maxNewTokens, temperature, topP = 1, topK = 0, stopTokens }: SamplingParams,
  seed: number,
): object {
  return {
    model,
    prompt: [...prompt],
    n,
    seed,
    max_tokens: maxNewTokens,
    temperature,
    top_p: topP,
    top_k: topK === 0 ? -1 : topK,
    min_p: 0,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    stop_token_ids: stopTokens,
    // the stop tokens are all that ends a reply, as in the engine here
    ignore_eos: true,
    logprobs: 0,
    return_token_ids: true,
    cache_salt: cacheSalt,
    ...(structuredOutputs === undefined ? {} : { structured_outputs: structuredOutputs }),
  };
}

/** Asks for the log-probabilities of the prompt itself. One token is sampled, because none is not allowed, and ignored. */
export function scoringBody({ model, cacheSalt }: VLLMPolicy, tokens: ArrayLike<number>): object {
  return {
    model,
    prompt: Array.from(tokens),
    max_tokens: 1,
    prompt_logprobs: 0,
    return_token_ids: true,
    cache_salt: cacheSalt,
  };
}

/** The part of a response that is read here. */
export interface CompletionResponse {
  readonly choices: readonly Choice[];
}

interface Choice {
  readonly index: number;
  readonly finish_reason?: string | null;
  readonly token_ids?: readonly number[] | null;
  readonly prompt_token_ids?: readonly number[] | null;
  readonly logprobs?: { readonly token_logprobs?: readonly (number | null)[] } | null;
  /** Per position, by token id; the first token has none. */
  readonly prompt_logprobs?:
    readonly (Readonly<Record<string, { readonly logprob: number }>> | null)[] | null;
}

/**
 * The replies in the order of their indices.
 * @throws Error when the response is not what was asked for, naming what the server lacks.
 */
export function samplesOf(
  response: Partial<CompletionResponse>,
  prompt: Int32Array,
  n: number,
  { stopTokens }: Pick<SamplingParams, 'stopTokens'>,
): Sample[] {
  const choices = [...(response.choices ?? [])].sort((a, b) => a.index - b.index);
  if (choices.length !== n || choices.some(({ index }, i) => index !== i)) {
    const indices = choices.map(({ index }) => index).join(', ');
    throw new Error(`vLLM: asked for n = ${n} replies, got those with the indices [${indices}]`);
  }
  return choices.map((choice) => {
    requirePrompt(choice, prompt);
    return sampleOf(choice, stopTokens);
  });
}

function sampleOf({ finish_reason, token_ids, logprobs }: Choice, stopTokens: readonly number[]): Sample {
  const tokens = Int32Array.from(required(token_ids, 'token_ids'));
  const values = logprobs?.token_logprobs ?? [];
  if (values.length !== tokens.length) {
    throw new Error(
      `vLLM: ${tokens.length} tokens came with ${values.length} log-probabilities; expected one for each`,
    );
  }
  const sampled = { tokens, logprobs: Float32Array.from(values, requireLogprob) };
  if (finish_reason === 'length') return { ...sampled, finishReason: 'length' };
  if (finish_reason === 'stop' && stopTokens.includes(tokens.at(-1) ?? -1)) {
    return { ...sampled, finishReason: 'stop' };
  }
  throw new Error(
    `vLLM: a reply ended with finish_reason ${JSON.stringify(finish_reason)} on token ${tokens.at(-1)}; ` +
      `expected "length", or "stop" on one of the stop tokens ${stopTokens.join(', ')}`,
  );
}

/**
 * `[T]`: log π(tokenₜ | tokens before it) where the mask is not 0, and 0 elsewhere.
 * @throws Error when one is missing, or none at all came.
 */
export function promptLogprobsOf(
  response: Partial<CompletionResponse>,
  { tokens, mask }: MaskedSequence,
): Float32Array {
  const choice = response.choices?.[0] ?? { index: 0 };
  requirePrompt(choice, tokens);
  const scores = required(choice.prompt_logprobs, 'prompt_logprobs');
  return Float32Array.from({ length: tokens.length }, (_, t) => {
    if (mask[t] === 0) return 0;
    const score = scores[t]?.[String(tokens[t])];
    if (score !== undefined) return requireLogprob(score.logprob);
    throw new Error(
      `vLLM: token ${tokens[t]} at ${t} came without a log-probability. The first token never has one; of others, servers that ` +
        'reuse cached prefixes may leave them out: start it with --no-enable-prefix-caching',
    );
  });
}

/** A server that adds, drops or exchanges a token of the prompt samples from another distribution than the one trained. */
function requirePrompt({ prompt_token_ids }: Choice, prompt: ArrayLike<number>): void {
  const read = required(prompt_token_ids, 'prompt_token_ids');
  if (read.length === prompt.length && read.every((id, t) => id === prompt[t])) return;
  throw new Error(
    `vLLM: the server read the prompt as [${read.join(', ')}] and not as it was sent, [${Array.from(prompt).join(', ')}]`,
  );
}

function required<T>(value: T | null | undefined, field: string): T {
  if (value !== null && value !== undefined) return value;
  throw new Error(
    `vLLM: the response has no ${field}, although it was asked for (return_token_ids, prompt_logprobs). ` +
      'Upgrade the server to a vLLM whose /v1/completions knows these fields',
  );
}

/** Logits are often above 0, log-probabilities never, but for rounding. */
function requireLogprob(value: number | null): number {
  if (value !== null && value <= 1e-3) return value;
  throw new Error(
    `vLLM: ${value} came as a log-probability; expected a number up to 0. ` +
      'Start the server with --logprobs-mode processed_logprobs',
  );
}
