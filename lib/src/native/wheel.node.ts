/** The current TensorFlow, taken from its Python wheel: libraries and C headers, laid out as the binding's build expects them. */
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeDevice } from '../tensor/native/place.node.js';
import { python } from './requirements.node.js';
import { runTool, type ToolOptions } from './tool.node.js';

/** The TensorFlow that this library was tested with. */
export const tensorflowVersion = '2.21.0';

/** Any Python will do to fetch it: the C library does not depend on Python, only the wheel's name does. */
const WHEEL_PYTHON = '3.11';

/** CUDA's libraries that TensorFlow opens by name when it starts; the rest they find themselves. */
const CUDA_LIBRARIES = [
  'cudart',
  'cublas',
  'cublasLt',
  'cufft',
  'cusolver',
  'cusparse',
  'cudnn',
  'nccl',
  'cupti',
].map((name) => new RegExp(`^lib${name}\\.so\\.\\d+$`));

function wheelName(device: NativeDevice): string {
  if (device === 'gpu') return `tensorflow[and-cuda]==${tensorflowVersion}`;
  // On other systems `tensorflow` is the build for the CPU already.
  const smaller = process.platform === 'linux' && process.arch === 'x64';
  return `${smaller ? 'tensorflow-cpu' : 'tensorflow'}==${tensorflowVersion}`;
}

/** Unpacks the wheel into `folder`; for a GPU, NVIDIA's libraries beside it. */
export async function fetchWheel(device: NativeDevice, folder: string, options: ToolOptions): Promise<void> {
  await runTool(
    python,
    [
      ...['-m', 'pip', 'install', '--target', folder, '--python-version', WHEEL_PYTHON],
      ...['--only-binary', ':all:', '--no-compile', '--disable-pip-version-check', '--progress-bar', 'off'],
      ...(device === 'cpu' ? ['--no-deps'] : []),
      wheelName(device),
    ],
    options,
  );
}

/**
 * Moves what the binding needs from an unpacked wheel into its package.
 * @returns the flags with which the linker finds CUDA
 */
export function takeLibraries(wheel: string, packageFolder: string): string[] {
  const deps = join(packageFolder, 'deps');
  const lib = join(deps, 'lib');
  mkdirSync(lib, { recursive: true });
  const mac = process.platform === 'darwin';
  for (const [library, name] of [
    ['libtensorflow_cc', 'libtensorflow'],
    ['libtensorflow_framework', 'libtensorflow_framework'],
  ] as const) {
    const file = mac ? `${library}.2.dylib` : `${library}.so.2`;
    renameSync(join(wheel, 'tensorflow', file), join(lib, file));
    // The name the linker looks for; the program then asks for the file's own.
    const alias = mac ? `${name}.2.dylib` : `${name}.so`;
    if (alias !== file) symlinkSync(file, join(lib, alias));
  }
  renameSync(join(wheel, 'tensorflow', 'include'), join(deps, 'include'));
  const toDeps = mac ? '@loader_path/../../deps' : "'\\$$ORIGIN/../../deps"; // quoted for make, then for its shell
  const runPath = (folder: string): string => `-Wl,-rpath,${toDeps}/${folder}${mac ? '' : "'"}`;
  if (mac) return [runPath('lib')];
  return takeCuda(wheel, deps).flatMap(({ folder, files }) => [
    runPath(folder),
    ...files.map((file) => join(deps, folder, file)),
  ]);
}

/**
 * NVIDIA's libraries. TensorFlow opens them by bare names, which the system finds when they are in the process already: so the
 * binding is linked against them.
 */
function takeCuda(wheel: string, deps: string): { folder: string; files: string[] }[] {
  const nvidia = join(wheel, 'nvidia');
  if (!existsSync(nvidia)) return [];
  renameSync(nvidia, join(deps, 'nvidia'));
  return readdirSync(join(deps, 'nvidia')).flatMap((part) => {
    const folder = join('nvidia', part, 'lib');
    if (!existsSync(join(deps, folder))) return [];
    const files = readdirSync(join(deps, folder)).filter((file) =>
      CUDA_LIBRARIES.some((wanted) => wanted.test(file)),
    );
    return files.length > 0 ? [{ folder, files }] : [];
  });
}
