// npm run bench -- native: one AdamW step of `nano` on 16 × 128 tokens and sampling 64 sequences, on TensorFlow (posttrain native)
// and on PyTorch with as many threads, in turn. Prints a table and writes data/results/bench-native.json. Installs PyTorch into
// node_modules/.cache.
import { availableParallelism } from 'node:os';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { describeNative } from '../../lib/dist/tensor/native/load.node.js';
import { ourPeer } from './our-model.mjs';
import { installPython, torchPeer } from './peers.mjs';
import { median, report, table } from './report.mjs';
import { makeWork, VOCABULARY } from './work.mjs';

const ROUNDS = 7;
const BATCH = 16;
const LENGTH = 128;
const threads = availableParallelism();
const work = makeWork({ batch: BATCH, length: LENGTH });

await initBackend({ backend: 'tensorflow' });
const peers = [
  { ...ourPeer('posttrain on TensorFlow', 1, work), threads },
  await torchPeer(installPython('torch', 'transformers'), threads, work),
];

/** In turn, so that both see the same spells of a busy machine; round -1 warms up. */
const measured = peers.map((peer) => ({ peer, steps: [], sampling: [] }));
for (let round = -1; round < ROUNDS; round += 1) {
  for (const { peer, steps, sampling } of measured) {
    for (let i = 0; i < 5; i += 1) {
      const step = await peer.step();
      if (!Number.isFinite(step.loss)) throw new Error(`the loss of ${peer.name} is ${step.loss}`);
      if (round >= 0) steps.push(step);
    }
    const speed = await peer.tokensPerSecond();
    if (round >= 0) sampling.push(speed);
    const last = steps.slice(-5).map(({ milliseconds }) => milliseconds.toFixed(0));
    process.stderr.write(
      `${round < 0 ? 'warm' : `${round + 1} of ${ROUNDS}`}  ${peer.name}: ${last.join(' ')} ms, ${speed.toFixed(0)} tokens/s\n`,
    );
  }
}
for (const { peer } of measured) peer.close();

const rows = measured.map(({ peer, steps, sampling }) => ({
  name: peer.name,
  threads,
  milliseconds: median(steps.map(({ milliseconds }) => milliseconds)),
  cpuMilliseconds: median(steps.map(({ cpuMilliseconds }) => cpuMilliseconds)),
  fastestMilliseconds: Math.min(...steps.map(({ milliseconds }) => milliseconds)),
  tokensPerSecond: median(sampling),
}));
const [own, torch] = rows;
const result = {
  what: `one AdamW step of nano (vocabulary ${VOCABULARY}) on ${BATCH} × ${LENGTH} tokens; sampling ${work.sampling.sequences} × ${work.sampling.newTokens} tokens`,
  native: describeNative(),
  stepRatio: own.milliseconds / torch.milliseconds,
  samplingRatio: own.tokensPerSecond / torch.tokensPerSecond,
  rows,
};
const text = [
  result.native,
  table(
    ['', 'step', 'CPU time', 'tokens/s'],
    rows.map(({ name, milliseconds, cpuMilliseconds, tokensPerSecond }) => [
      name,
      `${milliseconds.toFixed(0)} ms`,
      `${cpuMilliseconds.toFixed(0)} ms`,
      tokensPerSecond.toFixed(0),
    ]),
  ),
  `step ${result.stepRatio.toFixed(2)} × PyTorch's time, sampling ${result.samplingRatio.toFixed(2)} × its tokens/s`,
].join('\n');
await report('native', result, text);
