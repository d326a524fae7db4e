// What we are measured against, each in a process of its own that takes a step when it is asked to.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
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

/** A Python program that answers a line of JSON with a line of JSON. */
function pythonProcess(python, script) {
  const worker = spawn(python, [here(script)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: worker.stdout })[Symbol.asyncIterator]();
  return {
    async ask(message) {
      worker.stdin.write(`${JSON.stringify(message)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${script} ended; what it said is above`);
      return JSON.parse(value);
    },
    close: () => worker.stdin.end(),
  };
}

/** The same model in PyTorch: Hugging Face's Llama, fused attention and fused AdamW. */
export async function torchPeer(python, threads, { config, ids, targets, sampling }) {
  const { ask, close } = pythonProcess(python, './torch_peer.py');
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
    generateTokensPerSecond: async () => (await ask({ verb: 'generate' })).tokensPerSecond,
    close,
  };
}

/**
 * TRL's `GRPOTrainer` on a checkpoint in Hugging Face layout, a step whenever it is asked for one. It computes activations twice to
 * save memory unless it is told not to (`gradientCheckpointing`).
 */
export async function trlPeer(python, setup) {
  const { ask, close } = pythonProcess(python, './trl_peer.py');
  const { version } = await ask(setup);
  const how = setup.gradientCheckpointing ? 'as it comes' : 'no checkpointing';
  return { name: `TRL ${version}, ${how}`, threads: setup.threads, step: () => ask({ verb: 'step' }), close };
}

/** Where peers are installed: npm's own clean-up removes it. */
const cache = here('../../node_modules/.cache/posttrain-bench');

/** A Python with the given packages. */
export function installPython(...packages) {
  const python = `${cache}/bin/python`;
  if (!existsSync(python)) execFileSync('python3', ['-m', 'venv', cache], { stdio: 'inherit' });
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...packages], { stdio: 'inherit' });
  return python;
}

/** A package from npm, of one version, imported from where it is installed. */
export async function installNode(name, version, entry) {
  const folder = `${cache}/node`;
  const argumentsOfNpm = ['install', '--silent', '--no-save', '--prefix', folder, `${name}@${version}`];
  if (!existsSync(`${folder}/node_modules/${name}`))
    execFileSync('npm', argumentsOfNpm, { stdio: 'inherit', shell: process.platform === 'win32' });
  return import(pathToFileURL(`${folder}/node_modules/${name}/${entry}`).href);
}
