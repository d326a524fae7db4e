/** A folder of programs that stand in for npm, Python and the compiler, and a cache folder; nothing else is on PATH. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface FakeTools {
  readonly cache: string;
  /** Programs as JavaScript; each notes how it was called. */
  add(name: string, program?: string): void;
  remove(name: string): void;
  /** How the tools were called, in order: `npm install …`. */
  calls(): string[];
  dispose(): void;
}

/** What the binding exports, as far as the check of an installation goes. */
export const workingBinding = `
  module.exports = {
    matMul: () => ({ dataSync: () => [11] }),
    backend: () => ({ binding: { TF_Version: '2.21.0' }, isUsingGpuDevice: process.env.FAKE_GPU === '1' }),
  };`;

/** npm that lays down the package with a `node-pre-gyp`; the package works once that has compiled it against the wheel's library. */
const npm = `
  if (args[0] === 'rebuild') {
    console.error('npm error Error: getaddrinfo ENOTFOUND storage.googleapis.com');
    process.exit(1);
  }
  const name = args.at(-1).replace(/@[^@]*$/, '');
  const folder = 'node_modules/' + name;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(folder + '/package.json', JSON.stringify({ name, version: '4.22.0', main: 'lib/index.js' }));
  fs.mkdirSync('node_modules/@mapbox/node-pre-gyp/bin', { recursive: true });
  fs.writeFileSync('node_modules/@mapbox/node-pre-gyp/bin/node-pre-gyp', ${JSON.stringify(`
    const fs = require('node:fs');
    fs.readFileSync('deps/include/tensorflow/c/c_api.h');
    fs.readFileSync(process.platform === 'darwin' ? 'deps/lib/libtensorflow.2.dylib' : 'deps/lib/libtensorflow.so');
    fs.mkdirSync('lib', { recursive: true });
    fs.writeFileSync('lib/index.js', ${JSON.stringify(workingBinding)});
    fs.writeFileSync('lib/linker-flags', process.env.LDFLAGS ?? '');
    fs.writeFileSync('lib/arguments', process.argv.slice(2).join(' '));
  `)});`;

/** Python whose pip unpacks a wheel of three files, and NVIDIA's where they are asked for. */
const python = `
  const target = args[args.indexOf('--target') + 1];
  if (args.includes('install')) {
    const [extension, framework] = process.platform === 'darwin' ? ['.2.dylib', '.2.dylib'] : ['.so.2', '.so.2'];
    fs.mkdirSync(target + '/tensorflow/include/tensorflow/c', { recursive: true });
    fs.writeFileSync(target + '/tensorflow/include/tensorflow/c/c_api.h', '');
    fs.writeFileSync(target + '/tensorflow/libtensorflow_cc' + extension, '');
    fs.writeFileSync(target + '/tensorflow/libtensorflow_framework' + framework, '');
    if (args.at(-1).includes('[and-cuda]')) {
      fs.mkdirSync(target + '/nvidia/cudnn/lib', { recursive: true });
      fs.writeFileSync(target + '/nvidia/cudnn/lib/libcudnn.so.9', '');
      fs.writeFileSync(target + '/nvidia/cudnn/lib/libcudnn_ops.so.9', '');
    }
  }`;

/** Puts the tools in place of the real ones until `dispose`. */
export function fakeTools(): FakeTools {
  const folder = mkdtempSync(join(tmpdir(), 'posttrain-tools-'));
  const [bin, cache, log] = [join(folder, 'bin'), join(folder, 'cache'), join(folder, 'calls')];
  mkdirSync(bin);
  const before = { PATH: process.env['PATH'], XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] };
  Object.assign(process.env, { PATH: bin, XDG_CACHE_HOME: cache });
  const tools: FakeTools = {
    cache,
    add: (name, program = '') =>
      writeFileSync(
        join(bin, name),
        `#!${process.execPath}
const fs = require('node:fs');
const args = process.argv.slice(2);
fs.appendFileSync(${JSON.stringify(log)}, [${JSON.stringify(name)}, ...args].join(' ') + '\\n');
${program}
`,
        { mode: 0o755 },
      ),
    remove: (name) => rmSync(join(bin, name)),
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    dispose: () => {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      rmSync(folder, { recursive: true });
    },
  };
  for (const [name, program] of Object.entries({ npm, python3: python, 'g++': '', 'c++': '', make: '' }))
    tools.add(name, program);
  return tools;
}
