/** What only a remote engine can get wrong: lost replies, restarts, order, size. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createTinkerEngine,
  type Datum,
  decodeCheckpoint,
  encodeCheckpoint,
  type Engine,
} from 'posttrain/engine';
import type { LossSpec } from 'posttrain/losses';
import { initBackend } from 'posttrain/tensor';
import { dropMidBody, hang, html502, json, type Reply } from '../teachers/fake-service.js';
import { locally } from './contract.js';
import { KEY, withServer } from './remote.js';

const batch: Datum[] = [
  { tokens: Int32Array.of(3, 6, 7, 8, 1), weights: Float32Array.of(0, 0, 0.25, 0.25, 0.25) },
  { tokens: Int32Array.of(3, 9, 1), weights: Float32Array.of(0, 0, 0.25) },
];
const sequences = batch.map(({ tokens, weights }) => ({ tokens, mask: weights }));
const crossEntropy: LossSpec = { name: 'cross_entropy' };
const sampling = { maxNewTokens: 4, stopTokens: [1], temperature: 1 };
const key = { seed: 1, purpose: 'test', step: 0, index: 0 };

/** Two steps; what is known of the weights after each. */
async function twoSteps(engine: Engine): Promise<unknown> {
  const seen: unknown[] = [];
  for (let step = 0; step < 2; step += 1) {
    seen.push((await engine.forwardBackward(batch, crossEntropy)).loss);
    seen.push((await engine.optimStep({ learningRate: 1e-2 })).gradNorm);
    seen.push(await engine.logprobs(sequences));
  }
  return seen;
}

const busy = json(429, { detail: 'Too many requests' }, { 'retry-after': '3' });
const down = json(503, { detail: 'Service Unavailable' });
const later: Reply = json(408, { type: 'try_again', queue_state: 'paused_capacity' });
const notYet: Reply = json(200, { type: 'try_again', queue_state: 'active' });
const expired = json(410, { detail: 'Promise expired' });

beforeAll(async () => {
  await initBackend({ backend: 'cpu' });
});

describe('a request that is sent again', () => {
  it.each<[string, string, (Reply | 'lose')[]]>([
    ['forward_backward, whose reply was lost', 'forward_backward', ['lose', 'lose']],
    ['optim_step, whose reply was lost', 'optim_step', ['lose']],
    ['forward, whose reply was lost', 'forward', ['lose']],
    ['forward_backward, at 429, 503 and 502', 'forward_backward', [busy, down, html502]],
    ['forward_backward, broken off', 'forward_backward', [dropMidBody]],
    ['polls that come too early', 'retrieve_future', [later, notYet, later, down, 'lose']],
    ['results that expired', 'retrieve_future', [expired, expired]],
  ])('does not double a gradient: %s', async (_, route, replies) => {
    const smooth = await withServer(twoSteps);
    const rough = await withServer((engine, server) => {
      server.trouble(route, ...replies);
      return twoSteps(engine).then((seen) => {
        if (route !== 'retrieve_future') {
          const bodies = server.bodies(route).slice(0, replies.length + 1);
          expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
        }
        return seen;
      });
    });
    expect(rough).toEqual(smooth);
  });

  it('is sent while a server hangs, and given up in the end', () =>
    withServer(
      async (engine, server) => {
        server.trouble('forward_backward', hang);
        expect((await engine.forwardBackward(batch, crossEntropy)).loss).toBeGreaterThan(1);
        server.trouble('forward', hang, hang);
        await expect(engine.logprobs(sequences)).rejects.toThrow(
          /no answer after 2 attempts; tinker tiny: no answer within 2 s/,
        );
      },
      { timeoutSeconds: 2, maxAttempts: 2 },
    ));

  it('saves once more when the server has saved already and does not say where', () =>
    withServer(async (engine, server) => {
      server.trouble('save_weights', 'lose');
      const { path } = await engine.save();
      expect(path).toMatch(/^tinker:\/\/model_\d+\/weights\/posttrain-2$/);
      server.trouble('save_weights_for_sampler', 'lose');
      expect(await engine.sample([Int32Array.of(3)], sampling, [key])).toHaveLength(1);
    }));
});

