// npm run bench -- growth: the time of a training step a token, from 1k to 16k tokens, and the arithmetic of a ten times larger model.
import { presets } from '../../lib/dist/model/index.js';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { trainingFlops } from './flops.mjs';
import { gemmSpeed, ourPeer } from './our-model.mjs';
import { inTurn, median, report, table } from './report.mjs';
import { makeWork, VOCABULARY } from './work.mjs';

const ROUNDS = 3;
const LENGTH = 128;
/** The engine's own default: what a training run has. */
const microBatchTokens = 1024;
const models = { nano: presets.nano(VOCABULARY), small: presets.small(4096) };
const cases = [
  ...[8, 16, 32, 64, 128].map((batch) => ({ model: 'nano', batch })),
  { model: 'small', batch: 16 },
];

await initBackend({ backend: 'wasm' });
const nameOf = ({ model, batch }) => `${model}, ${batch} × ${LENGTH}`;
const peers = cases.map((each) => {
  const work = makeWork({ config: models[each.model], batch: each.batch, length: LENGTH });
  return { name: nameOf(each), peer: ourPeer('posttrain', 1, work, { microBatchTokens }) };
});
const times = await inTurn(
  Object.fromEntries(peers.map(({ name, peer }) => [name, async () => (await peer.step()).milliseconds])),
  ROUNDS,
);
for (const { peer } of peers) peer.close();

const { gflops: peak } = gemmSpeed({ m: 2048, n: 512, k: 128, transposeA: false, transposeB: false });
const rows = cases.map((each) => {
  const tokens = each.batch * LENGTH;
  const milliseconds = median(times[nameOf(each)]);
  return {
    ...each,
    tokens,
    milliseconds,
    microsecondsPerToken: (1000 * milliseconds) / tokens,
    gflops: trainingFlops(models[each.model], each.batch, LENGTH) / milliseconds / 1e6,
  };
});
const ofNano = rows.filter(({ model }) => model === 'nano');
const middle = median(ofNano.map(({ microsecondsPerToken }) => microsecondsPerToken));
const sameSize = (model) => rows.find((row) => row.model === model && row.batch === 16);
const spread = Math.max(
  ...ofNano.map(({ microsecondsPerToken }) => Math.abs(microsecondsPerToken / middle - 1)),
);
const smallToNano = sameSize('small').gflops / sameSize('nano').gflops;
await report(
  'growth',
  { what: 'how a training step grows, one thread, parts of 1,024 tokens', peak, spread, smallToNano, rows },
  `${table(
    ['', 'tokens', 'step', 'a token', 'to the median', 'GFLOP/s', 'of the peak'],
    rows.map(({ model, batch, tokens, milliseconds, microsecondsPerToken, gflops }) => [
      nameOf({ model, batch }),
      String(tokens),
      `${milliseconds.toFixed(0)} ms`,
      `${microsecondsPerToken.toFixed(0)} µs`,
      model === 'nano' ? `${(100 * (microsecondsPerToken / middle - 1)).toFixed(0)} %` : '',
      gflops.toFixed(1),
      `${((100 * gflops) / peak).toFixed(0)} %`,
    ]),
  )}

small runs at ${(100 * smallToNano).toFixed(0)} % of nano's GFLOP/s; peak: ${peak.toFixed(0)} GFLOP/s, a large matrix product`,
);
