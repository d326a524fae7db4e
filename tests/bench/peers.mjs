// What we are measured against, each in a process of its own that takes a step when it is asked to.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { configToJSON } from '../../lib/dist/model/index.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** TensorFlow.js as it is installed: once our kernels are registered, nothing in a process is stock. */
export async function stockPeer(work) {
  const worker = fork(here('./stock-worker.mjs'), { serialization: 'advanced' });
  const ask = async (message) => {
    worker.send(message);
    return (await once(worker, 'message'))[0];
  };
  await ask({ config: work.config, ids: work.ids, targets: work.targets });
  return {
    name: 'stock TensorFlow.js',
    threads: 1,
    step: () => ask({ step: true }),
    close: () => worker.disconnect(),
  };
}

/** The same model in PyTorch: Hugging Face's Llama, fused attention and fused AdamW. */
export async function torchPeer(python, threads, { config, ids, targets, sampling }) {
  const worker = spawn(python, [here('./torch_peer.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: worker.stdout })[Symbol.asyncIterator]();
  const ask = async (message) => {
    worker.stdin.write(`${JSON.stringify(message)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('the PyTorch process ended; what it said is above');
    return JSON.parse(value);
  };
  const { version } = await ask({
    threads,
    config: JSON.parse(configToJSON(config)),
    shape: ids.shape,
    ids: [...ids.values],
    targets: [...targets],
    sampling,
  });
  return {
    name: `PyTorch ${version}`,
    threads,
    step: () => ask({ verb: 'step' }),
    tokensPerSecond: async () => (await ask({ verb: 'sample' })).tokensPerSecond,
    close: () => worker.stdin.end(),
  };
}

/** A Python with torch and transformers, in a folder that npm's own clean-up removes. */
export function installTorch() {
  const folder = fileURLToPath(new URL('../../node_modules/.cache/posttrain-bench', import.meta.url));
  const python = `${folder}/bin/python`;
  if (!existsSync(python)) execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', 'torch', 'transformers'], { stdio: 'inherit' });
  return python;
}
