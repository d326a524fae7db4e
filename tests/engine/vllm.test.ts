import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, type Engine, vllmScorer } from 'posttrain/engine';
import { sampleOnVLLM, type VLLMEngine } from 'posttrain/engine/vllm.node';
import {
  addAdapter,
  disposeAdapter,
  disposeModel,
  type Model,
  type Sample,
  sampleKeys,
} from 'posttrain/model';
import { openVLLM } from 'posttrain/remote';
import { initBackend } from 'posttrain/tensor';
import { distill, grpo, type GRPOConfig } from 'posttrain/trainers';
import { BASE, type FakeVLLM, fakeVLLM, type FakeVLLMOptions } from '../remote/fake-vllm.js';
import { json } from '../teachers/fake-service.js';
import { stillClock } from '../teachers/still-clock.js';
import { collect } from '../trainers/runs.js';
import { bits, letterTask, letterTokenizer, letterWorld, shareOfA, tinyModel } from './tiny.js';

const untrained = { r: 4, loraAlpha: 8, seed: 3 };
const params = { maxNewTokens: 4, temperature: 1, stopTokens: [3] };
const prompts = [Int32Array.of(1, 9), Int32Array.of(1, 9)];
const keys = sampleKeys(2, 1, 'test');
const letters = {
  tokenizer: letterTokenizer,
  tasks: ['a', 'b', 'c', 'd'].map((letter) => letterTask(letter, letter)),
  env: letterWorld(shareOfA),
};
const config: Partial<GRPOConfig> = {
  promptsPerStep: 2,
  numGenerations: 8,
  maxCompletionLength: 8,
  maxClippedRatio: 1,
  maxSteps: 2,
  learningRate: 0.05,
  warmupSteps: 0,
};

let base: Model;
let fake: FakeVLLM;
let dir: string;
const opened: { readonly model: Model; readonly trainer: Engine }[] = [];

beforeAll(async () => {
  await initBackend({ backend: 'wasm' });
});
beforeEach(() => {
  base = tinyModel();
  dir = mkdtempSync(join(tmpdir(), 'vllm-'));
});
afterEach(async () => {
  await fake.close();
  opened.splice(0).forEach(({ model, trainer }) => {
    trainer.dispose();
    disposeAdapter(model.adapter!);
  });
  disposeModel(base);
  rmSync(dir, { recursive: true, force: true });
});

function train(): { readonly model: Model; readonly trainer: Engine } {
  const model = addAdapter(base, untrained);
  const trainer = createLocalEngine(model);
  opened.push({ model, trainer });
  return { model, trainer };
}

async function open(
  options: FakeVLLMOptions = {},
): Promise<{ readonly engine: VLLMEngine; readonly trainer: Engine }> {
  fake = await fakeVLLM(base, options);
  const server = await openVLLM({ baseUrl: fake.baseUrl, model: BASE, clock: stillClock() });
  const { model, trainer } = train();
  return { engine: sampleOnVLLM({ engine: trainer, model, server, dir, name: 'run' }), trainer };
}

/** The server holds the adapter as it was before any training. */
const hold = (name: string): void => {
  (fake.adapters as Map<string, Model>).set(name, addAdapter(base, untrained));
};

const routes = (): string[] =>
  fake.asked.map(({ path, body }) => {
    const { model, lora_name } = (body ?? {}) as { model?: string; lora_name?: string };
    return `${path.replace('/v1/', '')} ${lora_name ?? model ?? ''}`.trim();
  });

describe('GRPO through a vLLM server', () => {
  it('is what it is here on the same samples, and each step samples from the step before', async () => {
    const { engine, trainer } = await open();
    const sampled: Sample[][] = [];
    const sample = engine.sample.bind(engine);
    engine.sample = async (...asked) => {
      const samples = await sample(...asked);
      sampled.push(samples);
      return samples;
    };
    const remote = await collect(grpo({ ...letters, engine, config }));

    const replay = [...sampled];
    const { trainer: local } = train();
    local.sample = () => Promise.resolve(replay.shift()!);
    const here = await collect(grpo({ ...letters, engine: local, config }));

    expect(sampled).toHaveLength(2);
    expect(remote.map(({ metrics }) => metrics)).toEqual(here.map(({ metrics }) => metrics));
    expect(bits(await trainer.save())).toEqual(bits(await local.save()));
    remote.forEach(({ metrics }) => {
      expect(metrics['grad_norm']).toBeGreaterThan(0);
      expect(metrics['sampling/sampling_logp_difference/max']).toBeLessThan(1e-4);
    });
    expect(fake.completions().map(({ cache_salt, n }) => [cache_salt, n])).toEqual([
      ['probe', 1],
      ['run-p1-v0@v0', 8],
      ['run-p1-v0@v0', 8],
      ['run-p2-v1@v1', 8],
      ['run-p2-v1@v1', 8],
    ]);
  });

  it('corrects for a server that computes less exactly', async () => {
    const { engine } = await open({
      tamper: (choices) =>
        choices.map((choice) => {
          const told = choice.logprobs!.token_logprobs;
          // the probe is answered exactly
          const token_logprobs = told.map((value, t) => value - (value === 0 ? 0 : 0.02 * (t % 3)));
          return { ...choice, logprobs: { ...choice.logprobs, token_logprobs } };
        }),
    });
    const inexact = { ...config, logprobTolerance: 0.1, vllmImportanceSamplingCorrection: true };
    const steps = await collect(
      grpo({ ...letters, engine, config: { ...inexact, vllmImportanceSamplingMode: 'token_truncate' } }),
    );
    steps.forEach(({ metrics }) => {
      expect(metrics['sampling/sampling_logp_difference/max']).toBeCloseTo(0.04, 3);
      // a third of the tokens by e^0, e^0.02 and e^0.04 each
      expect(metrics['sampling/importance_sampling_ratio/mean']).toBeCloseTo(1.02, 2);
    });
  });

  it('notices a server that goes on with an old adapter', async () => {
    const { engine } = await open({
      instead: ({ body }) => {
        if ((body as { lora_name?: string } | undefined)?.lora_name !== 'run-p2-v1') return undefined;
        hold('run-p2-v1');
        return json(200, 'Success');
      },
    });
    const steps = await collect(grpo({ ...letters, engine, config }));
    const differences = steps.map(
      ({ metrics }) => metrics['sampling/sampling_logp_difference/max'] as number,
    );
    expect(differences[0]).toBeLessThan(1e-4);
    expect(differences[1]).toBeGreaterThan(1e-2);
  });
});

