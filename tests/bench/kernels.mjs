// npm run bench -- kernels: every kernel of the wasm back end against what one core can do, at the sizes of a training step of
// `nano` (16 × 128 tokens) and of sampling 64 sequences. Prints a table and writes data/results/bench-kernels.json.
// Needs a built library (npm run build).
//
// Arithmetic is measured against the SIMD peak, everything else against a copy that moves as many bytes: the bytes that a kernel
// must read and write at least once; where exponentials are the work (SwiGLU, softmax, sampling), that limit is far away. Times are
// those of a call through tfjs, with its checks and allocations.
import * as tf from '@tensorflow/tfjs-core';
import {
  createKVCache,
  decodeAttention,
  globalNorm,
  initBackend,
  muonUpdate,
  sampleTokens,
} from '../../lib/dist/tensor/index.js';
import { simdPeak } from './peak.mjs';
import { median, report, table } from './report.mjs';

const ROUNDS = 9;
const CALLS = 5;

const [BATCH, LENGTH, HEADS, HEAD_DIM, HIDDEN, INTERMEDIATE, VOCABULARY] = [16, 128, 4, 32, 128, 320, 1536];
const TOKENS = BATCH * LENGTH;
const [SEQUENCES, CACHED] = [64, 128];
const PARAMETERS = 870_000;

await initBackend({ backend: 'wasm' });
const kernel = (name, inputs, attributes = {}) => tf.engine().runKernel(name, inputs, attributes);
const normal = (...shape) => tf.randomNormal(shape, 0, 1, 'float32', 1);
const ids = (count, limit) =>
  tf.tensor1d(
    Array.from({ length: count }, (_, i) => (i * 7919) % limit),
    'int32',
  );

const bytes = (name, floats, run) => ({ name, unit: 'GB/s', work: 4 * floats, run });
const flops = (name, work, run) => ({ name, unit: 'GFLOP/s', work, run });

function elementwise() {
  const [x, dy] = [normal(TOKENS, HIDDEN), normal(TOKENS, HIDDEN)];
  const [weight, bias, n] = [normal(HIDDEN), normal(HIDDEN), TOKENS * HIDDEN];
  const [gate, up, dGated] = [1, 2, 3].map(() => normal(TOKENS, INTERMEDIATE));
  const wide = TOKENS * INTERMEDIATE;
  const heads = normal(BATCH, LENGTH, HEADS, HEAD_DIM);
  const positions = tf.tensor2d(
    Array.from({ length: TOKENS }, (_, i) => i % LENGTH),
    [BATCH, LENGTH],
    'int32',
  );
  const [embeddings, tokens] = [normal(VOCABULARY, HIDDEN), ids(TOKENS, VOCABULARY)];
  const eps = { eps: 1e-5 };
  return [
    bytes('RMSNorm', 2 * n, () => kernel('RMSNorm', { x, weight }, eps)),
    bytes('RMSNorm, gradient', 3 * n, () => kernel('RMSNormGradient', { dy, x, weight }, eps)),
    bytes('LayerNorm', 2 * n, () => kernel('LayerNorm', { x, weight, bias }, eps)),
    bytes('LayerNorm, gradient', 3 * n, () => kernel('LayerNormGradient', { dy, x, weight }, eps)),
    bytes('rotary', 2 * n, () =>
      kernel('Rotary', { x: heads, positions }, { theta: 10_000, last: LENGTH - 1 }),
    ),
    bytes('SwiGLU', 3 * wide, () => kernel('SwiGLU', { gate, up })),
    bytes('SwiGLU, gradient', 5 * wide, () => kernel('SwiGLUGradient', { dy: dGated, gate, up })),
    bytes('ReLU²', 2 * wide, () => kernel('ReLUSquared', { x: gate })),
    bytes('ReLU², gradient', 3 * wide, () => kernel('ReLUSquaredGradient', { dy: dGated, x: gate })),
    bytes('embedding', 2 * n, () => kernel('Embedding', { table: embeddings, ids: tokens })),
    bytes('embedding, gradient', 3 * n + embeddings.size, () =>
      kernel('EmbeddingGradient', { dy, table: embeddings, ids: tokens }),
    ),
  ];
}

function vocabulary() {
  const [logits, targets, dy] = [normal(TOKENS, VOCABULARY), ids(TOKENS, VOCABULARY), normal(TOKENS)];
  const [, , lse] = kernel('SelectedLogprobs', { logits, targets }, { temperature: 1 });
  const n = TOKENS * VOCABULARY;
  const next = normal(SEQUENCES, VOCABULARY);
  const rows = Int32Array.from({ length: SEQUENCES }, (_, row) => row);
  const uniforms = Array.from(rows, (row) => (row + 0.5) / SEQUENCES);
  const draw = (options) => async () => void (await sampleTokens(next, rows, uniforms, options));
  return [
    bytes('log-softmax, gather, entropy', n, () =>
      kernel('SelectedLogprobs', { logits, targets }, { temperature: 1 }),
    ),
    bytes('… gradient', 2 * n, () => {
      // A clone looks on, so that the logits are there again for the next call.
      const inputs = { dy, logits: tf.clone(logits), targets, lse };
      const gradients = kernel('SelectedLogprobsGradient', inputs, { temperature: 1 });
      inputs.logits.dispose();
      return gradients;
    }),
    bytes('sampling', next.size, draw({ temperature: 1 })),
    bytes('sampling, topK 50', next.size, draw({ temperature: 1, topK: 50 })),
    bytes('sampling, topP 0.9', next.size, draw({ temperature: 1, topP: 0.9 })),
  ];
}

