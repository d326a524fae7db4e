/** Whether this browser runs the library, and how fast. */
import * as tf from '@tensorflow/tfjs-core';
import { short, tableToHtml } from '../../display/index.js';
import { coreCount } from '../../tensor/cores.js';
import { initBackend, matMul, randomStream } from '../../tensor/index.js';
import { defineDemo, type Demo } from './demo.js';
import { scrollBox } from './view-html.js';

/** How often the product is computed; the fastest counts. */
const TRIES = 5;
/** Of products, relative to their size: a sum of a few hundred 32-bit products is as exact as this. */
const TOLERANCE = 1e-5;

export const selfCheck: Demo = defineDemo({
  name: 'self-check',
  title: 'Does the library run here?',
  question: 'Every live demo of this book computes in your browser. Can it?',
  hint: 'press Run. Then try a larger matrix: does the speed change?',
  controls: {
    size: {
      type: 'range',
      label: 'Rows and columns of the matrices',
      min: 64,
      max: 640,
      step: 64,
      start: 256,
    },
  },
  auto: false,
  seconds: 30,
  needs: ['wasm'],
  async run({ size }, { show, progress, startBackend }) {
    progress(0.1, 'Starting WebAssembly');
    await startBackend();
    const { backend } = await initBackend({ backend: 'wasm' });
    progress(0.4, 'Multiplying');
    const { error, milliseconds } = await product(size);
    const speed = (2 * size ** 3) / milliseconds / 1e6;
    const exact = error < TOLERANCE;
    const shares = globalThis.crossOriginIsolated === true;
    const rows = [
      ['WebAssembly with SIMD', '✓', `the back end ${backend} has started`],
      ['Matrix product', exact ? '✓' : '✗', `largest error ${short(error)}, relative`],
      ['Speed', '✓', `${short(milliseconds)} ms, ${short(speed)} GFLOP/s on one thread`],
      ['Cores', '✓', String(coreCount())],
      [
        'Several threads',
        shares ? '✓' : '–',
        shares ? 'memory can be shared' : 'not in this page; one thread is enough',
      ],
    ];
    const columns = ['what', '', 'found'].map((header) => ({ header }));
    show('checks', { html: scrollBox('What was checked', tableToHtml({ columns, rows })) });
    return exact
      ? `Your browser runs the library: it multiplies two ${size} × ${size} matrices in ${short(milliseconds)} ms.`
      : `Something is wrong: the product of two ${size} × ${size} matrices is off by ${short(error)}. Please report it, with the name of your browser.`;
  },
});

/** A product of random matrices: how far it is from the same sums in 64 bits, and how long it takes. Needs a back end. */
export async function product(
  size: number,
): Promise<{ readonly error: number; readonly milliseconds: number }> {
  const random = randomStream(7, 'demo/self-check');
  const [a, b] = [1, 2].map(() => Float32Array.from({ length: size * size }, () => random.uniform())) as [
    Float32Array,
    Float32Array,
  ];
  const [left, right] = [a, b].map((values) => tf.tensor2d(values, [size, size])) as [tf.Tensor, tf.Tensor];
  let [values, milliseconds] = [new Float32Array(), Infinity];
  for (let i = 0; i < TRIES; i += 1) {
    const begun = performance.now();
    const found = matMul(left, right);
    values = (await found.data<'float32'>()) as Float32Array<ArrayBuffer>;
    milliseconds = Math.min(milliseconds, performance.now() - begun);
    found.dispose();
  }
  tf.dispose([left, right]);
  // clocks of browsers are coarse
  return { error: largestError(a, b, values, size), milliseconds: Math.max(milliseconds, 0.05) };
}

/** Over the first rows: all of them would take longer than the product. */
function largestError(a: Float32Array, b: Float32Array, product: Float32Array, size: number): number {
  let largest = 0;
  for (let row = 0; row < Math.min(size, 16); row += 1)
    for (let column = 0; column < size; column += 1) {
      let sum = 0;
      for (let i = 0; i < size; i += 1) sum += a[row * size + i]! * b[i * size + column]!;
      largest = Math.max(largest, Math.abs(product[row * size + column]! - sum) / sum);
    }
  return largest;
}
