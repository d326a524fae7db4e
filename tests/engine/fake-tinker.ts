/**
 * A server that speaks Tinker's REST protocol on this machine, over our own local engine, so that its numbers can be compared. Strict where
 * SkyRL is (`NovaSky-AI/SkyRL`, `skyrl/tinker/api.py`): 404, 409 and 422 as there, requests of one model in order of arrival, a sequence id
 * that was seen before is answered with the first request. Trains all weights; LoRA would change nothing that is tested.
 */
import { createLocalEngine, type Datum, type Engine, type EngineState } from 'posttrain/engine';
import { isTrained } from 'posttrain/engine/micro-step';
import type { LossSpec } from 'posttrain/losses';
import { cloneModel, disposeModel, type Model } from 'posttrain/model';
import { type Asked, fakeService, type FakeService, json, type Reply } from '../teachers/fake-service.js';

export interface FakeTinker extends FakeService {
  /** The next requests of a route get these replies instead; `lose`: the request is served, and its reply lost. */
  readonly trouble: (route: string, ...replies: (Reply | 'lose')[]) => void;
  /** Forgets all but what was saved. */
  readonly restart: () => void;
  /** The bodies that a route was asked with. */
  readonly bodies: (route: string) => Fields[];
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Fields = Record<string, any>;

class Refusal extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
}

interface Served {
  readonly model: Model;
  readonly engine: Engine;
}

function served(model: Model): Served {
  return { model, engine: createLocalEngine(model) };
}

function free({ model, engine }: Served): void {
  engine.dispose();
  disposeModel(model);
}

const API_KEY = 'tml-test';

