// npm run bench -- graph: an AdamW step of `nano` on 16 × 128 tokens on TensorFlow with its operations one by one and as graphs, in
// turn, and what making the graphs takes. Writes data/results/bench-graph.json. Needs posttrain native.
import { registerGraphs } from '../../lib/dist/tensor/as-graph.js';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { describeNative } from '../../lib/dist/tensor/native/load.node.js';
import { ourPeer } from './our-model.mjs';
import { inTurn, median, report, table } from './report.mjs';
import { makeWork, VOCABULARY } from './work.mjs';

const ROUNDS = 7;
const TURN = { wakeUps: 1, inARow: 5 };
const BATCH = 16;
const LENGTH = 128;

await initBackend({ backend: 'tensorflow' });
const work = makeWork({ batch: BATCH, length: LENGTH });
const oneByOne = (compute) => compute();
const asGraphs = registerGraphs('tensorflow', oneByOne);

/** The same model from the same weights, trained in one way or the other. */
function contestant(runner) {
  const peer = ourPeer('posttrain on TensorFlow', 1, work);
  return () => {
    registerGraphs('tensorflow', runner);
    return peer.step();
  };
}

const contestants = { 'one by one': contestant(oneByOne), 'as graphs': contestant(asGraphs) };
const firstSteps = {};
for (const [name, step] of Object.entries(contestants)) firstSteps[name] = await step();
const steps = await inTurn(contestants, ROUNDS, TURN);

const largestDifference = Math.max(
  ...steps['as graphs'].map(({ loss }, i) => Math.abs(loss - steps['one by one'][i].loss)),
);
if (!(largestDifference < 1e-4)) throw new Error(`the losses are ${largestDifference} apart`);

const rows = Object.entries(steps).map(([name, taken]) => ({
  name,
  milliseconds: median(taken.map(({ milliseconds }) => milliseconds)),
  cpuMilliseconds: median(taken.map(({ cpuMilliseconds }) => cpuMilliseconds)),
  fastestMilliseconds: Math.min(...taken.map(({ milliseconds }) => milliseconds)),
  firstMilliseconds: firstSteps[name].milliseconds,
}));
const [separate, whole] = rows;
const milliseconds = (value) => `${value.toFixed(0)} ms`;
await report(
  'graph',
  {
    what: `one AdamW step of nano (vocabulary ${VOCABULARY}) on ${BATCH} × ${LENGTH} tokens on TensorFlow`,
    native: describeNative(),
    largestDifference,
    timesFaster: separate.milliseconds / whole.milliseconds,
    rows,
  },
  `${table(
    ['', 'step', 'fastest', 'CPU time', 'first step'],
    rows.map((row) => [
      row.name,
      milliseconds(row.milliseconds),
      milliseconds(row.fastestMilliseconds),
      milliseconds(row.cpuMilliseconds),
      milliseconds(row.firstMilliseconds),
    ]),
  )}\n\nno loss differs by more than ${largestDifference.toExponential(1)}`,
);
