// npm run bench -- matmul: the matrix products of nano, ours against jax-js and stock TensorFlow.js, all in wasm on one thread.
import * as tf from '@tensorflow/tfjs-core';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { installNode } from './peers.mjs';
import { inTurn, report, table } from './report.mjs';

const ROUNDS = 20;
const products = [
  { m: 2048, n: 128, k: 512 },
  { m: 2048, n: 128, k: 512, transposeB: true },
  { m: 512, n: 128, k: 2048, transposeA: true },
];

await initBackend({ backend: 'wasm' });
const jax = await installNode('@jax-js/jax', '0.1.25', 'dist/index.js');
await jax.init('wasm');
jax.defaultDevice('wasm');

/** Each contestant's product of the same numbers, in milliseconds, with its result to compare. */
function contestants({ m, n, k, transposeA = false, transposeB = false }) {
  const shapeA = transposeA ? [k, m] : [m, k];
  const shapeB = transposeB ? [n, k] : [k, n];
  const values = (shape, wave) =>
    Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => Math.sin(wave * i));
  const [valuesA, valuesB] = [values(shapeA, 0.7), values(shapeB, 1.3)];
  const [a, b] = [tf.tensor2d(valuesA, shapeA), tf.tensor2d(valuesB, shapeB)];
  const { numpy } = jax;
  const jaxA = numpy.array(valuesA, { shape: shapeA });
  const jaxB = numpy.array(valuesB, { shape: shapeB });
  const tensorflow = (multiply) => ({
    async run() {
      const start = performance.now();
      const product = multiply();
      const milliseconds = performance.now() - start;
      const result = product.dataSync();
      product.dispose();
      return { milliseconds, result };
    },
  });
  return {
    posttrain: tensorflow(() => tf.matMul(a, b, transposeA, transposeB)),
    // Ours takes the place of BatchMatMul; the fused one is still the stock kernel, which is XNNPACK's without transposes.
    'stock TensorFlow.js': tensorflow(() => tf.fused.matMul({ a, b, transposeA, transposeB })),
    'jax-js': {
      async run() {
        const start = performance.now();
        const left = transposeA ? numpy.transpose(jaxA.ref) : jaxA.ref;
        const right = transposeB ? numpy.transpose(jaxB.ref) : jaxB.ref;
        const product = await numpy.matmul(left, right).blockUntilReady();
        return { milliseconds: performance.now() - start, result: await product.data() };
      },
    },
  };
}

/** Throws when two results differ by more than rounding. */
function requireEqual(name, result, expected) {
  const wrong = expected.findIndex((value, i) => !(Math.abs(value - result[i]) < 1e-2));
  if (wrong >= 0) throw new Error(`${name} gives ${result[wrong]} for ${expected[wrong]}`);
}

const rows = [];
for (const product of products) {
  const all = contestants(product);
  const { result: expected } = await all.posttrain.run();
  for (const [name, { run }] of Object.entries(all)) requireEqual(name, (await run()).result, expected);
  const times = await inTurn(
    Object.fromEntries(
      Object.entries(all).map(([name, { run }]) => [name, async () => (await run()).milliseconds]),
    ),
    ROUNDS,
  );
  const gflop = (2 * product.m * product.n * product.k) / 1e9;
  const gflops = Object.fromEntries(
    Object.entries(times).map(([name, all]) => [name, (1000 * gflop) / Math.min(...all)]),
  );
  rows.push({ ...product, gflops });
}
const names = Object.keys(rows[0].gflops);
await report(
  'matmul',
  { what: 'matrix products in wasm on one thread, GFLOP/s, the best of 20', rows },
  table(
    ['', ...names],
    rows.map(({ m, n, k, transposeA, transposeB, gflops }) => [
      `${transposeA ? 'T' : 'N'}${transposeB ? 'T' : 'N'} ${m} × ${n} over ${k}`,
      ...names.map((name) => gflops[name].toFixed(1)),
    ]),
  ),
);
