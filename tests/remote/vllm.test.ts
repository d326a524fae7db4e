import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, vllmSampler, vllmScorer } from 'posttrain/engine';
import { disposeModel, type Model, sampleKeys } from 'posttrain/model';
import { openVLLM, type VLLMOptions, type VLLMServer } from 'posttrain/remote';
import { initBackend } from 'posttrain/tensor';
import { tinyModel } from '../engine/tiny.js';
import { hang, html502, json } from '../teachers/fake-service.js';
import { stillClock } from '../teachers/still-clock.js';
import { BASE, type Choice, fakeVLLM, type FakeVLLM, type FakeVLLMOptions } from './fake-vllm.js';

const KEY = 'sk-this-is-no-key-0123456789';
const STOP = 3;
const params = { maxNewTokens: 6, temperature: 0.7, stopTokens: [STOP] };
const policy = { model: BASE, cacheSalt: 'v0' };
const prompts = [
  [1, 9, 9],
  [1, 9, 9],
  [1, 9, 9],
  [1, 8],
].map((ids) => Int32Array.from(ids));
const keys = sampleKeys(prompts.length, 5, 'test');

let base: Model;
let fake: FakeVLLM;

beforeAll(async () => {
  await initBackend({ backend: 'cpu' });
  base = tinyModel();
  return () => disposeModel(base);
});
afterEach(() => fake.close());

async function open(options: FakeVLLMOptions = {}, client: Partial<VLLMOptions> = {}): Promise<VLLMServer> {
  fake = await fakeVLLM(base, options);
  return openVLLM({ baseUrl: `${fake.baseUrl}/`, model: BASE, clock: stillClock(), ...client });
}

/** The server as it is, but its answers to real requests, not to the probe, are changed. */
const tampered = (change: (choice: Choice) => object): FakeVLLMOptions => ({
  tamper: (choices) =>
    choices[0]!.prompt_token_ids!.length === 1
      ? choices
      : choices.map((choice) => ({ ...choice, ...change(choice) })),
});

