// npm run bench [-- NAME…] [--torch]: each benchmark in a process of its own, one after the other. Needs a built library (npm run build).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benchmarks = {
  step: 'one AdamW step of nano on 16 × 128 tokens, and its matrix products',
  kernels: 'every kernel against what one core can do',
  matmul: 'the matrix products of nano against jax-js and stock TensorFlow.js (installs jax-js)',
  sampling: 'tokens a second with a key-value cache, 64 and 16 sequences × 128 new tokens',
  grpo: 'one GRPO step end to end, 8 prompts × 8 samples × 96 new tokens; the peer is TRL',
  memory:
    'peak of the wasm heap in a training step against a count by hand, and tensors gained over 1,000 steps',
  native: 'a step and sampling on TensorFlow against PyTorch, which it installs (needs posttrain native)',
  graph: 'a step on TensorFlow with its operations one by one and as graphs (needs posttrain native)',
  backends:
    'a step and sampling on TensorFlow against wasm, for models of three sizes (needs posttrain native)',
  sharing: 'answers to one prompt whose beginning is computed once, against answers to different ones',
  threads: 'shards on workers against threads that share one memory',
  kernel: 'the notebook kernel: its start, an empty cell, 20,000 lines',
  growth: 'time a token from 1k to 16k tokens a step, and a model of 10 M parameters against nano',
};

const help = `npm run bench [-- NAME… --torch]

Prints a table and writes data/results/bench-NAME.json. Without a name: step.

${Object.entries(benchmarks)
  .map(([name, what]) => `  ${name.padEnd(10)}${what}`)
  .join('\n')}
  all       every one of them but native, graph and backends

  --torch   measures the Python peers too: PyTorch, Hugging Face generate, TRL. Installs them with pip into node_modules/.cache
            (about 1 GB); needs python3 with venv.
`;

const given = process.argv.slice(2);
const options = given.filter((argument) => argument.startsWith('-'));
const named = given.filter((argument) => !argument.startsWith('-'));
const unknown = [
  ...named.filter((name) => name !== 'all' && !Object.hasOwn(benchmarks, name)),
  ...options.filter((option) => !['--torch', '--help', '-h'].includes(option)),
];

if (unknown.length > 0) {
  process.stderr.write(`bench: unknown ${unknown.join(', ')}\n\n${help}`);
  process.exitCode = 1;
} else if (options.includes('--help') || options.includes('-h')) {
  process.stdout.write(help);
} else {
  const names = named.includes('all')
    ? Object.keys(benchmarks).filter((name) => !['native', 'graph', 'backends'].includes(name))
    : named.length > 0
      ? named
      : ['step'];
  for (const name of names) {
    const script = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
    const { status } = spawnSync(process.execPath, [script, ...options], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}
