// npm run test:native: `posttrain native` for real, then every test of ops, models, losses, engines and trainers on the back end it
// brings. Needs python3 and a network, takes minutes and a gigabyte below node_modules/.cache; skips with a reason without Python.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const env = { ...process.env, XDG_CACHE_HOME: path('node_modules/.cache/posttrain-native') };

if (spawnSync('python3', ['-m', 'pip', '--version']).status !== 0) {
  console.log('skipped: there is no python3 with pip here, which downloads TensorFlow');
  process.exit(0);
}

/** Runs the command line, passing on what it says. */
function posttrain(...args) {
  const { status, stdout } = spawnSync(process.execPath, [path('lib/bin/posttrain.js'), ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.stdout.write(stdout);
  assert.equal(status, 0, `posttrain ${args.join(' ')} ended with status ${status}`);
  return stdout;
}

assert.match(posttrain('native'), /^TensorFlow \d+\.\d+\.\d+ (works|is there already and works) \(CPU\)/m);
assert.match(posttrain('native'), /^TensorFlow \S+ is there already and works/);
assert.match(
  posttrain('doctor'),
  /^ {2}tensorflow +works, .* GFLOP\/s: TensorFlow \S+ through @tensorflow\/tfjs-node \S+, CPU, \d+ threads: only when asked for by name$/m,
);

const suites = ['tensor', 'model', 'losses', 'engine/engine', 'trainers', 'pretrained/train'].map(
  (name) => `tests/${name}`,
);
const { status } = spawnSync(process.execPath, [path('node_modules/vitest/vitest.mjs'), 'run', ...suites], {
  cwd: path('.'),
  env: { ...env, POSTTRAIN_BACKEND: 'tensorflow' },
  stdio: 'inherit',
});
process.exit(status ?? 1);