/** @param base makes the base model. */
export async function fakeTinker(base: () => Model): Promise<FakeTinker> {
  const saved = new Map<string, EngineState>();
  const troubles = new Map<string, (Reply | 'lose')[]>();
  const sessions = new Set<string>();
  const models = new Map<string, Served>();
  const samplers = new Map<string, Served>();
  const futures = new Map<string, Promise<object>>();
  const seen = new Map<string, { readonly request_id: string; readonly body: string }>();
  const checkpoints = new Set<string>();
  let names = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const name = (kind: string): string => `${kind}_${(names += 1)}`;

  /** Begins work when all before is done, and says under which number its result will be. */
  function begin(work: () => Promise<object>): Fields {
    const request_id = String((names += 1));
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    result.catch(() => undefined);
    futures.set(request_id, result);
    return { request_id, future_id: request_id, status: 'pending' };
  }

  /** The same for a request of a model: one that was seen before is not begun again. */
  function once(route: string, body: Fields, work: (served: Served) => Promise<object>): Fields {
    const { model_id, seq_id } = body;
    const model = models.get(model_id);
    if (model === undefined) throw new Refusal(404, 'Model not found');
    const [place, text] = [`${model_id} ${seq_id}`, JSON.stringify([route, body])];
    const before = seen.get(place);
    if (before === undefined) {
      const future = begin(() => work(model));
      seen.set(place, { request_id: future['request_id'], body: text });
      return future;
    }
    if (before.body !== text) throw new Refusal(409, 'Training request sequence number was reused');
    return { request_id: before.request_id, status: 'pending' };
  }

  function newCheckpoint(place: string): void {
    if (checkpoints.has(place)) throw new Refusal(409, `Checkpoint '${place}' already exists`);
    checkpoints.add(place);
  }

  function needSession(session_id: string): void {
    if (!sessions.has(session_id)) throw new Refusal(404, 'Session not found');
  }

  const routes: Record<string, (body: Fields) => object | Promise<object>> = {
    create_session: ({ tags, sdk_version }) => {
      if (!Array.isArray(tags) || typeof sdk_version !== 'string') throw new Refusal(422, 'no session');
      const session_id = name('session');
      sessions.add(session_id);
      return { type: 'create_session', session_id };
    },
    session_heartbeat: ({ session_id }) => {
      needSession(session_id);
      return { type: 'session_heartbeat' };
    },
    create_model: ({ session_id, base_model, lora_config }) => {
      needSession(session_id);
      const model_id = name('model');
      models.set(model_id, served(base()));
      const future = begin(() => Promise.resolve({ model_id, base_model, lora_config }));
      return { ...future, model_id, base_model, status: 'created' };
    },
    unload_model: ({ model_id }) => {
      const model = models.get(model_id);
      if (model === undefined) throw new Refusal(404, 'Model not found');
      models.delete(model_id);
      return begin(() => Promise.resolve().then(() => (free(model), { model_id, status: 'unloaded' })));
    },
    forward: (body) =>
      once('forward', body, async ({ engine }) => {
        const { data, loss_fn } = body['forward_input'];
        if (loss_fn !== 'cross_entropy') throw new Refusal(400, `Unknown loss function '${loss_fn}'`);
        return outputOf(await allLogprobs(engine, data), 0);
      }),
    forward_backward: (body) => {
      const { data, loss_fn, loss_fn_config } = body['forward_backward_input'];
      const spec = specOf(loss_fn, loss_fn_config);
      const batch: Datum[] = data.map((datum: Fields) => datumOf(datum, loss_fn));
      return once('forward_backward', body, async ({ engine }) => {
        const logprobs = await allLogprobs(engine, data);
        const { loss } = await (batch.some(isTrained)
          ? engine.forwardBackward(batch, spec)
          : engine.forwardBackward(flat(batch), specOf('importance_sampling', undefined)));
        return outputOf(logprobs, loss);
      });
    },
    optim_step: (body) =>
      once('optim_step', body, async ({ engine }) => {
        const { learning_rate, beta1, beta2, eps, weight_decay, grad_clip_norm } = body['adam_params'];
        const { gradNorm } = await engine.optimStep({
          learningRate: learning_rate,
          adamBeta1: beta1,
          adamBeta2: beta2,
          adamEpsilon: eps,
          weightDecay: weight_decay,
          maxGradNorm: grad_clip_norm,
        });
        return { metrics: { 'skyrl.ai/grad_norm': gradNorm } };
      }),
    save_weights: (body) => {
      const path = `tinker://${body['model_id']}/weights/${body['path']}`;
      newCheckpoint(path);
      return once('save_weights', body, async ({ engine }) => {
        saved.set(path, await engine.save());
        return { type: 'save_weights', path };
      });
    },
    load_weights: (body) => {
      const state = saved.get(body['path']);
      if (state === undefined) throw new Refusal(404, `Checkpoint not found: ${body['path']}`);
      if (body['seq_id'] !== 1) throw new Refusal(400, 'load_weights must be the first request of a model');
      return once('load_weights', body, async ({ engine }) => {
        await engine.load(state);
        return { type: 'load_weights' };
      });
    },
    save_weights_for_sampler: (body) => {
      const { model_id, sampling_session_seq_id, seq_id } = body;
      newCheckpoint(`tinker://${model_id}/sampler_weights/ss${sampling_session_seq_id}_seq${seq_id}`);
      return once('save_weights_for_sampler', body, ({ model }) => {
        const sampling_session_id = name('sampling');
        samplers.set(sampling_session_id, served(cloneModel(model)));
        return Promise.resolve({ type: 'save_weights_for_sampler', path: null, sampling_session_id });
      });
    },
    asample: ({ sampling_session_id, seq_id, prompt, num_samples, sampling_params, prompt_logprobs }) => {
      const sampler = samplers.get(sampling_session_id);
      if (sampler === undefined) throw new Refusal(404, 'Sampling session not found');
      if (seq_id === undefined || num_samples !== 1) throw new Refusal(422, 'no request to sample');
      const { max_tokens, seed, stop = [], temperature, top_k = -1, top_p = 1 } = sampling_params;
      if (!(max_tokens > 0)) throw new Refusal(400, 'max_tokens must be a positive number');
      return begin(async () => {
        const { engine } = sampler;
        const tokens = Int32Array.from(tokensIn(prompt));
        const params = {
          maxNewTokens: max_tokens,
          stopTokens: stop,
          temperature,
          topP: top_p,
          topK: Math.max(0, top_k),
        };
        const key = { seed, purpose: 'fake', step: 0, index: 0 };
        const [reply] = await engine.sample([tokens], params, [key]);
        const scored = prompt_logprobs ? await engine.logprobs([{ tokens, mask: afterFirst(tokens) }]) : [];
        return {
          sequences: [
            {
              stop_reason: reply!.finishReason,
              tokens: [...reply!.tokens],
              logprobs: [...reply!.logprobs],
            },
          ],
          prompt_logprobs: prompt_logprobs ? [null, ...[...scored[0]!].slice(1)] : null,
        };
      });
    },
    retrieve_future: ({ request_id }) => {
      const future = futures.get(request_id);
      if (future === undefined) throw new Refusal(404, 'Future not found');
      return future;
    },
  };

  async function serve(route: string, asked: Asked): Promise<Reply> {
    if (asked.headers['x-api-key'] !== API_KEY) return json(401, { detail: 'Invalid API key' });
    const handle = routes[route];
    if (handle === undefined) return json(404, { detail: 'Not Found' });
    try {
      return json(200, await handle(asked.body as Fields));
    } catch (error) {
      return json(error instanceof Refusal ? error.status : 400, { detail: (error as Error).message });
    }
  }

  const routeOf = ({ path }: Asked): string => path.replace('/api/v1/', '');
  const service = await fakeService((response, asked) => {
    const route = routeOf(asked);
    const trouble = troubles.get(route)?.shift();
    if (trouble !== undefined && trouble !== 'lose') return trouble(response, asked);
    void serve(route, asked).then((reply) =>
      trouble === 'lose' ? response.destroy() : reply(response, asked),
    );
  });

  const forget = (): void => {
    [...models.values(), ...samplers.values()].forEach(free);
    [sessions, models, samplers, futures, seen].forEach((all) => all.clear());
  };
  return {
    ...service,
    trouble: (route, ...replies) => troubles.set(route, replies),
    restart: forget,
    bodies: (route) =>
      service.asked.filter((one) => routeOf(one) === route).map(({ body }) => body as Fields),
    close: async () => {
      await queue;
      forget();
      await service.close();
    },
  };
}

