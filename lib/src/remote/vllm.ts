/** A vLLM server: samples, scores, and takes new adapters while it runs. */
import type { MaskedSequence, Sample, SampleKey, SamplingParams } from '../model/index.js';
import { checkSamplingParams } from '../model/sampling.js';
import { hashText } from '../tensor/random.js';
import { ServiceError } from './errors.js';
import { askJson, askText, openEndpoint } from './http.js';
import { patientRequests, type Patience } from './patience.js';
import { withAdvice } from './vllm-advice.js';
import {
  type CompletionResponse,
  promptLogprobsOf,
  samplesOf,
  samplingBody,
  scoringBody,
  type VLLMPolicy,
} from './vllm-requests.js';

export interface VLLMOptions extends Patience {
  /** `http://localhost:8000/v1` */
  readonly baseUrl: string;
  /** As the server knows it: the name given to `vllm serve`, or its `--served-model-name`. */
  readonly model: string;
  /** What the server was given as `--api-key`. */
  readonly apiKey?: string | undefined;
  /** Breaks off the requests under way and all later ones. */
  readonly signal?: AbortSignal | undefined;
}

export interface VLLMServer {
  readonly model: string;
  /** Longest sequence, prompt and reply together (`--max-model-len`). */
  readonly maxLength: number;
  /**
   * One reply for each prompt. Prompts that are equal and follow each other become one request with `n`. The same keys give the same
   * seeds; how far vLLM repeats itself with them depends on what else it computes.
   */
  sample(
    policy: VLLMPolicy,
    prompts: readonly Int32Array[],
    params: SamplingParams,
    keys: readonly SampleKey[],
  ): Promise<Sample[]>;
  /** log π(tokenₜ | tokens before it) at temperature 1 where the mask is not 0, and 0 elsewhere: `[T]` for each sequence. */
  logprobs(policy: VLLMPolicy, sequences: readonly MaskedSequence[]): Promise<Float32Array[]>;
  /** @param path of a folder in PEFT's layout, as the server sees it. */
  loadAdapter(name: string, path: string): Promise<void>;
  /** Nothing happens where there is none of this name. */
  unloadAdapter(name: string): Promise<void>;
}

interface ModelList {
  readonly data: readonly { readonly id: string; readonly max_model_len?: number | null }[];
}

/**
 * Connects to a vLLM server, started for example with
 * ```sh
 * VLLM_ALLOW_RUNTIME_LORA_UPDATING=True vllm serve Qwen/Qwen3-0.6B \
 *   --enable-lora --max-lora-rank 16 --logprobs-mode processed_logprobs
 * ```
 * Never let such a port be reached from outside: who may load adapters may read files.
 *
 * Before the first sample one token is asked for, to see whether log-probabilities are those of the distribution sampled from.
 *
 * Held to a local server that answers as vLLM documents it; never run against a real one.
 * @throws Error for a URL, key or model that cannot be; every verb: ServiceError or UnansweredError, which name the server's missing flag
 * where one is missing, Error for an answer that is not what was asked for, the signal's reason when aborted.
 */
