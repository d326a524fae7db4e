// npm run test:jupyter: the kernel under the clients that people use: nbclient, and JupyterLab in a browser where there is one.
// They are installed from pip into a virtual environment of their own (node_modules/.cache/jupyter, which `npm ci` removes).
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkJupyterLab } from './lab.mjs';

const REQUIREMENTS = ['nbclient==0.11.0', 'jupyterlab==4.6.4'];
const root = fileURLToPath(new URL('../..', import.meta.url));
const venv = `${root}node_modules/.cache/jupyter`;
const bin = `${venv}/${process.platform === 'win32' ? 'Scripts' : 'bin'}`;
const notebooks = `${root}tests/notebook/notebooks`;
const fixture = `${root}tests/notebooks/fixture`;

const run = (command, args, stdio = 'inherit') => spawnSync(command, args, { cwd: root, stdio });

/** Why the clients cannot be had, or nothing. */
function install() {
  if (existsSync(`${bin}/jupyter-lab`)) return undefined;
  const python = ['python3', 'python'].find(
    (name) => run(name, ['-m', 'venv', '--help'], 'ignore').status === 0,
  );
  if (python === undefined) return 'there is no Python with venv';
  if (run(python, ['-m', 'venv', venv], 'ignore').status !== 0) return 'no virtual environment could be made';
  if (run(`${bin}/python`, ['-m', 'pip', 'install', '--quiet', ...REQUIREMENTS]).status !== 0)
    return `pip could not install ${REQUIREMENTS.join(' and ')}`;
  return undefined;
}

const missing = install();
if (missing !== undefined) {
  console.log(`skipped: ${missing}`);
} else {
  run(process.execPath, ['lib/bin/posttrain.js', 'kernel', 'install', '--prefix', venv]);
  const courses = [`${fixture}/notebooks`, `${root}notebooks`];
  const { status } = run(`${bin}/python`, ['tests/jupyter/nbclient_check.py', notebooks, ...courses]);
  const lab = await checkJupyterLab({ bin, fixture });
  process.exitCode = status === 0 && lab ? 0 : 1;
}
