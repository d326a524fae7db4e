// npm run bench -- memory: the most that the wasm heap holds in a training step against a count by hand, and what 1,000 steps leave behind.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { report, table } from './report.mjs';

const LENGTH = 128;
/** In one piece, and in the parts of 1,024 tokens that the engine cuts a batch into by default. */
const cases = [
  { batch: 16, inParts: false },
  { batch: 64, inParts: false },
  { batch: 16, inParts: true },
  { batch: 64, inParts: true },
];

/** A heap never shrinks: each measurement has a process of its own. */
async function inProcess(task) {
  const worker = fork(fileURLToPath(new URL('./memory-worker.mjs', import.meta.url)), [JSON.stringify(task)]);
  const [answer] = await Promise.race([once(worker, 'message'), once(worker, 'exit')]);
  if (typeof answer !== 'object') throw new Error(`the measurement ended with status ${answer}`);
  return answer;
}

const peaks = [];
for (const { batch, inParts } of cases)
  peaks.push({ batch, inParts, ...(await inProcess({ measure: 'peak', batch, length: LENGTH, inParts })) });
const growth = await inProcess({ measure: 'growth', steps: 1000 });

const sum = (terms) => Object.values(terms).reduce((total, bytes) => total + bytes, 0);
const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const text = table(
  ['nano', 'at once', 'by hand', 'peak', 'ratio', 'whole heap'],
  peaks.map(({ batch, positions, byHand, peak, heap }) => [
    `${batch} × ${LENGTH} tokens`,
    `${positions}`,
    mebibytes(sum(byHand)),
    mebibytes(peak),
    (peak / sum(byHand)).toFixed(2),
    mebibytes(heap),
  ]),
);
const gained = `${growth.steps} steps gained ${growth.tensors} tensors and ${growth.bytes} bytes of the heap`;
await report(
  'memory',
  { what: 'memory of one training step: what is allocated in the wasm heap at its fullest', peaks, growth },
  `${text}\n\nby hand: weights + gradients + optimizer + activations (memory-count.mjs); whole heap: what the process has taken for it\n${gained}`,
);