describe('requests under way together', () => {
  it('reach the server in the order they were made, whatever takes how long', async () => {
    const [awaited, pipelined] = [
      await withServer(twoSteps),
      await withServer(async (engine, server) => {
        server.trouble('forward_backward', down, down);
        const seen: unknown[] = [];
        for (let step = 0; step < 2; step += 1) {
          const learnt = engine.forwardBackward(batch, crossEntropy);
          const stepped = engine.optimStep({ learningRate: 1e-2 });
          const scored = engine.logprobs(sequences);
          seen.push(
            learnt.then(({ loss }) => loss),
            stepped.then(({ gradNorm }) => gradNorm),
            scored,
          );
        }
        const results = await Promise.all(seen);
        const order = ['forward_backward', 'optim_step', 'forward'];
        const trained = server.asked.map(({ path }) => path.slice('/api/v1/'.length));
        expect(trained.filter((route) => order.includes(route))).toEqual([
          ...['forward_backward', 'forward_backward'],
          ...order,
          ...order,
        ]);
        expect(server.bodies('optim_step').map(({ seq_id }) => seq_id)).toEqual([2, 5]);
        return results;
      }),
    ];
    expect(pipelined).toEqual(awaited);
  });

  it('are not awaited: the step is submitted before the gradient is there', () =>
    withServer(async (engine, server) => {
      server.trouble('retrieve_future', hang);
      const learnt = engine.forwardBackward(batch, crossEntropy);
      const stepped = engine.optimStep({ learningRate: 1e-2 });
      await expect(stepped).resolves.toMatchObject({ stepped: true });
      let arrived = false;
      void learnt.then(() => (arrived = true)).catch(() => undefined);
      await Promise.resolve();
      expect(arrived).toBe(false);
      expect(server.bodies('optim_step')).toHaveLength(1);
    }));

  it('fail together with the one they build on', () =>
    withServer(async (engine, server) => {
      server.trouble('forward_backward', json(422, { detail: 'no such token' }));
      const learnt = engine.forwardBackward(batch, crossEntropy);
      const stepped = engine.optimStep({ learningRate: 1e-2 });
      await expect(learnt).rejects.toThrow('tinker tiny: HTTP 422: no such token');
      await expect(stepped).rejects.toThrow('no such token');
      expect(server.bodies('optim_step')).toEqual([]);
    }));
});

describe('large batches', () => {
  it('go in several requests, whose gradients add up', async () => {
    const many = Array.from({ length: 1030 }, (_, n): Datum => ({
      tokens: Int32Array.of(3, 6 + (n % 5), 1),
      weights: Float32Array.of(0, 1 / 2060, 1 / 2060),
    }));
    const run = async (engine: Engine): Promise<readonly [number, number, number]> => {
      const { loss, logprobs } = await engine.forwardBackward(many, crossEntropy);
      const { gradNorm } = await engine.optimStep({ learningRate: 1e-2 });
      return [loss, gradNorm as number, logprobs.at(-1)?.[2] as number];
    };
    const here = await locally(run);
    const there = await withServer(async (engine, server) => {
      const seen = await run(engine);
      const sizes = server
        .bodies('forward_backward')
        .map(({ forward_backward_input: input }) => input.data.length);
      expect(sizes).toEqual([1024, 6]);
      return seen;
    });
    here.forEach((value, n) => expect(Math.abs((there[n] as number) - value)).toBeLessThan(1e-5));
  });
});

describe('a session', () => {
  it('is kept alive until the engine is disposed of, which unloads the model', () =>
    withServer(
      async (engine, server) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        const beats = server.bodies('session_heartbeat');
        expect(beats.length).toBeGreaterThan(2);
        expect(beats[0]).toEqual({ type: 'session_heartbeat', session_id: 'session_1' });
        const waiting = engine.logprobs(sequences);
        engine.dispose();
        await expect(waiting).rejects.toThrow('tinker tiny: the engine was disposed of');
        await expect.poll(() => server.bodies('unload_model').length).toBe(1);
        const { length } = server.bodies('session_heartbeat');
        await new Promise((resolve) => setTimeout(resolve, 50));
        expect(server.bodies('session_heartbeat')).toHaveLength(length);
      },
      { heartbeatSeconds: 0.01 },
    ));

  it('that a restart ended is named, and a saved state goes on in a new one, through a file, too', () =>
    withServer(async (engine, server) => {
      await engine.forwardBackward(batch, crossEntropy);
      await engine.optimStep({ learningRate: 1e-2 });
      const bytes = encodeCheckpoint({ engine: await engine.save(), trainer: { step: 1 } });
      const before = await engine.logprobs(sequences);
      server.restart();
      const advice = /Model not found. The server no longer knows this model: .* Load the last saved state/;
      await expect(engine.forwardBackward(batch, crossEntropy)).rejects.toThrow(advice);
      await expect(engine.sample([Int32Array.of(3)], sampling, [key])).rejects.toThrow(advice);
      await engine.load(decodeCheckpoint(bytes).engine);
      expect(engine.policyVersion).toBe(1);
      expect(await engine.logprobs(sequences)).toEqual(before);
      expect(await engine.sample([Int32Array.of(3)], sampling, [key])).toHaveLength(1);
    }));

  it('is not begun without the right key, which no error tells', () =>
    expect(withServer(() => Promise.resolve(), { apiKey: 'tml-wrong' })).rejects.toThrow(
      /^tinker tiny: HTTP 401: Invalid API key$/,
    ));
});