function products() {
  const heads = () => normal(BATCH, LENGTH, HEADS, HEAD_DIM);
  const [q, k, v, dy] = [heads(), heads(), heads(), heads()];
  const starts = tf.zeros([BATCH], 'int32');
  const [out, lse] = kernel('CausalAttention', { q, k, v, starts });
  // Multiply-adds count two; a query sees itself and what comes before it.
  const product = 2 * BATCH * HEADS * ((LENGTH * (LENGTH + 1)) / 2) * HEAD_DIM;
  const cache = createKVCache(SEQUENCES, HEADS, CACHED + 1, HEAD_DIM);
  const [one, lengths] = [normal(SEQUENCES, HEADS, HEAD_DIM), new Int32Array(SEQUENCES).fill(CACHED)];
  const [x, weight] = [normal(TOKENS, HIDDEN), normal(INTERMEDIATE, HIDDEN)];
  return [
    flops('matrix product', 2 * TOKENS * HIDDEN * INTERMEDIATE, () => tf.matMul(x, weight, false, true)),
    flops('attention', 2 * product, () => kernel('CausalAttention', { q, k, v, starts })),
    flops('attention, gradient', 5 * product, () =>
      kernel('CausalAttentionGradient', { dy, q, k, v, starts, out, lse }),
    ),
    bytes('decoding attention', 2 * SEQUENCES * HEADS * CACHED * HEAD_DIM, () =>
      decodeAttention(one, one, one, cache, lengths),
    ),
  ];
}

function optimizers() {
  const [param, grad, m, v] = [1, 2, 3, 4].map(() => normal(PARAMETERS));
  const adam = { lr: 1e-3, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0.1, step: 1, gradScale: 1 };
  const matrix = tf.variable(normal(INTERMEDIATE, HIDDEN));
  const [gradient, momentum] = [normal(INTERMEDIATE, HIDDEN), tf.variable(tf.zeros([INTERMEDIATE, HIDDEN]))];
  const muon = { lr: 1e-3, momentum: 0.95, weightDecay: 0.1, adjustLrFn: 'match_rms_adamw' };
  // Five steps: the smaller Gram matrix, its square, and the product with it.
  const newtonSchulz = 5 * (4 * INTERMEDIATE * HIDDEN ** 2 + 2 * HIDDEN ** 3);
  return [
    bytes('AdamW', 7 * PARAMETERS, () => kernel('AdamW', { param, grad, m, v }, adam)),
    bytes('global norm', PARAMETERS, async () => void (await globalNorm([grad]))),
    flops('Muon', newtonSchulz, () => muonUpdate(matrix, gradient, momentum, muon)),
  ];
}

/** Processor seconds of the fastest of a few calls: on a busy machine the clock counts the turns of others too. */
async function secondsOf(run) {
  let best = Infinity;
  for (let call = 0; call < CALLS; call += 1) {
    const start = process.cpuUsage();
    const outputs = await run();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, user + system);
    if (outputs) tf.dispose(outputs);
  }
  return best / 1e6;
}

/** A copy that reads and writes as many bytes in all. */
function copyOf(work) {
  const [from, to] = [new Uint8Array(work / 2).fill(1), new Uint8Array(work / 2)];
  return () => to.set(from);
}

const cases = [...products(), ...elementwise(), ...vocabulary(), ...optimizers()].map((entry) => ({
  ...entry,
  copy: entry.unit === 'GB/s' ? copyOf(entry.work) : undefined,
  speeds: [],
  copySpeeds: [],
}));
const peakBefore = await simdPeak();
/** A kernel and its copy in turn, so that both see the same spells of a busy machine; round -1 warms up. */
for (let round = -1; round < ROUNDS; round += 1) {
  for (const { run, copy, work, speeds, copySpeeds } of cases) {
    const speed = work / (await secondsOf(run)) / 1e9;
    const copySpeed = copy ? work / (await secondsOf(copy)) / 1e9 : undefined;
    if (round < 0) continue;
    speeds.push(speed);
    if (copySpeed !== undefined) copySpeeds.push(copySpeed);
  }
}

const peakGflops = Math.max(peakBefore, await simdPeak());
const rows = cases.map(({ name, unit, work, speeds, copySpeeds }) => {
  const speed = median(speeds);
  const limit = copySpeeds.length > 0 ? median(copySpeeds) : peakGflops;
  return { name, unit, work, microseconds: work / speed / 1e3, speed, limit, share: speed / limit };
});
const result = {
  what: `kernels at the sizes of nano: ${BATCH} × ${LENGTH} tokens, vocabulary ${VOCABULARY}, ${SEQUENCES} sequences to sample`,
  peakGflops,
  rows,
};
const text = table(
  ['', 'time', 'speed', '', 'limit', 'share'],
  rows.map(({ name, unit, microseconds, speed, limit, share }) => [
    name,
    `${microseconds.toFixed(0)} µs`,
    speed.toFixed(1),
    unit,
    limit.toFixed(1),
    `${(100 * share).toFixed(0)} %`,
  ]),
);
await report('kernels', result, text);
