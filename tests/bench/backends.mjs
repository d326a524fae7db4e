// npm run bench -- backends: an AdamW step on 16 × 128 tokens and sampling 64 sequences, on TensorFlow's CPU (posttrain native) and on
// wasm with a worker a core, for models of three sizes: which of them `auto` should take.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { presets } from '../../lib/dist/model/index.js';
import { inTurn, median, report, table } from './report.mjs';
import { VOCABULARY } from './work.mjs';

const ROUNDS = 3;
const cores = availableParallelism();
const large = {
  ...presets.small(VOCABULARY),
  hiddenSize: 576,
  intermediateSize: 1536,
  numHiddenLayers: 12,
  numAttentionHeads: 9,
  numKeyValueHeads: 3,
  headDim: 64,
};

/** The engine on a back end, in a process of its own: a process has one. */
async function start(backend, workers, config) {
  const child = fork(fileURLToPath(new URL('./backend-worker.mjs', import.meta.url)));
  const ask = async (message) => {
    child.send(message);
    return (await once(child, 'message'))[0];
  };
  const { parameters } = await ask({ backend, workers, config });
  return { parameters, measure: () => ask({}), close: () => child.disconnect() };
}

const rows = [];
for (const config of [presets.nano(VOCABULARY), presets.small(VOCABULARY), large]) {
  const tensorflow = await start('tensorflow', 1, config);
  const wasm = await start('wasm', cores, config);
  const measured = await inTurn({ tensorflow: tensorflow.measure, wasm: wasm.measure }, ROUNDS);
  for (const { close } of [tensorflow, wasm]) close();
  const summary = (name) => ({
    milliseconds: median(measured[name].map(({ milliseconds }) => milliseconds)),
    tokensPerSecond: median(measured[name].map(({ tokensPerSecond }) => tokensPerSecond)),
  });
  rows.push({
    parameters: tensorflow.parameters,
    tensorflow: summary('tensorflow'),
    wasm: summary('wasm'),
  });
}

const ratio = (more, less) => `${(more / less).toFixed(2)} × as fast`;
await report(
  'backends',
  { what: `a step on 16 × 128 tokens and sampling 64 sequences, ${cores} cores`, rows },
  table(
    ['parameters', 'step, TensorFlow', 'wasm', 'wasm is', 'tokens/s, TensorFlow', 'wasm', 'wasm is'],
    rows.map(({ parameters, tensorflow, wasm }) => [
      `${(parameters / 1e6).toFixed(1)} M`,
      `${tensorflow.milliseconds.toFixed(0)} ms`,
      `${wasm.milliseconds.toFixed(0)} ms`,
      ratio(tensorflow.milliseconds, wasm.milliseconds),
      tensorflow.tokensPerSecond.toFixed(0),
      wasm.tokensPerSecond.toFixed(0),
      ratio(wasm.tokensPerSecond, tensorflow.tokensPerSecond),
    ]),
  ),
);