describe('samples', () => {
  it('come as the token ids that were sampled, with log-probabilities the trainer agrees with', async () => {
    const server = await open();
    const samples = await server.sample(policy, prompts, params, keys);
    const engine = createLocalEngine(base);
    const trained = await engine.logprobs(
      samples.map(({ tokens }, i) => ({
        tokens: [...prompts[i]!, ...tokens],
        mask: [...prompts[i]!.map(() => 0), ...tokens.map(() => 1)],
      })),
      params.temperature,
    );
    engine.dispose();
    samples.forEach(({ tokens, logprobs, finishReason }, i) => {
      expect(logprobs).toHaveLength(tokens.length);
      expect(finishReason === 'stop').toBe(tokens.at(-1) === STOP);
      if (finishReason === 'length') expect(tokens).toHaveLength(params.maxNewTokens);
      logprobs.forEach((value, t) => expect(value).toBeCloseTo(trained[i]![prompts[i]!.length + t]!, 4));
    });
    expect(new Set(samples.map(({ finishReason }) => finishReason))).toContain('length');
  });

  it('of one prompt are one request with n, in the order of their indices however they come', async () => {
    const straight = await (await open()).sample(policy, prompts, params, keys);
    await fake.close();
    const server = await open({ tamper: (choices) => [...choices].reverse() });
    expect(await server.sample(policy, prompts, params, keys)).toEqual(straight);
    expect(fake.completions().map(({ n, prompt }) => [n, prompt])).toEqual([
      [1, [0]],
      [3, [1, 9, 9]],
      [1, [1, 8]],
    ]);
    expect(new Set(straight.slice(0, 3).map(({ tokens }) => tokens.join())).size).toBeGreaterThan(1);
  });

  it('leave nothing of the distribution to the server’s defaults', async () => {
    const server = await open();
    await server.sample(policy, prompts.slice(3), { ...params, topP: 0.9 }, keys.slice(3));
    expect(fake.completions()[1]).toEqual({
      model: BASE,
      prompt: [1, 8],
      n: 1,
      seed: expect.any(Number) as number,
      max_tokens: 6,
      temperature: 0.7,
      top_p: 0.9,
      top_k: -1,
      min_p: 0,
      repetition_penalty: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      stop_token_ids: [STOP],
      ignore_eos: true,
      logprobs: 0,
      return_token_ids: true,
      cache_salt: 'v0',
    });
  });

  it('have seeds that follow from the keys', async () => {
    const server = await open();
    const draw = (seed: number): Promise<unknown> =>
      server.sample(policy, prompts, params, sampleKeys(prompts.length, seed, 'test'));
    expect(await draw(1)).toEqual(await draw(1));
    expect(await draw(1)).not.toEqual(await draw(2));
  });

  it.each<[string, (choice: Choice) => object, RegExp]>([
    ['no token_ids', () => ({ token_ids: null }), /no token_ids, .*return_token_ids.*Upgrade the server/],
    ['no prompt_token_ids', () => ({ prompt_token_ids: null }), /no prompt_token_ids/],
    [
      'another prompt',
      ({ prompt_token_ids: ids }) => ({ prompt_token_ids: [7, ...ids!] }),
      /read the prompt as \[7, 1, /,
    ],
    [
      'too few log-probabilities',
      ({ logprobs }) => ({ logprobs: { ...logprobs, token_logprobs: logprobs!.token_logprobs.slice(1) } }),
      /\d tokens came with \d log-probabilities/,
    ],
    [
      'logits',
      ({ logprobs }) => ({
        logprobs: { ...logprobs, token_logprobs: logprobs!.token_logprobs.map(() => 4.5) },
      }),
      /4.5 came as a log-probability.*--logprobs-mode processed_logprobs/,
    ],
    ['a reply that was dropped', () => ({ finish_reason: 'abort' }), /finish_reason "abort"/],
    [
      'a stop on no stop token',
      ({ token_ids: ids }) => ({ finish_reason: 'stop', token_ids: ids!.map(() => 5) }),
      /"stop" on token 5; .*stop tokens 3/,
    ],
    ['an index twice', () => ({ index: 0 }), /n = 3 replies, got those with the indices \[0, 0, 0\]/],
  ])('with %s are refused', async (_, change, message) => {
    const server = await open(tampered(change));
    await expect(server.sample(policy, prompts.slice(0, 3), params, keys)).rejects.toThrow(message);
  });

  it('are not taken from a server that tells raw log-probabilities', async () => {
    const server = await open({ logprobsMode: 'raw_logprobs' });
    await expect(server.sample(policy, prompts, params, keys)).rejects.toThrow(
      /Start the server with --logprobs-mode processed_logprobs/,
    );
    expect(fake.completions()).toHaveLength(1);
  });

  it('follow a grammar only where a sampler is asked for one', async () => {
    const server = await open();
    const structuredOutputs = { json: { type: 'object' } };
    const sampler = vllmSampler(server, { structuredOutputs });
    await sampler.sample(prompts.slice(0, 1), params, keys.slice(0, 1));
    await vllmSampler(server).sample(prompts.slice(0, 1), params, keys.slice(0, 1));
    expect(fake.completions().map(({ structured_outputs }) => structured_outputs)).toEqual([
      undefined,
      structuredOutputs,
      undefined,
    ]);
  });

  it('of two policy versions share no cache', async () => {
    const server = await open();
    for (const policyVersion of [0, 1]) {
      await vllmSampler(server, { policyVersion }).sample(prompts.slice(0, 1), params, keys.slice(0, 1));
    }
    const [, ...salts] = fake.completions().map(({ cache_salt }) => cache_salt);
    expect(salts).toEqual([`${BASE}@v0`, `${BASE}@v1`]);
  });
});

describe('scores of a teacher', () => {
  const sequences = [
    { tokens: [1, 9, 8, 3], mask: [0, 0, 1, 1] },
    { tokens: [1, 7, 7], mask: [0, 1, 1] },
  ];

  it('are those of the engine', async () => {
    const teacher = vllmScorer(await open());
    const engine = createLocalEngine(base);
    const expected = await engine.logprobs(sequences);
    engine.dispose();
    const scores = await teacher.logprobs(sequences);
    expect(scores.map((row) => [...row])).toEqual(
      expected.map((row) => [...row].map((value) => expect.closeTo(value, 5) as number)),
    );
    expect(fake.completions()[0]).toMatchObject({ prompt: [1, 9, 8, 3], max_tokens: 1, prompt_logprobs: 0 });
  });

  it('come from servers with raw log-probabilities as well, for prompts have no others', async () => {
    const teacher = vllmScorer(await open({ logprobsMode: 'raw_logprobs' }));
    await expect(teacher.logprobs(sequences)).resolves.toHaveLength(2);
  });

  it('are at temperature 1 only', async () => {
    const teacher = vllmScorer(await open());
    await expect(teacher.logprobs(sequences, 0.7)).rejects.toThrow(/temperature is 0.7; vLLM scores/);
  });

  it.each<[string, (choice: Choice) => object, RegExp]>([
    ['none at all', () => ({ prompt_logprobs: null }), /no prompt_logprobs/],
    [
      'one missing',
      ({ prompt_logprobs: scores }) => ({
        prompt_logprobs: scores!.map((score, t) => (t === 2 ? null : score)),
      }),
      /at 2 came without a log-probability.*--no-enable-prefix-caching/,
    ],
  ])('with %s are refused', async (_, change, message) => {
    const teacher = vllmScorer(await open(tampered(change)));
    await expect(teacher.logprobs(sequences)).rejects.toThrow(message);
  });
});

describe('trouble', () => {
  it('names the models there are', async () => {
    await expect(open({}, { model: 'other' })).rejects.toThrow(/serves no other; it serves tiny\/base/);
  });

  it('tells a server that is none of vLLM', async () => {
    const models = json(200, { object: 'list', data: [{ id: BASE }] });
    await expect(open({ instead: () => models })).rejects.toThrow(/does not say max_model_len/);
  });

  it('says what a prompt that is too long needs, and breaks the others off', async () => {
    const server = await open();
    const long = [...prompts, new Int32Array(60).fill(9)];
    await expect(server.sample(policy, long, params, sampleKeys(long.length, 5, 'test'))).rejects.toThrow(
      /HTTP 400: .*maximum context length is 64 tokens.*--max-model-len/,
    );
  });

  it('names the flag of log-probabilities that are too many', async () => {
    const message = 'Requested prompt logprobs of 1, which is greater than max allowed: 0';
    const instead: FakeVLLMOptions['instead'] = ({ path }) =>
      path === '/v1/completions' ? json(400, { error: { message, code: 400 } }) : undefined;
    const teacher = vllmScorer(await open({ instead }));
    await expect(teacher.logprobs([{ tokens: [1, 2], mask: [0, 1] }])).rejects.toThrow(/--max-logprobs/);
  });

  it('passes: a server that restarts is asked again', async () => {
    let trouble = 2;
    const server = await open({
      instead: ({ path }) => (path === '/v1/completions' && trouble-- > 0 ? html502 : undefined),
    });
    await expect(server.sample(policy, prompts, params, keys)).resolves.toHaveLength(4);
  });

  it('never shows the key', async () => {
    const instead = json(401, { error: { message: `wrong key ${KEY}`, code: 401 } });
    const opened = open({ instead: () => instead }, { apiKey: KEY });
    await expect(opened).rejects.toThrow('vllm tiny/base: HTTP 401: wrong key [key]');
    expect(fake.asked[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('is over when it is aborted', async () => {
    const stop = new AbortController();
    const server = await open(
      { instead: ({ path }) => (path === '/v1/completions' ? hang : undefined) },
      { signal: stop.signal },
    );
    const sampling = server.sample(policy, prompts, params, keys);
    setTimeout(() => stop.abort(new Error('Ctrl-C')), 50);
    await expect(sampling).rejects.toThrow('Ctrl-C');
  });
});
