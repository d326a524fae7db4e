/** `posttrain native` with tools that only pretend; the real build is tests/native/build.mjs. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installNative, type NativeInstallation } from 'posttrain/native/install.node';
import { missingHeaders, nodeHeaders } from 'posttrain/native/requirements.node';
import { runTool, ToolFailure } from 'posttrain/native/tool.node';
import {
  findNativePackages,
  nativeFolder,
  nativePackageFolder,
  type NativeDevice,
} from 'posttrain/tensor/native/place.node';
import { posttrain } from '../cli/command-line.js';
import { fakeTools, type FakeTools, workingBinding } from './fake-tools.js';

describe.skipIf(process.platform === 'win32')('posttrain native', () => {
  let tools: FakeTools;
  let said: string[];
  beforeEach(() => {
    tools = fakeTools();
    said = [];
  });
  afterEach(() => tools.dispose());

  const install = (device: NativeDevice = 'cpu', signal?: AbortSignal): Promise<NativeInstallation> =>
    installNative({ device, say: (line) => said.push(line), signal });
  const leftovers = (): string[] => {
    const parent = join(tools.cache, 'posttrain', 'native');
    return existsSync(parent) ? readdirSync(parent) : [];
  };

  it('builds where the official binary does not install, says why, and does nothing the second time', async () => {
    const folder = nativeFolder('cpu');
    expect(folder.startsWith(tools.cache)).toBe(true);
    expect(await install()).toEqual({ folder, tensorflow: '2.21.0', gpu: false, present: false });
    expect(said.join('\n')).toMatch(
      /Fetching @tensorflow\/tfjs-node@4\.22\.0[^]*official binary[^]*ENOTFOUND storage.googleapis.com[^]*TensorFlow 2\.21\.0[^]*Compiling/,
    );
    const package_ = nativePackageFolder('cpu');
    expect(findNativePackages()).toContain(package_);
    // what only the build needed is gone, and no link leads back to where it was built
    expect(readdirSync(join(package_, 'deps'))).toEqual(['lib']);
    for (const file of readdirSync(join(package_, 'deps', 'lib')))
      expect(existsSync(join(package_, 'deps', 'lib', file))).toBe(true);
    expect(leftovers()).toHaveLength(1);
    const calls = tools.calls();
    expect(calls).toContainEqual(
      expect.stringMatching(/^python3 -m pip install --target .* --no-deps tensorflow(-cpu)?==2\.21\.0$/),
    );

    expect((await install()).present).toBe(true);
    expect(tools.calls()).toEqual(calls);
  });

  it('takes the official binary where it installs', async () => {
    tools.add(
      'npm',
      `const folder = 'node_modules/@tensorflow/tfjs-node';
       fs.mkdirSync(folder, { recursive: true });
       if (args[0] === 'rebuild') fs.writeFileSync(folder + '/index.js', ${JSON.stringify(workingBinding)});`,
    );
    expect((await install()).present).toBe(false);
    expect(tools.calls().map((call) => call.split(' ')[0])).toEqual(['npm', 'npm']);
  });

  it('replaces an installation that does not work', async () => {
    const package_ = nativePackageFolder('cpu');
    mkdirSync(package_, { recursive: true });
    writeFileSync(join(package_, 'index.js'), 'process.abort()');
    expect((await install()).present).toBe(false);
    expect(existsSync(join(package_, 'index.js'))).toBe(false);
  });

  it('links CUDA for a GPU, to where it will lie', async () => {
    expect(await install('gpu')).toMatchObject({ folder: nativeFolder('gpu'), gpu: false });
    const package_ = nativePackageFolder('gpu');
    expect(readdirSync(join(package_, 'deps')).sort()).toEqual(['lib', 'nvidia']);
    const flags = readFileSync(join(package_, 'lib', 'linker-flags'), 'utf8');
    expect(flags).toMatch(/--no-as-needed .*-rpath,'\\\$\$ORIGIN\/\.\.\/\.\.\/deps\/nvidia\/cudnn\/lib'/);
    expect(flags).toMatch(/libcudnn\.so\.9$/);
    expect(tools.calls()).toContainEqual(expect.stringMatching(/ tensorflow\[and-cuda\]==2\.21\.0$/));
  });

  it.each([
    [['python3'], /Python is missing .*apt install python3.*dnf install python3.*brew install python/],
    [['make'], /C\+\+ compiler is missing .*build-essential.*gcc-c\+\+.*xcode-select --install/],
    [['g++', 'c++'], /C\+\+ compiler is missing/],
    [['python3', 'make'], /Python is missing .*compiler is missing/],
    [['npm'], /npm was not found on PATH; it comes with Node/],
  ])('without %j says what to install and leaves nothing behind', async (missing, message) => {
    missing.forEach((name) => tools.remove(name));
    await expect(install()).rejects.toThrow(message);
    expect(leftovers()).toEqual([]);
  });

  it('without pip says what to install', async () => {
    tools.add('python3', "if (args[0] === '-m') { console.error('No module named pip'); process.exit(1); }");
    await expect(install()).rejects.toThrow(/pip is missing.*python3-pip/);
  });

  it('passes on what pip says, in one line', async () => {
    tools.add(
      'python3',
      "if (args.includes('install')) { console.log('ERROR: No matching distribution found'); process.exit(1); }",
    );
    const { status, err } = await posttrain('native');
    expect(err).toBe('error: python3 ended with status 1: ERROR: No matching distribution found\n');
    expect(status).toBe(1);
  });

  it('finds headers beside Node, and says how to get them', () => {
    const prefix = join(tools.cache, 'node');
    expect(nodeHeaders(join(prefix, 'bin', 'node'))).toBeUndefined();
    mkdirSync(join(prefix, 'include', 'node'), { recursive: true });
    writeFileSync(join(prefix, 'include', 'node', 'node_api.h'), '');
    expect(nodeHeaders(join(prefix, 'bin', 'node'))).toBe(prefix);
    expect(missingHeaders().message).toMatch(/headers are missing.*libnode-dev.*nodejs-devel/);
  });

  it('stops at once with everything a tool has started, and leaves nothing behind', async () => {
    const controller = new AbortController();
    const child = join(tools.cache, 'child');
    tools.add(
      'npm',
      `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
       fs.writeFileSync(${JSON.stringify(child)}, String(pid));
       setInterval(() => {}, 1000);`,
    );
    const installing = install('cpu', controller.signal);
    while (!existsSync(child) || readFileSync(child, 'utf8') === '')
      await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort(new Error('stopped'));
    await expect(installing).rejects.toThrow('stopped');
    expect(leftovers()).toEqual([]);
    const pid = Number(readFileSync(child, 'utf8'));
    const running = (): boolean => {
      try {
        // a process that has ended but was not yet collected by its new parent has no memory
        return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] !== 'Z';
      } catch {
        return false;
      }
    };
    while (running()) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('clears away what a killed run left', async () => {
    const abandoned = `${nativeFolder('cpu')}.999999999`;
    mkdirSync(abandoned, { recursive: true });
    await install();
    expect(existsSync(abandoned)).toBe(false);
  });

  it('ends a tool that takes too long', async () => {
    tools.add('slow', 'setInterval(() => {}, 1000)');
    const slow = runTool('slow', [], { timeLimitMs: 50 });
    await expect(slow).rejects.toThrow(ToolFailure);
    await expect(slow).rejects.toThrow('slow was ended after 0.05 s');
  });

  it('is explained', async () => {
    const { out } = await posttrain('native', '--help');
    expect(out).toMatch(/npm ci/);
    expect(out).toMatch(/--gpu/);
  });
});
