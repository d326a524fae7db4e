// npm run bench: one AdamW step of `nano` on 16 × 128 tokens, ours and stock TensorFlow.js in turn, on one thread each.
// Prints a table and writes data/results/bench-step.json. Needs a built library (npm run build).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as tf from '@tensorflow/tfjs-core';
import { presets } from '../../lib/dist/model/index.js';
import { randomStream } from '../../lib/dist/tensor/index.js';
import { ourSteps } from './our-model.mjs';

const ROUNDS = 5;
const VOCABULARY = 1536;
const BATCH = 16;
const LENGTH = 128;

const config = presets.nano(VOCABULARY);
const stream = randomStream(1, 'bench');
const tokens = Array.from({ length: BATCH * LENGTH + 1 }, () => stream.int(VOCABULARY));
const ids = { shape: [BATCH, LENGTH], values: Int32Array.from(tokens.slice(0, -1)) };
const targets = Int32Array.from(tokens.slice(1));

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Multiply-adds of one step count two; a backward pass costs twice the forward pass. */
function floatingPointOperations() {
  const { hiddenSize, intermediateSize, numHiddenLayers, numAttentionHeads, headDim, vocabSize } = config;
  const weights =
    numHiddenLayers * (4 * hiddenSize ** 2 + 3 * hiddenSize * intermediateSize) + vocabSize * hiddenSize;
  const pairs = (BATCH * LENGTH * (LENGTH + 1)) / 2;
  // Scores and mixture forward; scores again and four products backward.
  const attention = numHiddenLayers * numAttentionHeads * pairs * headDim * 2 * (2 + 5);
  return 6 * weights * BATCH * LENGTH + attention;
}

function gemmSpeed(m, n, k, transposeA, transposeB) {
  return tf.tidy(() => {
    const a = tf.randomUniform(transposeA ? [k, m] : [m, k]);
    const b = tf.randomUniform(transposeB ? [n, k] : [k, n]);
    const times = Array.from({ length: 30 }, () => {
      const start = performance.now();
      tf.dispose(tf.matMul(a, b, transposeA, transposeB));
      return performance.now() - start;
    });
    return (2 * m * n * k) / Math.min(...times) / 1e6;
  });
}

const worker = fork(fileURLToPath(new URL('./stock-worker.mjs', import.meta.url)), {
  serialization: 'advanced',
});
const ask = async (message) => {
  worker.send(message);
  return (await once(worker, 'message'))[0];
};
await ask({ config, ids, targets });
const { train, sample } = await ourSteps(config, ids, targets);

const ours = [];
const stock = [];
for (let round = -1; round < ROUNDS; round++) {
  // Several of ours for one of theirs, so that both see the same spells of a busy machine; round -1 warms up.
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    const cpu = process.cpuUsage();
    const loss = await train();
    const { user, system } = process.cpuUsage(cpu);
    if (!Number.isFinite(loss)) throw new Error(`our loss is ${loss}`);
    if (round >= 0)
      ours.push({ milliseconds: performance.now() - start, cpuMilliseconds: (user + system) / 1000 });
  }
  const theirs = await ask({ step: true });
  if (!Number.isFinite(theirs.loss)) throw new Error(`the stock loss is ${theirs.loss}`);
  if (round >= 0) stock.push(theirs);
}
worker.disconnect();

const gemm = [
  [2048, 128, 128, false, true],
  [2048, 512, 128, false, false],
  [2048, 512, 128, false, true],
  [512, 128, 2048, true, false],
  [64, 320, 128, false, false],
  [64, 1536, 128, false, true],
].map(([m, n, k, tA, tB]) => ({
  m,
  n,
  k,
  form: `${tA ? 'T' : 'N'}${tB ? 'T' : 'N'}`,
  gflops: gemmSpeed(m, n, k, tA, tB),
}));
await sample();
const tokensPerSecond = await sample();

const summary = (runs, key) => median(runs.map((run) => run[key]));
const best = Math.max(...gemm.map(({ gflops }) => gflops));
const result = {
  what: `one AdamW step of nano (vocabulary ${VOCABULARY}), ${BATCH} × ${LENGTH} tokens, wasm, one thread`,
  node: process.version,
  gflopPerStep: floatingPointOperations() / 1e9,
  ours: { milliseconds: summary(ours, 'milliseconds'), cpuMilliseconds: summary(ours, 'cpuMilliseconds') },
  stock: { milliseconds: summary(stock, 'milliseconds'), cpuMilliseconds: summary(stock, 'cpuMilliseconds') },
  timesFaster: summary(stock, 'milliseconds') / summary(ours, 'milliseconds'),
  timesFasterCpu: summary(stock, 'cpuMilliseconds') / summary(ours, 'cpuMilliseconds'),
  floorMilliseconds: floatingPointOperations() / best / 1e6,
  gemm,
  decodeTokensPerSecond: tokensPerSecond,
};

const row = (name, wall, cpu) => `${name.padEnd(22)}${wall.padStart(12)}${cpu.padStart(12)}`;
const ms = (value) => `${value.toFixed(0)} ms`;
const lines = [
  result.what,
  row('', 'wall clock', 'CPU time'),
  row('stock TensorFlow.js', ms(result.stock.milliseconds), ms(result.stock.cpuMilliseconds)),
  row('posttrain', ms(result.ours.milliseconds), ms(result.ours.cpuMilliseconds)),
  row('times faster', result.timesFaster.toFixed(1), result.timesFasterCpu.toFixed(1)),
  row(`floor at ${best.toFixed(0)} GFLOP/s`, ms(result.floorMilliseconds), ''),
  '',
  ...gemm.map(
    ({ m, n, k, form, gflops }) =>
      `matMul ${form} ${`${m} × ${n} over ${k}`.padEnd(22)}${gflops.toFixed(1)} GFLOP/s`,
  ),
  `sampling, 64 sequences     ${tokensPerSecond.toFixed(0)} tokens/s`,
];
process.stdout.write(`${lines.join('\n')}\n`);

const target = new URL('../../data/results/bench-step.json', import.meta.url);
const file = fileURLToPath(target);
await mkdir(fileURLToPath(new URL('.', target)), { recursive: true });
await writeFile(`${file}.tmp`, `${JSON.stringify(result, null, 2)}\n`);
await rename(`${file}.tmp`, file);