export async function openVLLM({
  baseUrl,
  model,
  apiKey,
  signal,
  ...patience
}: VLLMOptions): Promise<VLLMServer> {
  const endpoint = openEndpoint(baseUrl, apiKey);
  const requests = patientRequests({ who: `vllm ${model}`, secret: endpoint.secret }, patience);
  const maxLength = await longestSequence();
  let processed = false;

  return {
    model,
    maxLength,
    async sample(policy, prompts, params, keys) {
      checkSamplingParams(params);
      if (!processed) await requireProcessedLogprobs();
      processed = true;
      const samples = await together(runsOfEqual(prompts), async ({ start, prompt, n }, stop) => {
        const seed = hashText(JSON.stringify(keys[start]));
        const body = samplingBody(policy, prompt, n, params, seed);
        return samplesOf(await complete(body, stop), prompt, n, params);
      });
      return samples.flat();
    },
    logprobs: (policy, sequences) =>
      together(sequences, async (sequence, stop) =>
        promptLogprobsOf(await complete(scoringBody(policy, sequence.tokens), stop), sequence),
      ),
    loadAdapter: (lora_name, lora_path) =>
      adapterRoute(
        '/load_lora_adapter',
        { lora_name, lora_path },
        // by an attempt whose answer was lost; before the first it is somebody else's
        (error, attempt) => attempt > 1 && /has already been loaded/.test(error.message),
      ),
    unloadAdapter: (lora_name) =>
      adapterRoute('/unload_lora_adapter', { lora_name }, (error) => /cannot be found/.test(error.message)),
  };

  async function longestSequence(): Promise<number> {
    const { data = [] } = await ask('/models', undefined, signal, askJson<ModelList>);
    const served = data.map(({ id }) => id);
    if (!served.includes(model)) {
      throw new Error(`vLLM at ${endpoint.url} serves no ${model}; it serves ${served.join(', ')}`);
    }
    // cards of adapters do not say it
    const length = data.find(({ max_model_len }) => typeof max_model_len === 'number')?.max_model_len;
    if (typeof length === 'number') return length;
    throw new Error(`${endpoint.url}/models does not say max_model_len, so it is no vLLM server`);
  }

  /** Of a distribution cut to one token that token has log-probability 0, unless they are told from before the cut. */
  async function requireProcessedLogprobs(): Promise<void> {
    const prompt = Int32Array.of(0);
    const params = { maxNewTokens: 1, temperature: 1, topK: 1, stopTokens: [] };
    const body = samplingBody({ model, cacheSalt: 'probe' }, prompt, 1, params, 0);
    const [sample] = samplesOf(await complete(body, signal), prompt, 1, params);
    if ((sample?.logprobs[0] ?? -1) > -1e-3) return;
    throw new Error(
      'vLLM: its log-probabilities are those before temperature and cuts, and importance ratios need those after. ' +
        'Start the server with --logprobs-mode processed_logprobs',
    );
  }

  function complete(body: object, stop: AbortSignal | undefined): Promise<Partial<CompletionResponse>> {
    return ask('/completions', body, stop, askJson<CompletionResponse>);
  }

  /** @param isDone whether the server refuses because it has been done already */
  async function adapterRoute(
    path: string,
    body: object,
    isDone: (error: ServiceError, attempt: number) => boolean,
  ): Promise<void> {
    let attempt = 0;
    await ask(path, body, signal, async (...asked) => {
      attempt += 1;
      try {
        await askText(...asked);
      } catch (error) {
        if (!(error instanceof ServiceError && isDone(error, attempt))) throw error;
      }
    });
  }

  function ask<T>(
    path: string,
    body: object | undefined,
    stop: AbortSignal | undefined,
    send: (...asked: Parameters<typeof askText>) => Promise<T>,
  ): Promise<T> {
    return requests.again(
      async () => {
        await requests.turn(stop);
        return requests.inTime(
          (limited) =>
            send(endpoint, path, body, limited).catch((error: unknown) => {
              throw withAdvice(error, path);
            }),
          stop,
        );
      },
      path + JSON.stringify(body),
      stop,
    );
  }

  /** All at once, and when one fails the others are broken off. */
  async function together<Work, T>(
    work: readonly Work[],
    attend: (one: Work, stop: AbortSignal) => Promise<T>,
  ): Promise<T[]> {
    const failed = new AbortController();
    const stop = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
    try {
      return await Promise.all(work.map((one) => attend(one, stop)));
    } catch (error) {
      failed.abort();
      throw error;
    }
  }
}

interface Run {
  /** Position of its first prompt. */
  readonly start: number;
  readonly prompt: Int32Array;
  readonly n: number;
}

/** Equal prompts that follow each other, as the samples of one task do. */
function runsOfEqual(prompts: readonly Int32Array[]): Run[] {
  const runs: Run[] = [];
  prompts.forEach((prompt, start) => {
    const last = runs.at(-1);
    if (last !== undefined && equal(last.prompt, prompt)) runs[runs.length - 1] = { ...last, n: last.n + 1 };
    else runs.push({ start, prompt, n: 1 });
  });
  return runs;
}

function equal(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((token, t) => token === b[t]);
}
