// npm run bench -- sharing: an update on 8 answers of 128 tokens that begin with one prompt, against the same with prompts that differ
// in their first token, so that nothing can be shared.
import { initBackend } from '../../lib/dist/tensor/index.js';
import { createLocalEngine } from '../../lib/dist/engine/index.js';
import { createModel, presets } from '../../lib/dist/model/index.js';
import { inTurn, median, report, table } from './report.mjs';
import { VOCABULARY } from './work.mjs';

const ANSWERS = 8;
const LENGTH = 128;
const ROUNDS = 12;

function answers(promptLength, sharing) {
  return Array.from({ length: ANSWERS }, (_, row) => {
    const tokens = Int32Array.from({ length: LENGTH }, (_, t) =>
      t < promptLength ? 300 + t : 300 + ((row * 31 + t * 17) % 1000),
    );
    if (!sharing) tokens[0] = 300 + row;
    return { tokens, weights: new Float32Array(LENGTH).fill(1 / (ANSWERS * LENGTH), promptLength) };
  });
}

await initBackend({ backend: 'wasm' });
const engine = createLocalEngine(createModel(presets.nano(VOCABULARY), 1));
const timed = (data) => async () => {
  const start = performance.now();
  await engine.forwardBackward(data, { name: 'cross_entropy' });
  return performance.now() - start;
};
const rows = [];
for (const promptLength of [12, 16, 24, 32, 48, 64]) {
  const times = await inTurn(
    { shared: timed(answers(promptLength, true)), apart: timed(answers(promptLength, false)) },
    ROUNDS,
  );
  rows.push({
    promptLength,
    saved: ((1 - 1 / ANSWERS) * promptLength) / LENGTH,
    milliseconds: { shared: median(times.shared), apart: median(times.apart) },
  });
}
engine.dispose();

const percent = (share) => `${(100 * share).toFixed(0)} %`;
await report(
  'sharing',
  { what: `an update of nano on ${ANSWERS} answers to one prompt, ${LENGTH} tokens each`, rows },
  table(
    ['prompt', 'tokens saved', 'apart', 'shared', 'of the time'],
    rows.map(({ promptLength, saved, milliseconds: { shared, apart } }) => [
      `${promptLength} tokens`,
      percent(saved),
      `${apart.toFixed(0)} ms`,
      `${shared.toFixed(0)} ms`,
      percent(shared / apart),
    ]),
  ),
);
