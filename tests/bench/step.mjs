// npm run bench -- step [--torch]: one AdamW step of `nano` on 16 × 128 tokens and sampling 64 sequences, ours and others in turn.
import { initBackend } from '../../lib/dist/tensor/index.js';
import { trainingFlops } from './flops.mjs';
import { gemmSpeed, ourPeer } from './our-model.mjs';
import { simdPeak } from './peak.mjs';
import { installPython, stockPeer, torchPeer } from './peers.mjs';
import { median, report } from './report.mjs';
import { makeWork, VOCABULARY } from './work.mjs';

const ROUNDS = 5;
/** Training is a loop: the first step after something else finds cold caches. */
const STEPS_IN_A_ROW = 8;
const BATCH = 16;
const LENGTH = 128;

const work = makeWork({ batch: BATCH, length: LENGTH });
const flops = trainingFlops(work.config, BATCH, LENGTH);

await initBackend({ backend: 'wasm' });
const ours = ourPeer('posttrain', 1, work);
const peers = [ours, ourPeer('posttrain', 2, work), await stockPeer(work)];
if (process.argv.includes('--torch')) {
  const python = installPython('torch', 'transformers');
  peers.push(await torchPeer(python, 1, work), await torchPeer(python, 2, work));
}

/** Everyone in turn, so that all see the same spells of a busy machine; round -1 warms up. */
const measured = peers.map((peer) => ({ peer, steps: [], sampling: [] }));
for (let round = -1; round < ROUNDS; round += 1) {
  for (const { peer, steps, sampling } of measured) {
    for (let i = 0; i < (peer.name.startsWith('stock') ? 1 : STEPS_IN_A_ROW); i += 1) {
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
  gflopPerStep: flops / 1e9,
  floorMilliseconds: flops / best / 1e6,
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
await report('step', result, lines.join('\n'));