it('a teacher on the server distils into a policy here', async () => {
  fake = await fakeVLLM(base);
  const server = await openVLLM({ baseUrl: fake.baseUrl, model: BASE, clock: stillClock() });
  const settings = {
    promptsPerStep: 2,
    numGenerations: 4,
    maxCompletionLength: 8,
    maxSteps: 2,
    learningRate: 0.01,
  };
  const run = async (
    teacherOf: (engine: Engine) => Promise<ReturnType<typeof vllmScorer>>,
  ): Promise<number[]> => {
    const { trainer: engine } = train();
    const teacher = await teacherOf(engine);
    const steps = await collect(distill({ ...letters, engine, teacher, config: settings }));
    teacher.dispose();
    return steps.map(({ metrics }) => metrics['kl'] as number);
  };
  const remote = await run(() => Promise.resolve(vllmScorer(server)));
  // a new adapter changes nothing, so the policy at the start is the base model
  const here = await run((engine) => engine.reference());
  expect(here[1]).not.toBe(0);
  remote.forEach((kl, step) => expect(kl).toBeCloseTo(here[step]!, 5));
});

describe('an adapter on its way', () => {
  it('is loaded once a version, after the one before has left', async () => {
    const { engine, trainer } = await open();
    await Promise.all([engine.sample(prompts, params, keys), engine.sample(prompts, params, keys)]);
    expect(readdirSync(dir)).toEqual(['run-p1-v0']);
    const state = await trainer.save();
    await engine.load(state);
    await engine.sample(prompts, params, keys);
    expect(routes()).toEqual([
      'models',
      'load_lora_adapter run-p1-v0',
      'completions tiny/base',
      'completions tiny/base',
      'completions run-p1-v0',
      'completions run-p1-v0',
      'unload_lora_adapter run-p1-v0',
      'load_lora_adapter run-p2-v0',
      'completions run-p2-v0',
    ]);
    await engine.close();
    expect(fake.adapters.size).toBe(0);
    expect(existsSync(join(dir, 'run-p2-v0'))).toBe(false);
  });

  it('is there although the answer to its loading was lost', async () => {
    let lost = false;
    const { engine } = await open({
      instead: ({ path, body }) => {
        if (lost || path !== '/v1/load_lora_adapter') return undefined;
        lost = true;
        const { lora_name } = body as { lora_name: string };
        (fake.adapters as Map<string, Model>).set(
          lora_name,
          addAdapter(base, { r: 4, loraAlpha: 8, seed: 3 }),
        );
        return (response) => response.destroy();
      },
    });
    await expect(engine.sample(prompts, params, keys)).resolves.toHaveLength(2);
  });

  it.each<[string, FakeVLLMOptions, RegExp]>([
    [
      'a server that takes none while it runs',
      { runtimeLora: false },
      /HTTP 404.*VLLM_ALLOW_RUNTIME_LORA_UPDATING=True.*--enable-lora/,
    ],
    ['a server without LoRA', { enableLora: false }, /Start the server with --enable-lora/],
    ['a rank that is too large', { maxLoraRank: 2 }, /rank 4 is greater .*--max-lora-rank/],
    [
      'a name that is taken',
      {
        instead: ({ path }) =>
          path === '/v1/load_lora_adapter'
            ? json(400, { error: { message: "The lora adapter 'run' has already been loaded." } })
            : undefined,
      },
      /has already been loaded/,
    ],
  ])('meets %s', async (_, options, message) => {
    const { engine } = await open(options);
    await expect(engine.sample(prompts, params, keys)).rejects.toThrow(message);
    expect(routes().filter((route) => route.startsWith('load'))).toHaveLength(1);
    expect(readdirSync(dir)).toEqual([]);
    await expect(engine.close()).resolves.toBeUndefined();
  });

  it('may be seen late by a server elsewhere', async () => {
    let late = 2;
    const { engine } = await open({
      instead: ({ path }) =>
        path === '/v1/load_lora_adapter' && late-- > 0
          ? json(404, { error: { message: 'Loading lora run failed: No adapter found for /x', code: 404 } })
          : undefined,
    });
    await expect(engine.sample(prompts, params, keys)).resolves.toHaveLength(2);
  });

  it('is what a policy must have', async () => {
    fake = await fakeVLLM(base);
    const server = await openVLLM({ baseUrl: fake.baseUrl, model: BASE });
    const engine = createLocalEngine(base);
    expect(() => sampleOnVLLM({ engine, model: base, server, dir })).toThrow(/no adapter.*addAdapter/);
    engine.dispose();
  });
});
