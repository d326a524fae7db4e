// posttrain-gpu/run [--tiny]: checks the WebGPU back end of this machine against wasm, then prints tokens a second of training
// and sampling, ours and PyTorch's where `python3 -c 'import torch'` works. Writes posttrain-gpu.json into the current folder.
// --tiny takes sizes that a device in software manages. Not run on a GPU yet: what it shows there, nobody has seen.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createLocalEngine } from 'posttrain/engine';
import * as models from 'posttrain/model';
import { doctor, formatDoctorReport, initBackend, randomStream } from 'posttrain/tensor';
import { someWeights, workFor } from './work.mjs';

const { configToJSON, disposeModel, modelFrom, presets, sampleKeys } = models;
const isTiny = process.argv.includes('--tiny');
const ROUNDS = isTiny ? 2 : 7;
const params = { learningRate: 1e-3, adamBeta2: 0.999, weightDecay: 0.01, maxGradNorm: 1 };
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function batchOf(config, [batch, length]) {
  const random = randomStream(1, 'bench');
  return Array.from({ length: batch }, () => ({
    tokens: Int32Array.from({ length: length + 1 }, () => random.int(config.vocabSize)),
    weights: Float32Array.from({ length: length + 1 }, (_, t) => (t === 0 ? 0 : 1 / (batch * length))),
  }));
}

/** Loss, log-probabilities and gradient norm of two steps, and what greedy sampling then says. */
async function trial(backend) {
  await initBackend({ backend });
  const config = { ...presets.nano(300), numHiddenLayers: 2 };
  const model = modelFrom(config, someWeights);
  const engine = createLocalEngine(model);
  const data = batchOf(config, [2, 24]);
  const numbers = [];
  for (let step = 0; step < 2; step += 1) {
    const { loss, logprobs } = await engine.forwardBackward(data, { name: 'cross_entropy' });
    const { gradNorm } = await engine.optimStep(params);
    numbers.push(loss, gradNorm, ...logprobs.flatMap((row) => [...row]));
  }
  const greedy = { maxNewTokens: 8, temperature: 0, stopTokens: [] };
  const samples = await engine.sample([data[0].tokens.slice(0, 5)], greedy, sampleKeys(1, 1, 'parity'));
  engine.dispose();
  disposeModel(model);
  return { numbers, tokens: samples.flatMap(({ tokens }) => [...tokens]) };
}

async function checkParity() {
  const [expected, actual] = [await trial('wasm'), await trial('webgpu')];
  const errors = expected.numbers.map((x, i) => Math.abs(actual.numbers[i] - x) / (1 + Math.abs(x)));
  const largest = errors.some(Number.isNaN) ? NaN : Math.max(...errors);
  const sameTokens = expected.tokens.join() === actual.tokens.join();
  const ok = largest < 1e-3 && sameTokens;
  console.log(
    `parity with wasm: ${ok ? 'ok' : 'FAILED'}; largest relative error ${largest.toExponential(1)}, ` +
      `greedy tokens ${sameTokens ? 'equal' : 'differ'}`,
  );
  return { ok, largest, sameTokens };
}

async function measure({ config, lora, train, sample }) {
  const base = modelFrom(config, someWeights);
  const model = lora && models.addAdapter ? models.addAdapter(base, lora) : base;
  const engine = createLocalEngine(model);
  const data = batchOf(config, train);
  const [sequences, promptLength, newTokens] = sample;
  const prompts = batchOf(config, [sequences, promptLength]).map(({ tokens }) =>
    tokens.slice(0, promptLength),
  );
  const options = { maxNewTokens: newTokens, temperature: 1, stopTokens: [] };
  const times = { train: [], sample: [] };
  // The first round compiles the shaders.
  for (let round = -1; round < ROUNDS; round += 1) {
    const start = performance.now();
    const { loss } = await engine.forwardBackward(data, { name: 'cross_entropy' });
    await engine.optimStep(params);
    const trained = performance.now();
    if (!Number.isFinite(loss)) throw new Error(`the loss is ${loss}`);
    await engine.sample(prompts, options, sampleKeys(sequences, 1, 'bench', round + 1));
    if (round < 0) continue;
    times.train.push(trained - start);
    times.sample.push(performance.now() - trained);
  }
  engine.dispose();
  disposeModel(model);
  return {
    trainable: model === base ? 'all weights' : `LoRA, r ${lora.r}`,
    train: (train[0] * train[1] * 1000) / median(times.train),
    sample: (sequences * newTokens * 1000) / median(times.sample),
  };
}

/** The same in PyTorch, or why not. */
function measureTorch({ config, train, sample }, trainable) {
  const has = spawnSync('python3', ['-c', 'import torch'], { stdio: 'ignore' });
  if (has.status !== 0) return { why: "python3 -c 'import torch' does not work" };
  const input = JSON.stringify({
    config: JSON.parse(configToJSON(config)),
    train,
    sample,
    rounds: ROUNDS,
    rank: trainable === 'all weights' ? 0 : 16,
  });
  const script = fileURLToPath(new URL('torch_peer.py', import.meta.url));
  try {
    return JSON.parse(
      execFileSync('python3', [script], { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'inherit'] }),
    );
  } catch (error) {
    return { why: error.message.split('\n')[0] };
  }
}

const report = await doctor();
console.log(formatDoctorReport(report));
const webgpu = report.backends.find(({ name }) => name === 'webgpu');
if (webgpu.problem) {
  console.error(`WebGPU does not work here: ${webgpu.problem}`);
  process.exit(1);
}
const parity = await checkParity();
const rows = [];
for (const work of workFor(isTiny)) {
  const ours = await measure(work);
  const torch = measureTorch(work, ours.trainable);
  rows.push({ name: work.name, train: work.train, sample: work.sample, ours, torch });
  const against = torch.why
    ? `PyTorch: ${torch.why}`
    : `PyTorch ${torch.version} on ${torch.device}: ${torch.train.toFixed(0)} and ${torch.sample.toFixed(0)} ` +
      `(ours ${(ours.train / torch.train).toFixed(2)} × and ${(ours.sample / torch.sample).toFixed(2)} ×)`;
  console.log(
    `${work.name.padEnd(11)} ${ours.trainable}: ${ours.train.toFixed(0)} tokens/s training, ` +
      `${ours.sample.toFixed(0)} tokens/s sampling; ${against}`,
  );
}
const result = { device: webgpu.details, node: process.version, isTiny, parity, rows };
writeFileSync('posttrain-gpu.json', `${JSON.stringify(result, null, 2)}\n`);
// Dawn's own threads would keep the process alive.
process.exit(parity.ok ? 0 : 1);