function tokensIn({ chunks }: Fields): number[] {
  return chunks.flatMap(({ type, tokens }: Fields) => {
    if (type !== 'encoded_text') throw new Refusal(422, `no chunk of text: ${type}`);
    return tokens as number[];
  });
}

function afterFirst(tokens: ArrayLike<number>): number[] {
  return Array.from(tokens, (_, t) => (t === 0 ? 0 : 1));
}

/** Inputs and shifted targets as one sequence. */
function sequenceOf({ model_input, loss_fn_inputs }: Fields): Int32Array {
  const [inputs, targets] = [tokensIn(model_input), loss_fn_inputs.target_tokens.data as number[]];
  if (
    targets.length !== inputs.length ||
    targets.some((id, t) => t + 1 < inputs.length && id !== inputs[t + 1])
  )
    throw new Refusal(422, 'target_tokens are not the shifted input');
  return Int32Array.of(inputs[0]!, ...targets);
}

const STREAMS: Record<string, readonly string[]> = {
  cross_entropy: ['weights'],
  importance_sampling: ['logprobs', 'advantages'],
  ppo: ['logprobs', 'advantages'],
};

function datumOf(datum: Fields, loss_fn: string): Datum {
  const tokens = sequenceOf(datum);
  const names = Object.keys(datum['loss_fn_inputs']).filter((key) => key !== 'target_tokens');
  if (names.sort().join() !== [...STREAMS[loss_fn]!].sort().join())
    throw new Refusal(422, `${loss_fn} takes ${STREAMS[loss_fn]!.join(', ')}; got ${names.join(', ')}`);
  const stream = (key: string): Float32Array => {
    const { data, dtype, shape } = datum['loss_fn_inputs'][key];
    if (
      dtype !== 'float32' ||
      shape[0] !== tokens.length - 1 ||
      data.length !== shape[0] ||
      data.includes(null)
    )
      throw new Refusal(422, `${key} is no float32 tensor of ${tokens.length - 1} numbers`);
    return Float32Array.of(0, ...data);
  };
  if (loss_fn === 'cross_entropy') return { tokens, weights: stream('weights') };
  return {
    tokens,
    weights: Float32Array.from(afterFirst(tokens)),
    advantages: stream('advantages'),
    oldLogprobs: stream('logprobs'),
  };
}

function specOf(loss_fn: string, config: Fields | undefined): LossSpec {
  if (!(loss_fn in STREAMS)) throw new Refusal(422, `Unknown loss function '${loss_fn}'`);
  if (loss_fn === 'cross_entropy') return { name: 'cross_entropy' };
  const { clip_low_threshold: low = 0, clip_high_threshold: high = Infinity, ...others } = config ?? {};
  if (Object.keys(others).length > 0 || (loss_fn !== 'ppo' && config !== undefined))
    throw new Refusal(422, `Invalid loss_fn_config keys for loss_fn='${loss_fn}'`);
  return { name: 'policy_gradient', epsilon: 1 - low, epsilonHigh: high - 1, delta: null, beta: 0 };
}

/** A gradient of zeros is one, too, and a step is taken with it; our engine would leave the data out. */
function flat(batch: readonly Datum[]): Datum[] {
  return batch.map(({ tokens, weights }): Datum => ({
    tokens,
    weights: Float32Array.from(afterFirst(tokens)),
    advantages: weights,
  }));
}

async function allLogprobs(engine: Engine, data: readonly Fields[]): Promise<Float32Array[]> {
  const sequences = data.map(sequenceOf).map((tokens) => ({ tokens, mask: afterFirst(tokens) }));
  return engine.logprobs(sequences);
}

function outputOf(logprobs: readonly Float32Array[], loss: number): object {
  return {
    loss_fn_output_type: 'ArrayRecord',
    loss_fn_outputs: logprobs.map((stream) => ({ logprobs: { data: [...stream].slice(1) } })),
    metrics: { 'total_loss:sum': loss },
  };
}
