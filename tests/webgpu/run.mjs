// npm run test:webgpu: the parity tests of tensors, models, losses and the engine on WebGPU, through Dawn in Node.
// Installs Dawn (npm package webgpu, 130 MB) beside the locked packages, which `npm ci` removes again.
// Without a GPU a software one will do: SwiftShader, which comes with Chromium (Debian: apt-get install chromium).
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DAWN = 'webgpu@0.6.2';
const CHROMIUMS = ['/usr/lib/chromium', '/usr/lib/chromium-browser', '/opt/google/chrome'];
const PARITY_TESTS = [
  'tests/tensor/ops.test.ts',
  'tests/tensor/causal-attention.test.ts',
  'tests/tensor/selected-logprobs.test.ts',
  'tests/tensor/gradients.test.ts',
  'tests/tensor/state.test.ts',
  'tests/tensor/muon.test.ts',
  'tests/tensor/sample-tokens.test.ts',
  'tests/tensor/value-and-gradients.test.ts',
  'tests/model/parity.test.ts',
  'tests/model/weights.test.ts',
  'tests/model/generate.test.ts',
  'tests/losses/golden.test.ts',
  'tests/engine/engine.test.ts',
  'tests/pretrained/train.test.ts',
  'tests/webgpu',
];

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = (command, args, env = process.env, stdio = 'inherit') =>
  spawnSync(command, args, { cwd: root, env, stdio, encoding: 'utf8' });

function install() {
  if (existsSync(`${root}/node_modules/webgpu/package.json`)) return;
  const { status } = run('npm', ['install', '--no-save', '--ignore-scripts', '--legacy-peer-deps', DAWN]);
  if (status !== 0) process.exit(status ?? 1);
}

/** The adapter's name, or nothing. In a process of its own, as the loader reads its environment when a process starts. */
function adapter(env) {
  const script = `
    import { create } from 'webgpu';
    const adapter = await create([]).requestAdapter();
    if (adapter) console.log(adapter.info.vendor, adapter.info.description);`;
  return run(process.execPath, ['--input-type=module', '--eval', script], env, 'pipe').stdout.trim();
}

/** The environments to try: as it is, then with the Vulkan loader and SwiftShader of a Chromium. */
const environments = [
  process.env,
  ...CHROMIUMS.filter((folder) => existsSync(`${folder}/vk_swiftshader_icd.json`)).map((folder) => ({
    ...process.env,
    VK_ICD_FILENAMES: `${folder}/vk_swiftshader_icd.json`,
    LD_LIBRARY_PATH: [folder, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
  })),
];

install();
const env = environments.find((each) => adapter(each));
if (!env) {
  console.log(
    'skipped: no WebGPU adapter. It needs a GPU with a Vulkan driver, or a Chromium with SwiftShader.',
  );
} else {
  console.log(`on ${adapter(env)}`);
  // A software GPU compiles and runs every shader on the CPU: minutes where a real one takes seconds.
  const { status } = run(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--testTimeout=600000',
      '--hookTimeout=600000',
      ...(process.argv[2] ? process.argv.slice(2) : PARITY_TESTS),
    ],
    { ...env, POSTTRAIN_BACKEND: 'webgpu' },
  );
  process.exitCode = status ?? 1;
}
