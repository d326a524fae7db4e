// npm run bench -- threads: shards of a batch on workers of their own, against threads that share one memory and meet after every
// kernel. The first is measured. Of the second, what it could reach at best: the time outside of kernels stays, the time inside is
// divided, and every kernel costs one meeting of the threads, at the price that a meeting has on this machine.
import { Worker } from 'node:worker_threads';
import * as tf from '@tensorflow/tfjs-core';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { ourPeer } from './our-model.mjs';
import { inTurn, median, report, table } from './report.mjs';
import { makeWork, VOCABULARY } from './work.mjs';

const THREADS = 2;
const ROUNDS = 15;
const MEETINGS = 20_000;

/** Sends a flag to the other thread and back, awake (`spin`) or asleep in between: milliseconds a meeting. */
async function meetingTime(asleep) {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const source = `
    const { workerData: { buffer, meetings, asleep } } = require('node:worker_threads');
    const flag = new Int32Array(buffer);
    for (let i = 0; i < meetings; i += 1) {
      while (Atomics.load(flag, 0) !== 1) if (asleep) Atomics.wait(flag, 0, 2);
      Atomics.store(flag, 0, 2);
      if (asleep) Atomics.notify(flag, 0);
    }`;
  Atomics.store(flag, 0, 2);
  const worker = new Worker(source, {
    eval: true,
    workerData: { buffer: flag.buffer, meetings: MEETINGS, asleep },
  });
  await new Promise((resolve) => worker.once('online', resolve));
  let start = 0;
  for (let i = 0; i < MEETINGS; i += 1) {
    // the first meetings wait for the other thread to be compiled
    if (i === MEETINGS / 10) start = performance.now();
    Atomics.store(flag, 0, 1);
    if (asleep) Atomics.notify(flag, 0);
    while (Atomics.load(flag, 0) !== 2) if (asleep) Atomics.wait(flag, 0, 1);
  }
  const milliseconds = (performance.now() - start) / (0.9 * MEETINGS);
  await worker.terminate();
  return milliseconds;
}

/** Counts and times every kernel of the back end from now on. */
function watchKernels() {
  const seen = { calls: 0, milliseconds: 0, depth: 0 };
  for (const config of tf.getKernelsForBackend('wasm')) {
    const { kernelFunc } = config;
    config.kernelFunc = (parameters) => {
      const start = performance.now();
      seen.depth += 1;
      try {
        return kernelFunc(parameters);
      } finally {
        seen.depth -= 1;
        if (seen.depth === 0) {
          seen.calls += 1;
          seen.milliseconds += performance.now() - start;
        }
      }
    };
  }
  return seen;
}

await initBackend({ backend: 'wasm' });
const work = makeWork({ batch: 16, length: 128 });
const peers = [ourPeer('one thread', 1, work), ourPeer('shards', THREADS, work)];
const times = await inTurn(
  Object.fromEntries(peers.map(({ name, step }) => [name, async () => (await step()).milliseconds])),
  ROUNDS,
);
const [single] = peers;
const kernels = watchKernels();
let watched = 0;
for (let i = 0; i < ROUNDS; i += 1) watched += (await single.step()).milliseconds / ROUNDS;
for (const peer of peers) peer.close();

const calls = kernels.calls / ROUNDS;
const outside = watched - kernels.milliseconds / ROUNDS;
const one = median(times['one thread']);
const shards = median(times.shards);
const spin = await meetingTime(false);
const asleep = await meetingTime(true);
const sharedMemory = (meeting) => outside + (one - outside) / THREADS + calls * meeting;
const rows = [
  { name: 'one thread', milliseconds: one },
  { name: `shards on ${THREADS} workers`, milliseconds: shards },
  { name: `shared memory at best, threads awake`, milliseconds: sharedMemory(spin) },
  { name: `shared memory at best, threads asleep`, milliseconds: sharedMemory(asleep) },
];
const ms = (value) => `${value.toFixed(0)} ms`;
const microseconds = (value) => `${(1000 * value).toFixed(1)} µs`;
await report(
  'threads',
  {
    what: `one AdamW step of nano (vocabulary ${VOCABULARY}) on 16 × 128 tokens with ${THREADS} threads`,
    kernelCalls: calls,
    outsideKernelsMilliseconds: outside,
    meetingMilliseconds: { awake: spin, asleep },
    rows,
  },
  `${table(
    ['', 'step', 'against one thread'],
    rows.map(({ name, milliseconds }) => [name, ms(milliseconds), `${(one / milliseconds).toFixed(2)} ×`]),
  )}

${calls.toFixed(0)} kernels a step, ${ms(outside)} outside of them; a meeting takes ${microseconds(spin)} awake and ${microseconds(asleep)} asleep`,
);
