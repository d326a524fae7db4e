// npm run bench -- grpo [--torch]: one GRPO step from prompts to updated weights, through the trainers as their users call them:
// 8 prompts of 32 tokens × 8 samples of 96 new tokens (no stop token), a trivial reward, beta 0, one AdamW update.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalEngine } from '../../lib/dist/engine/index.js';
import { createPooledEngine } from '../../lib/dist/engine/create.node.js';
import { saveModel } from '../../lib/dist/model/checkpoint.node.js';
import { createModel, parameterCount, presets } from '../../lib/dist/model/index.js';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { chatTokens, renderPrompt, trainBpe } from '../../lib/dist/text/index.js';
import { grpo } from '../../lib/dist/trainers/index.js';
import { samplingFlops, trainingFlops } from './flops.mjs';
import { gemmSpeed } from './our-model.mjs';
import { installPython, trlPeer } from './peers.mjs';
import { inTurn, median, report, table } from './report.mjs';
import { VOCABULARY } from './work.mjs';

const ROUNDS = 5;
/** Steps follow each other in training: nobody's first step after the others' turns is counted. */
const TURN = { wakeUps: 1, inARow: 4 };
const PROMPTS = 8;
const SAMPLES = 8;
const PROMPT_LENGTH = 32;
const NEW_TOKENS = 96;
const LEARNING_RATE = 1e-5;
const THREADS = 2;

const config = { ...presets.nano(VOCABULARY), tieWordEmbeddings: false };
const corpus = await readFile(new URL('../../data/corpus/state-of-the-union.txt', import.meta.url), 'utf8');
const tokenizer = trainBpe([corpus], { vocabSize: VOCABULARY, specialTokens: chatTokens });
const prompts = findPrompts();

/** Texts from the corpus that are a prompt of exactly `PROMPT_LENGTH` tokens. */
function findPrompts() {
  const words = corpus.split(/\s+/);
  const found = [];
  for (let start = 0; found.length < PROMPTS; start += PROMPT_LENGTH)
    for (let end = start + 1; end < start + PROMPT_LENGTH; end += 1) {
      const content = words.slice(start, end).join(' ');
      if (renderPrompt(tokenizer, [{ role: 'user', content }]).length === PROMPT_LENGTH) {
        found.push(content);
        break;
      }
    }
  return found;
}

/** One reply, worth the share of its characters that are an `e`. */
const environment = {
  name: 'letters',
  start: ({ prompt }) => ({
    initialObservation: () => prompt,
    step: (reply) => ({
      reward: [...reply].filter((letter) => letter === 'e').length / Math.max(1, [...reply].length),
      episodeDone: true,
      nextObservation: null,
      stopReason: 'completed',
      metrics: {},
    }),
  }),
};

/** The engine without stop tokens, and what its verbs took since `spent` was last cleared. */
function watched(engine) {
  const spent = {};
  const timed = async (verb, work) => {
    const start = performance.now();
    const result = await work();
    spent[verb] = (spent[verb] ?? 0) + performance.now() - start;
    return result;
  };
  return {
    spent,
    engine: {
      maxLength: engine.maxLength,
      get policyVersion() {
        return engine.policyVersion;
      },
      sample: (asked, params, keys) =>
        timed('sample', () => engine.sample(asked, { ...params, stopTokens: [] }, keys)),
      forwardBackward: (...given) => timed('forwardBackward', () => engine.forwardBackward(...given)),
      optimStep: (...given) => timed('optimStep', () => engine.optimStep(...given)),
    },
  };
}

/** Our trainer, asked for one step after the other. */
function ourTrainer(threads) {
  const model = createModel(config, 1);
  const engine = threads === 1 ? createLocalEngine(model) : createPooledEngine(model, { workers: threads });
  const { spent, engine: shown } = watched(engine);
  const steps = grpo({
    engine: shown,
    tokenizer,
    env: environment,
    tasks: prompts.map((prompt, index) => ({ id: String(index), split: 'train', prompt })),
    config: {
      promptsPerStep: PROMPTS,
      numGenerations: SAMPLES,
      maxCompletionLength: NEW_TOKENS,
      maxTurns: 1,
      maxSteps: (ROUNDS + 1) * (TURN.wakeUps + TURN.inARow),
      maxClippedRatio: 1,
      learningRate: LEARNING_RATE,
      warmupSteps: 0,
      beta: 0,
    },
  });
  return {
    name: 'posttrain',
    threads,
    async step() {
      for (const verb of Object.keys(spent)) delete spent[verb];
      const start = performance.now();
      const cpu = process.cpuUsage();
      const { value } = await steps.next();
      const milliseconds = performance.now() - start;
      const { user, system } = process.cpuUsage(cpu);
      const cpuMilliseconds = (user + system) / 1000;
      const { metrics } = value;
      if (metrics['completions/mean_length'] !== NEW_TOKENS || metrics.step_skipped !== 0)
        throw new Error(`a step of another kind: ${JSON.stringify(metrics)}`);
      return {
        milliseconds,
        cpuMilliseconds,
        sampling: spent.sample,
        update: spent.forwardBackward + spent.optimStep,
      };
    },
    close: () => engine.dispose(),
  };
}

