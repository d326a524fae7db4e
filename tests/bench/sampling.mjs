// npm run bench -- sampling [--torch]: tokens a second with a key-value cache; no stop token, temperature 1.
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

const { gflops: peak } = gemmSpeed({ m: 2048, n: 512, k: 128, transposeA: false, transposeB: false });
const cases = [];
for (const sequences of [64, 16]) cases.push(await compare(sequences));

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
  { what: 'sampling with nano (0.95 M parameters, vocabulary 1536), prompts of 32 tokens', peak, cases },
  `${text}\n\nfloor: tokens/s if all arithmetic ran at the ${peak.toFixed(0)} GFLOP/s a thread of a large matrix product`,
);
