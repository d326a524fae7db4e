// npm run bench [-- --torch]: one AdamW step of `nano` on 16 × 128 tokens and sampling 64 sequences, ours and others in turn.
// Prints a table and writes data/results/bench-step.json. Needs a built library (npm run build). --torch installs PyTorch into
// node_modules/.cache and measures it too.
import { presets } from '../../lib/dist/model/index.js';
import { initBackend, randomStream } from '../../lib/dist/tensor/index.js';
import { gemmSpeed, ourPeer } from './our-model.mjs';
import { simdPeak } from './peak.mjs';
import { installTorch, stockPeer, torchPeer } from './peers.mjs';
import { median, writeResult } from './report.mjs';

const ROUNDS = 5;
const VOCABULARY = 1536;
const BATCH = 16;
const LENGTH = 128;

const config = presets.nano(VOCABULARY);
const stream = randomStream(1, 'bench');
const tokens = Array.from({ length: BATCH * LENGTH + 1 }, () => stream.int(VOCABULARY));
const work = {
  config,
  ids: { shape: [BATCH, LENGTH], values: Int32Array.from(tokens.slice(0, -1)) },
  targets: Int32Array.from(tokens.slice(1)),
  sampling: { sequences: 64, promptLength: 32, newTokens: 128 },
};

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

await initBackend({ backend: 'wasm' });
const ours = ourPeer('posttrain', 1, work);
const peers = [ours, ourPeer('posttrain', 2, work), await stockPeer(work)];
if (process.argv.includes('--torch')) {
  const python = installTorch();
  peers.push(await torchPeer(python, 1, work), await torchPeer(python, 2, work));
}

/** Everyone in turn, so that all see the same spells of a busy machine; round -1 warms up. */
const measured = peers.map((peer) => ({ peer, steps: [], sampling: [] }));
for (let round = -1; round < ROUNDS; round += 1) {
  for (const { peer, steps, sampling } of measured) {
    for (let i = 0; i < (peer.name.startsWith('stock') ? 1 : 3); i += 1) {
      const step = await peer.step();
      if (!Number.isFinite(step.loss)) throw new Error(`the loss of ${peer.name} is ${step.loss}`);
      if (round >= 0) steps.push(step);
    }
    const speed = await peer.tokensPerSecond?.();
    if (round >= 0 && speed !== undefined) sampling.push(speed);
  }
}
for (const { peer } of measured) peer.close();

const gemm = [
  [2048, 128, 128, false, true],
  [2048, 512, 128, false, false],
  [2048, 512, 128, false, true],
  [512, 128, 2048, true, false],
  [64, 320, 128, false, false],
  [64, 1536, 128, false, true],
].map(([m, n, k, transposeA, transposeB]) => ({
  m,
  n,
  k,
  form: `${transposeA ? 'T' : 'N'}${transposeB ? 'T' : 'N'}`,
  ...gemmSpeed({ m, n, k, transposeA, transposeB }),
}));
const best = Math.max(...gemm.map(({ gflops }) => gflops));
const peak = await simdPeak();

const rows = measured.map(({ peer, steps, sampling }) => ({
  name: peer.name,
  threads: peer.threads,
  milliseconds: median(steps.map(({ milliseconds }) => milliseconds)),
  cpuMilliseconds: median(steps.map(({ cpuMilliseconds }) => cpuMilliseconds)),
  ...(sampling.length > 0 && { tokensPerSecond: median(sampling) }),
}));
const [own] = rows;
const result = {
  what: `one AdamW step of nano (vocabulary ${VOCABULARY}) on ${BATCH} × ${LENGTH} tokens; sampling ${work.sampling.sequences} × ${work.sampling.newTokens} tokens`,
  node: process.version,
  gflopPerStep: floatingPointOperations() / 1e9,
  floorMilliseconds: floatingPointOperations() / best / 1e6,
  timesFasterThanStock: rows.find(({ name }) => name.startsWith('stock')).milliseconds / own.milliseconds,
  rows,
  peakGflops: peak,
  gemm,
};

const line = (name, threads, step, cpu, ratio, speed) =>
  `${name.padEnd(22)}${threads.padStart(8)}${step.padStart(12)}${cpu.padStart(12)}${ratio.padStart(8)}${speed.padStart(14)}`;
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const ms = (value) => `${value.toFixed(0)} ms`;
const lines = [
  result.what,
  line('', 'threads', 'step', 'CPU time', 'ratio', 'tokens/s'),
  ...rows.map(({ name, threads, milliseconds, cpuMilliseconds, tokensPerSecond }) =>
    line(
      name,
      String(threads),
      ms(milliseconds),
      ms(cpuMilliseconds),
      (milliseconds / own.milliseconds).toFixed(2),
      tokensPerSecond?.toFixed(0) ?? '',
    ),
  ),
  line(`floor at ${best.toFixed(0)} GFLOP/s`, '1', ms(result.floorMilliseconds), '', '', ''),
  '',
  ...gemm.map(
    ({ m, n, k, form, gflops, xnnpackGflops }) =>
      `matMul ${form} ${`${m} × ${n} over ${k}`.padEnd(22)}${gflops.toFixed(1)} GFLOP/s, ${percent(gflops / peak)} of a core's ` +
      `${peak.toFixed(1)}, ${(gflops / xnnpackGflops).toFixed(2)} × XNNPACK's ${xnnpackGflops.toFixed(1)}`,
  ),
];
process.stdout.write(`${lines.join('\n')}\n`);
await writeResult('step', result);
