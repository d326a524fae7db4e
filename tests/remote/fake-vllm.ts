/**
 * `vllm serve` as far as it is documented, with a model of ours behind it. Fields, messages and statuses are those of vLLM's
 * `entrypoints/openai/completion/protocol.py`, `…/completion/serving.py`, `…/models/serving.py`, `renderers/params.py` and
 * `v1/engine/parallel_sampling.py` (seeds of n replies).
 */
import { createLocalEngine } from 'posttrain/engine';
import { loadAdapter } from 'posttrain/model/adapter-checkpoint.node';
import { disposeAdapter, generate, type Model, type Sample } from 'posttrain/model';
import { fakeService, json, type Asked, type FakeService, type Reply } from '../teachers/fake-service.js';

export const BASE = 'tiny/base';

export interface FakeVLLMOptions {
  /** `--enable-lora` */
  readonly enableLora?: boolean;
  /** `VLLM_ALLOW_RUNTIME_LORA_UPDATING` */
  readonly runtimeLora?: boolean;
  readonly maxLoraRank?: number;
  /** `--logprobs-mode` */
  readonly logprobsMode?: 'raw_logprobs' | 'processed_logprobs';
  /** Answers instead, where it has an answer. */
  readonly instead?: (asked: Asked) => Reply | undefined;
  /** The choices as they leave. */
  readonly tamper?: (choices: Choice[]) => unknown[];
}

export interface Choice {
  index: number;
  text: string;
  finish_reason: string;
  stop_reason: number | null;
  token_ids: number[] | null;
  prompt_token_ids: number[] | null;
  logprobs: {
    token_logprobs: number[];
    tokens: string[];
    text_offset: number[];
    top_logprobs: object[];
  } | null;
  prompt_logprobs: (Record<string, { logprob: number; rank: number; decoded_token: string }> | null)[] | null;
}

export interface CompletionBody {
  readonly model: string;
  readonly prompt: number[];
  readonly max_tokens: number;
  readonly n?: number;
  readonly seed?: number;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly stop_token_ids?: number[];
  readonly logprobs?: number;
  readonly prompt_logprobs?: number;
  readonly return_token_ids?: boolean;
  readonly cache_salt?: string;
  readonly structured_outputs?: object;
}

const documented = new Set(
  (
    'model prompt n seed max_tokens temperature top_p top_k min_p repetition_penalty presence_penalty frequency_penalty ' +
    'stop_token_ids ignore_eos logprobs prompt_logprobs return_token_ids cache_salt structured_outputs'
  ).split(' '),
);

export interface FakeVLLM extends FakeService {
  readonly baseUrl: string;
  readonly adapters: ReadonlyMap<string, Model>;
  /** Bodies of the completions that were asked for. */
  completions(): CompletionBody[];
}

