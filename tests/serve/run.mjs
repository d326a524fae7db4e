// npm run test:serve: TRL's GRPOTrainer trains against `posttrain serve`. TRL comes from pip into a virtual environment of its own
// (node_modules/.cache/trl, which `npm ci` removes).
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const REQUIREMENTS = ['torch==2.13.0', 'transformers==5.18.0', 'trl==1.13.0', 'datasets'];
const root = fileURLToPath(new URL('../..', import.meta.url));
const venv = `${root}node_modules/.cache/trl`;
const python = `${venv}/${process.platform === 'win32' ? 'Scripts' : 'bin'}/python`;

const run = (command, args, stdio = 'inherit') => spawnSync(command, args, { cwd: root, stdio });

/** Why TRL cannot be had, or nothing. */
function install() {
  if (existsSync(python) && run(python, ['-c', 'import trl'], 'ignore').status === 0) return undefined;
  if (run('python3', ['-m', 'venv', venv], 'ignore').status !== 0) return 'there is no Python with venv';
  if (run(python, ['-m', 'pip', 'install', '--quiet', ...REQUIREMENTS]).status !== 0)
    return `pip could not install ${REQUIREMENTS.join(', ')}`;
  return undefined;
}

/** The address of a server with the preference world: random words already get different rewards there. */
async function serve() {
  const server = spawn(
    process.execPath,
    ['lib/bin/posttrain.js', 'serve', '--env', 'preference', '--port', '0'],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const url = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (chunk) => {
      said += String(chunk);
      const [address] = /http:\/\/\S+:\d+/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    server.on('exit', () => reject(new Error('the server ended')));
  });
  return { url, stop: () => server.kill() };
}

const missing = install();
if (missing !== undefined) {
  console.log(`skipped: ${missing}`);
} else {
  const { url, stop } = await serve();
  const { status } = run(python, ['tests/serve/trl_check.py', url, 'data/base']);
  stop();
  process.exitCode = status ?? 1;
}
