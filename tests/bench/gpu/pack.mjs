// node tests/bench/gpu/pack.mjs [folder]: packs posttrain-gpu.tar.xz (under 60 MB), which checks and measures the WebGPU back
// end on a bare Linux machine of this machine's processor. Nothing of it has been run on a GPU yet, only on SwiftShader.
//
//   tar xJf posttrain-gpu.tar.xz && posttrain-gpu/run [--tiny]
//
// It brings Node, Dawn, tfjs, this library as built (npm run build) and, where a Chromium has one, Dawn's Vulkan loader. The
// machine must have glibc 2.28 or newer and a driver with Vulkan 1.1: NVIDIA's (in a container its `graphics` capability, which
// libGLX_nvidia.so.0 comes with), Mesa's for AMD and Intel, or SwiftShader by VK_ICD_FILENAMES. With torch in its python3 the
// same models are measured in PyTorch, too.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const LOADERS = ['/usr/lib/chromium', '/usr/lib/chromium-browser', '/opt/google/chrome'].map(
  (folder) => `${folder}/libvulkan.so.1`,
);

/** What a package needs to run: no sources, types, maps, or builds for other hosts. */
const packages = {
  '@tensorflow/tfjs-core': ['dist/tf-core.node.js'],
  '@tensorflow/tfjs-backend-cpu': ['dist/tf-backend-cpu.node.js'],
  '@tensorflow/tfjs-backend-wasm': [
    'dist/tf-backend-wasm.node.js',
    'wasm-out',
    'dist/tfjs-backend-wasm-simd.wasm',
  ],
  '@tensorflow/tfjs-backend-webgpu': ['dist/tf-backend-webgpu.node.js'],
  webgpu: ['index.js', 'LICENSE.md', `dist/linux-${process.arch}`],
  seedrandom: ['index.js', 'seedrandom.js', 'lib'],
  zod: ['index.js', 'index.cjs', 'v4'],
  posttrain: ['dist'],
};

const isNeeded = (path) => !/\.(d\.[cm]?ts|map)$/.test(path);

const target = resolve(process.argv[2] ?? '.', 'posttrain-gpu.tar.xz');
const work = mkdtempSync(join(tmpdir(), 'posttrain-gpu-'));
const bundle = join(work, 'posttrain-gpu');
mkdirSync(join(bundle, 'lib'), { recursive: true });

for (const [name, paths] of Object.entries(packages)) {
  const source = join(root, name === 'posttrain' ? 'lib' : `node_modules/${name}`);
  if (!existsSync(source)) {
    if (name === 'webgpu') throw new Error('Dawn is not installed: npm run test:webgpu installs it');
    continue;
  }
  for (const path of ['package.json', ...paths])
    if (existsSync(join(source, path)))
      cpSync(join(source, path), join(bundle, 'node_modules', name, path), {
        recursive: true,
        filter: isNeeded,
      });
}
for (const name of ['bench.mjs', 'work.mjs', 'torch_peer.py', 'nvidia_icd.json'])
  copyFileSync(new URL(name, import.meta.url), join(bundle, name));
copyFileSync(new URL('run.sh', import.meta.url), join(bundle, 'run'));
copyFileSync(process.execPath, join(bundle, 'node'));
chmodSync(join(bundle, 'run'), 0o755);
chmodSync(join(bundle, 'node'), 0o755);
// Symbols for debuggers are a fifth of Node.
execFileSync('strip', [join(bundle, 'node')]);
const loader = LOADERS.find(existsSync);
if (loader) copyFileSync(loader, join(bundle, 'lib/libvulkan.so.1'));

execFileSync('tar', ['cJf', target, '-C', work, 'posttrain-gpu'], {
  stdio: 'inherit',
  // Small enough at a quarter of the default's time.
  env: { ...process.env, XZ_OPT: '-3 -T0' },
});
rmSync(work, { recursive: true });
console.log(`${target}: ${(statSync(target).size / 1e6).toFixed(1)} MB`);