describe('what a server cannot do', () => {
  it.each<[RegExp, (engine: Engine) => Promise<unknown>]>([
    [/temperature is 0.7/, (engine) => engine.forwardBackward(batch, crossEntropy, 0.7)],
    [/temperature is 0.7/, (engine) => engine.logprobs(sequences, 0.7)],
    [/optim is muon/, (engine) => engine.optimStep({ learningRate: 1, optim: 'muon' })],
    [/not whole distributions/, (engine) => engine.distributions(sequences)],
    [
      /needs the distribution/,
      (engine) => engine.forwardBackward(batch, { name: 'generalized_jsd', beta: 0 }),
    ],
    [
      /saved by a local engine/,
      (engine) => locally((local) => local.save()).then((state) => engine.load(state)),
    ],
    [
      /state lies on a server, at tinker:/,
      (engine) => engine.save().then((state) => locally((local) => local.load(state))),
    ],
    [
      /Checkpoint not found/,
      (engine) => engine.save().then((state) => engine.load({ ...state, path: 'tinker://no/weights/no' })),
    ],
  ])('is said: %s, and nothing is broken', (message, attempt) =>
    withServer(async (engine) => {
      await expect(attempt(engine)).rejects.toThrow(message);
      expect((await engine.forwardBackward(batch, crossEntropy)).loss).toBeGreaterThan(1);
    }),
  );

  it('is said of what it sent: a loss that is no number refuses the step', () =>
    withServer(async (engine, server) => {
      const output = { loss_fn_outputs: batch.map(() => ({ logprobs: { data: [null, null, null, null] } })) };
      server.trouble('retrieve_future', json(200, output));
      expect((await engine.forwardBackward(batch, crossEntropy)).loss).toBeNaN();
      await expect(engine.optimStep({ learningRate: 1 })).rejects.toThrow(/cannot be taken back/);
      expect(server.bodies('optim_step')).toEqual([]);
    }));

  it('is said of what it sent: samples and prompts without their log-probabilities', () =>
    withServer(async (engine, server) => {
      const reference = await engine.reference();
      const bare = json(200, { sequences: [{ stop_reason: 'stop', tokens: [5, 1], logprobs: null }] });
      server.trouble('retrieve_future', bare, bare);
      await expect(engine.sample([Int32Array.of(3)], sampling, [key])).rejects.toThrow(
        '2 tokens with no log-probabilities',
      );
      await expect(reference.logprobs(sequences.slice(1))).rejects.toThrow(
        /no log-probabilities for a prompt of 3/,
      );
    }));

  it.each<[string, string, Reply, RegExp]>([
    ['no number of the request', 'forward_backward', json(200, {}), /forward_backward .* in request_id/],
    ['no outputs', 'retrieve_future', json(200, {}), /forward_backward .* in loss_fn_outputs/],
    [
      'words among the numbers',
      'retrieve_future',
      json(200, { loss_fn_outputs: [{ logprobs: { data: [-1, 'x'] } }] }),
      /in loss_fn_outputs\.0\.logprobs\.data\.1/,
    ],
  ])('is said of an answer with %s', (_, route, reply, message) =>
    withServer(async (engine, server) => {
      server.trouble(route, reply);
      await expect(engine.forwardBackward(batch, crossEntropy)).rejects.toThrow(message);
    }),
  );

  it('is said of what failed there', () =>
    withServer(async (engine, server) => {
      server.trouble('retrieve_future', json(200, { error: 'out of memory', category: 'server' }));
      await expect(engine.forwardBackward(batch, crossEntropy)).rejects.toThrow(
        'tinker tiny: forward_backward failed: out of memory',
      );
      server.trouble('retrieve_future', ...Array<Reply>(4).fill(expired));
      await expect(engine.logprobs(sequences)).rejects.toThrow('the result of forward expired 4 times');
    }));
});

it('needs a URL and a key that can be ones', async () => {
  const options = { baseUrl: 'localhost', apiKey: KEY, baseModel: 'tiny', maxLength: 64 };
  await expect(createTinkerEngine(options)).rejects.toThrow(/base URL "localhost" is none/);
  await expect(
    createTinkerEngine({ ...options, baseUrl: 'http://localhost:1', apiKey: ' ' }),
  ).rejects.toThrow('the API key is empty');
});