export async function fakeVLLM(base: Model, options: FakeVLLMOptions = {}): Promise<FakeVLLM> {
  const { enableLora = true, runtimeLora = true, maxLoraRank = 16, tamper = (all) => all } = options;
  const adapters = new Map<string, Model>();
  const maxLength = base.config.maxPositionEmbeddings;

  const server = await fakeService((response, asked) => {
    void answer(asked).then((reply) => reply(response, asked));
  });
  return {
    ...server,
    baseUrl: `${server.url}/v1`,
    adapters,
    completions: () =>
      server.asked.filter(({ path }) => path === '/v1/completions').map(({ body }) => body as CompletionBody),
  };

  async function answer(asked: Asked): Promise<Reply> {
    const instead = options.instead?.(asked);
    if (instead !== undefined) return instead;
    const route = `${asked.method} ${asked.path}`;
    if (route === 'GET /v1/models') return json(200, models());
    if (route === 'POST /v1/completions') return complete(asked.body as CompletionBody);
    if (runtimeLora && route === 'POST /v1/load_lora_adapter')
      return load(asked.body as Record<'lora_name' | 'lora_path', string>);
    if (runtimeLora && route === 'POST /v1/unload_lora_adapter')
      return unload(asked.body as Record<'lora_name', string>);
    return json(404, { detail: 'Not Found' });
  }

  function models(): object {
    const card = (id: string, more: object): object => ({ id, object: 'model', owned_by: 'vllm', ...more });
    return {
      object: 'list',
      data: [
        card(BASE, { root: BASE, parent: null, max_model_len: maxLength }),
        ...[...adapters.keys()].map((name) => card(name, { root: name, parent: BASE, max_model_len: null })),
      ],
    };
  }

  async function load(body: Record<'lora_name' | 'lora_path', string>): Promise<Reply> {
    const { lora_name: name, lora_path: path } = body;
    if (adapters.has(name)) {
      return refuse(
        400,
        `The lora adapter '${name}' has already been loaded. If you want to load the adapter in place, set 'load_inplace' to True.`,
      );
    }
    if (!enableLora) return refuse(500, 'LoRA is not enabled. Use --enable-lora to enable LoRA.');
    try {
      const model = await loadAdapter(path, base);
      const { r } = model.adapter!.config;
      if (r > maxLoraRank) return refuse(500, `LoRA rank ${r} is greater than max_lora_rank ${maxLoraRank}.`);
      adapters.set(name, model);
    } catch {
      return refuse(404, `Loading lora ${name} failed: No adapter found for ${path}`);
    }
    return text(`Success: LoRA adapter '${name}' added successfully.`);
  }

  async function unload({ lora_name: name }: Record<'lora_name', string>): Promise<Reply> {
    const model = adapters.get(name);
    if (model === undefined) return refuse(404, `The lora adapter '${name}' cannot be found.`);
    disposeAdapter(model.adapter!);
    adapters.delete(name);
    return text(`Success: LoRA adapter '${name}' removed successfully.`);
  }

  async function complete(body: CompletionBody): Promise<Reply> {
    const unknown = Object.keys(body).filter((key) => !documented.has(key));
    if (unknown.length > 0) return refuse(400, `Extra inputs are not permitted: ${unknown.join(', ')}`);
    const { model: name, prompt, max_tokens: output } = body;
    const model = name === BASE ? base : adapters.get(name);
    if (model === undefined) return refuse(404, `The model \`${name}\` does not exist.`);
    if (prompt.length + output > maxLength) {
      return refuse(
        400,
        `This model's maximum context length is ${maxLength} tokens. However, you requested ${output} output tokens and your prompt ` +
          `contains ${prompt.length} input tokens, for a total of ${prompt.length + output} tokens. ` +
          'Please reduce the length of the input prompt or the number of requested output tokens.',
      );
    }
    const prompt_logprobs = body.prompt_logprobs === undefined ? null : await scores(model, prompt);
    const choices = (await replies(model, body)).map(({ sample, told }, index) =>
      choiceOf(body, sample, told, index, prompt_logprobs),
    );
    return json(200, {
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1_790_000_000,
      model: name,
      choices: tamper(choices),
      usage: { prompt_tokens: prompt.length, completion_tokens: 1, total_tokens: prompt.length + 1 },
    });
  }

  /** Reply i of n is drawn with the seed `seed + i`. */
  async function replies(
    model: Model,
    body: CompletionBody,
  ): Promise<{ readonly sample: Sample; readonly told: Float32Array }[]> {
    const { n = 1, seed = 0, temperature = 1, top_p: topP = 1, top_k = -1, stop_token_ids = [] } = body;
    const prompt = Int32Array.from(body.prompt);
    const samples = await generate(
      model,
      Array.from({ length: n }, () => prompt),
      {
        maxNewTokens: body.max_tokens,
        temperature,
        topP,
        topK: Math.max(0, top_k),
        stopTokens: stop_token_ids,
      },
      Array.from({ length: n }, (_, i) => ({ seed: 0, purpose: `vllm ${seed + i}`, step: 0, index: 0 })),
    );
    if (options.logprobsMode !== 'raw_logprobs') {
      return samples.map((sample) => ({ sample, told: sample.logprobs }));
    }
    return Promise.all(
      samples.map(async (sample) => {
        const tokens = [...prompt, ...sample.tokens];
        const raw = await logprobs(model, tokens);
        return { sample, told: raw.subarray(prompt.length) };
      }),
    );
  }
}

function choiceOf(
  { return_token_ids, logprobs, prompt }: CompletionBody,
  { tokens, finishReason }: Sample,
  told: Float32Array,
  index: number,
  prompt_logprobs: Choice['prompt_logprobs'],
): Choice {
  return {
    index,
    text: '',
    finish_reason: finishReason,
    stop_reason: finishReason === 'stop' ? tokens.at(-1)! : null,
    token_ids: return_token_ids ? [...tokens] : null,
    prompt_token_ids: return_token_ids ? prompt : null,
    logprobs:
      logprobs === undefined
        ? null
        : {
            token_logprobs: [...told],
            tokens: [...tokens].map((id) => `token_id:${id}`),
            text_offset: [...tokens].map(() => 0),
            top_logprobs: [...tokens].map((id, t) => ({ [`token_id:${id}`]: told[t] })),
          },
    prompt_logprobs,
  };
}

async function logprobs(model: Model, tokens: readonly number[]): Promise<Float32Array> {
  const engine = createLocalEngine(model);
  const mask = tokens.map((_, t) => (t === 0 ? 0 : 1));
  const [values] = await engine.logprobs([{ tokens, mask }]);
  engine.dispose();
  return values!;
}

async function scores(model: Model, tokens: readonly number[]): Promise<Choice['prompt_logprobs']> {
  const values = await logprobs(model, tokens);
  return tokens.map((id, t) =>
    t === 0 ? null : { [String(id)]: { logprob: values[t]!, rank: 1, decoded_token: '' } },
  );
}

const refuse = (code: number, message: string): Reply =>
  json(code, { error: { message, type: 'BadRequestError', param: null, code } });

const text =
  (content: string): Reply =>
  (response) => {
    response.writeHead(200);
    response.end(content);
  };