/** The same weights, tokenizer and prompts in TRL: as it comes, and as fast as it gets where there is memory enough. */
async function trl(folder) {
  const python = installPython('torch', 'transformers', 'trl', 'datasets');
  const model = createModel(config, 1);
  await saveModel(folder, model, tokenizer);
  const setup = {
    threads: THREADS,
    folder,
    prompts: prompts.map((prompt) => `<|user|>${prompt}<|assistant|>`),
    promptLength: PROMPT_LENGTH,
    samples: SAMPLES,
    newTokens: NEW_TOKENS,
    learningRate: LEARNING_RATE,
  };
  return [
    await trlPeer(python, { ...setup, gradientCheckpointing: true }),
    await trlPeer(python, { ...setup, gradientCheckpointing: false }),
  ];
}

await initBackend({ backend: 'wasm' });
const folder = await mkdtemp(join(tmpdir(), 'posttrain-bench-'));
const trainers = [ourTrainer(1), ourTrainer(THREADS)];
if (process.argv.includes('--torch')) trainers.push(...(await trl(folder)));
const times = await inTurn(
  Object.fromEntries(trainers.map((trainer) => [`${trainer.name} ${trainer.threads}`, () => trainer.step()])),
  ROUNDS,
  TURN,
);
for (const trainer of trainers) trainer.close();
await rm(folder, { recursive: true });

const { gflops: peak } = gemmSpeed({ m: 2048, n: 512, k: 128, transposeA: false, transposeB: false });
const shape = { sequences: PROMPTS * SAMPLES, promptLength: PROMPT_LENGTH, newTokens: NEW_TOKENS };
const flops = {
  sampling: samplingFlops(config, { ...shape, distinct: PROMPTS }),
  update: trainingFlops(config, PROMPTS * SAMPLES, PROMPT_LENGTH + NEW_TOKENS - 1, {
    predicting: PROMPTS * SAMPLES * NEW_TOKENS,
    distinct: PROMPTS * PROMPT_LENGTH + PROMPTS * SAMPLES * (NEW_TOKENS - 1),
  }),
};
const rows = trainers.map(({ name, threads }) => {
  const steps = times[`${name} ${threads}`];
  const typical = (part) => median(steps.map((step) => step[part]));
  return {
    name,
    threads,
    milliseconds: typical('milliseconds'),
    cpuMilliseconds: typical('cpuMilliseconds'),
    ...(name === 'posttrain' && {
      sampling: typical('sampling'),
      update: typical('update'),
      floor: (flops.sampling + flops.update) / (threads * peak * 1e6),
    }),
  };
});
const own = rows.find(({ name, threads }) => name === 'posttrain' && threads === THREADS);
const timesFasterThan = (how) => {
  const peer = rows.find(({ name }) => name.endsWith(how));
  return peer === undefined ? null : peer.milliseconds / own.milliseconds;
};
const ms = (value) => (value === undefined ? '' : `${value.toFixed(0)} ms`);
await report(
  'grpo',
  {
    what: `one GRPO step of ${(parameterCount(config) / 1e6).toFixed(2)} M parameters: ${PROMPTS} prompts × ${SAMPLES} samples, ${PROMPT_LENGTH} + ${NEW_TOKENS} tokens`,
    peak,
    gflop: { sampling: flops.sampling / 1e9, update: flops.update / 1e9 },
    rows,
    timesFasterThanTRL: timesFasterThan('as it comes'),
    timesFasterThanTRLWithoutCheckpointing: timesFasterThan('no checkpointing'),
  },
  `${table(
    ['', 'threads', 'step', 'CPU time', 'sampling', 'update', 'floor', `ours (${THREADS}) is`],
    rows.map(({ name, threads, milliseconds, cpuMilliseconds, sampling, update, floor }) => [
      name,
      String(threads),
      ms(milliseconds),
      ms(cpuMilliseconds),
      ms(sampling),
      ms(update),
      ms(floor),
      `${(milliseconds / own.milliseconds).toFixed(2)} × as fast`,
    ]),
  )}

nothing is scored apart: with beta 0 and one update the log-probabilities come out of the update itself, in TRL as here
floor, each prompt read once: ${(flops.sampling / 1e9).toFixed(1)} + ${(flops.update / 1e9).toFixed(1)} GFLOP at ${peak.toFixed(0)} GFLOP/s a thread`,
);
