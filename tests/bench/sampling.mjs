// npm run bench -- sampling [--torch]: tokens a second with a key-value cache; no stop token, temperature 1.
import { createModel, disposeModel, generate, sampleKeys } from '../../lib/dist/model/index.js';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { samplingFlops } from './flops.mjs';
import { gemmSpeed, ourPeer } from './our-model.mjs';
import { installPython, torchPeer } from './peers.mjs';
import { inTurn, median, report, table } from './report.mjs';
import { makeWork } from './work.mjs';

const ROUNDS = 5;
const torch = process.argv.includes('--torch');

await initBackend({ backend: 'wasm' });
const python = torch ? installPython('torch', 'transformers') : undefined;

async function compare(sequences) {
  const sampling = { sequences, promptLength: 32, newTokens: 128 };
  const work = makeWork({ batch: 16, length: 128, sampling });
  const peers = [ourPeer('posttrain', 1, work), ourPeer('posttrain', 2, work)];
  if (python) peers.push(await torchPeer(python, 1, work), await torchPeer(python, 2, work));
  const contestants = peers.flatMap(({ name, threads, tokensPerSecond, generateTokensPerSecond }) => [
    { name: name.startsWith('PyTorch') ? `${name}, a loop` : name, threads, measure: tokensPerSecond },
    ...(generateTokensPerSecond
      ? [{ name: 'Hugging Face generate', threads, measure: generateTokensPerSecond }]
      : []),
  ]);
  const speeds = await inTurn(
    Object.fromEntries(contestants.map(({ name, threads, measure }) => [`${name} ${threads}`, measure])),
    ROUNDS,
  );
  for (const peer of peers) peer.close();
  const rows = contestants.map(({ name, threads }) => ({
    name,
    threads,
    tokensPerSecond: median(speeds[`${name} ${threads}`]),
  }));
  const flopsPerToken = samplingFlops(work.config, sampling) / (sequences * sampling.newTokens);
  return { sequences, flopsPerToken, rows };
}

/** Milliseconds for the same 64 sequences on one thread, with so many of them at a time. */
async function atOnce() {
  const { config, ids } = makeWork({ batch: 16, length: 128 });
  const model = createModel(config, 1);
  const prompts = Array.from({ length: 64 }, (_, i) => ids.values.slice(i * 16, i * 16 + 32));
  const params = { maxNewTokens: 128, temperature: 1, stopTokens: [] };
  const measure = (batchSize) => async () => {
    const start = performance.now();
    await generate(model, prompts, params, sampleKeys(64, 1, 'bench'), { batchSize });
    return performance.now() - start;
  };
  const sizes = [8, 16, 24, 32, 64];
  const times = await inTurn(Object.fromEntries(sizes.map((size) => [size, measure(size)])), ROUNDS);
  disposeModel(model);
  return sizes.map((size) => ({ sequencesAtOnce: size, milliseconds: median(times[size]) }));
}

const { gflops: peak } = gemmSpeed({ m: 2048, n: 512, k: 128, transposeA: false, transposeB: false });
const cases = [];
for (const sequences of [64, 16]) cases.push(await compare(sequences));
const sizes = await atOnce();

const text = cases
  .map(({ sequences, flopsPerToken, rows }) => {
    const own = (threads) => rows.find((row) => row.name === 'posttrain' && row.threads === threads);
    return table(
      [`${sequences} × 128 tokens`, 'threads', 'tokens/s', 'ours is', 'floor'],
      rows.map(({ name, threads, tokensPerSecond }) => [
        name,
        String(threads),
        tokensPerSecond.toFixed(0),
        `${(own(threads).tokensPerSecond / tokensPerSecond).toFixed(2)} ×`,
        name === 'posttrain' ? ((threads * peak * 1e9) / flopsPerToken).toFixed(0) : '',
      ]),
    );
  })
  .join('\n\n');

await report(
  'sampling',
  {
    what: 'sampling with nano (0.95 M parameters, vocabulary 1536), prompts of 32 tokens',
    peak,
    cases,
    atOnce: sizes,
  },
  `${text}\n\n${table(
    ['64 × 128 tokens', 'time'],
    sizes.map(({ sequencesAtOnce, milliseconds }) => [
      `${sequencesAtOnce} at a time`,
      `${milliseconds.toFixed(0)} ms`,
    ]),
  )}\n\nfloor: tokens/s if all arithmetic ran at the ${peak.toFixed(0)} GFLOP/s a thread of a large matrix product`,
);
