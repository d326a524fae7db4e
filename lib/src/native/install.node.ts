/**
 * Installs TensorFlow for the back end `tensorflow`. The binding as published is tied to TensorFlow 2.9 (and, for GPUs, to CUDA 11.2):
 * where its binary does not install, the same binding is compiled against a current TensorFlow.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { restoreUtil } from '../tensor/native/load.node.js';
import {
  nativeFolder,
  nativePackageFolder,
  nativePackages,
  nativePackageVersion,
  type NativeDevice,
} from '../tensor/native/place.node.js';
import { missingHeaders, nodeHeaders, requireBuildTools } from './requirements.node.js';
import { runTool, ToolFailure, type ToolOptions } from './tool.node.js';
import { fetchWheel, takeLibraries, tensorflowVersion } from './wheel.node.js';

export interface NativeInstallation {
  readonly folder: string;
  /** Version of the TensorFlow that computes. */
  readonly tensorflow: string;
  /** Whether it found a GPU. */
  readonly gpu: boolean;
  /** Whether it was there already. */
  readonly present: boolean;
}

export interface InstallOptions {
  readonly device: NativeDevice;
  /** Told what happens, a line at a time. */
  readonly say: (line: string) => void;
  /** Stops and leaves nothing behind. */
  readonly signal?: AbortSignal;
}

/** A hundred megabytes over a slow line; a host that does not answer must not hold up the build for longer. */
const OFFICIAL_LIMIT_MS = 5 * 60_000;
const HEARTBEAT_MS = 15_000;

/**
 * Installs into `nativeFolder(device)`, once: an installation that works is left as it is, a broken one is replaced. All work is
 * done beside it and moved there at the end.
 * @throws when it cannot be had, with what is missing and how to get it
 */
export async function installNative({ device, say, signal }: InstallOptions): Promise<NativeInstallation> {
  if (device === 'gpu' && process.platform === 'darwin')
    throw new Error('TensorFlow computes on NVIDIA GPUs only, which macOS does not have: leave --gpu out.');
  const folder = nativeFolder(device);
  const present = existsSync(folder) ? await tryBinding(device, folder, signal) : undefined;
  if (present?.works) return { folder, ...present.found, present: true };
  removeAbandonedWorkshops(folder);
  const workshop = `${folder}.${process.pid}`;
  try {
    mkdirSync(workshop, { recursive: true });
    await fetchPackage(device, workshop, { say, signal });
    const found =
      (await installOfficial(device, workshop, { say, signal })) ??
      (await buildFromWheel(device, workshop, { say, signal }));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(dirname(folder), { recursive: true });
    renameSync(workshop, folder);
    return { folder, ...found, present: false };
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

/** What a run left behind that was killed: half an installation takes a gigabyte. */
function removeAbandonedWorkshops(folder: string): void {
  const parent = dirname(folder);
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(`${basename(folder)}.`) ? Number(name.split('.').at(-1)) : NaN;
    if (Number.isInteger(pid) && !isRunning(pid))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

type Reporting = Pick<InstallOptions, 'say' | 'signal'>;

async function fetchPackage(device: NativeDevice, workshop: string, reporting: Reporting): Promise<void> {
  const wanted = `${nativePackages[device]}@${nativePackageVersion}`;
  writeFileSync(join(workshop, 'package.json'), '{ "private": true }\n');
  await step(`Fetching ${wanted} from npm`, reporting, (options) =>
    runTool('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', wanted], {
      ...options,
      cwd: workshop,
    }),
  ).catch((error: unknown) => {
    if (error instanceof ToolFailure && error.missing)
      throw new Error('npm was not found on PATH; it comes with Node: https://nodejs.org.');
    throw error;
  });
}

/** The package's own install script, which downloads binaries; `undefined` when it cannot. */
async function installOfficial(
  device: NativeDevice,
  workshop: string,
  { say, signal }: Reporting,
): Promise<Found | undefined> {
  try {
    await step('Trying the official binary', { say, signal }, (options) =>
      runTool('npm', ['rebuild', '--ignore-scripts=false', nativePackages[device]], {
        ...options,
        cwd: workshop,
        timeLimitMs: OFFICIAL_LIMIT_MS,
      }),
    );
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    say(`  it does not install here (${error.message})`);
    return undefined;
  }
  const tried = await tryBinding(device, workshop, signal);
  if (tried.works && (device === 'cpu' || tried.found.gpu)) return tried.found;
  say(`  it does not run here (${tried.works ? 'it finds no GPU' : tried.problem})`);
  return undefined;
}

async function buildFromWheel(
  device: NativeDevice,
  workshop: string,
  { say, signal }: Reporting,
): Promise<Found> {
  await requireBuildTools(signal);
  const packageFolder = nativePackageFolder(device, workshop);
  const wheel = join(workshop, 'wheel');
  for (const remnant of ['deps', 'lib', 'build'])
    rmSync(join(packageFolder, remnant), { recursive: true, force: true });
  const size = device === 'gpu' ? 'with CUDA, some gigabytes' : 'some hundred megabytes';
  await step(`Downloading TensorFlow ${tensorflowVersion}, ${size}`, { say, signal }, (options) =>
    fetchWheel(device, wheel, options),
  );
  const linkerFlags = takeLibraries(wheel, packageFolder);
  rmSync(wheel, { recursive: true, force: true });
  await compile(workshop, packageFolder, linkerFlags, { say, signal });
  rmSync(join(packageFolder, 'deps', 'include'), { recursive: true, force: true });
  const tried = await tryBinding(device, workshop, signal);
  if (!tried.works) throw new Error(`The binding was built, but does not run: ${tried.problem}`);
  return tried.found;
}

async function compile(
  workshop: string,
  packageFolder: string,
  linkerFlags: readonly string[],
  reporting: Reporting,
): Promise<void> {
  const headers = nodeHeaders();
  const tool = join(workshop, 'node_modules', '@mapbox', 'node-pre-gyp', 'bin', 'node-pre-gyp');
  await step('Compiling the binding', reporting, (options) =>
    runTool(
      process.execPath,
      [tool, 'install', '--build-from-source', ...(headers === undefined ? [] : [`--nodedir=${headers}`])],
      {
        ...options,
        cwd: packageFolder,
        // the linker drops libraries that no symbol asks for, unless it is told
        env: linkerFlags.length > 0 ? { LDFLAGS: ['-Wl,--no-as-needed', ...linkerFlags].join(' ') } : {},
      },
    ),
  ).catch((error: unknown) => {
    const unreachable = /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|nodejs\.org|headers/;
    if (
      headers === undefined &&
      error instanceof ToolFailure &&
      error.output.some((line) => unreachable.test(line))
    )
      throw missingHeaders();
    throw error;
  });
}

/** What a binding says of itself. */
type Found = Pick<NativeInstallation, 'tensorflow' | 'gpu'>;
type Trial =
  { readonly works: true; readonly found: Found } | { readonly works: false; readonly problem: string };

/** Multiplies two matrices with the binding below `folder`, in a process of its own: a library that does not fit takes its process down. */
async function tryBinding(device: NativeDevice, folder: string, signal?: AbortSignal): Promise<Trial> {
  const program = `
    (${restoreUtil.toString()})(require('node:util'));
    const tf = require(process.argv[1]);
    const product = tf.matMul([[1, 2]], [[3], [4]]).dataSync()[0];
    if (product !== 11) throw new Error('1 · 3 + 2 · 4 came out as ' + product);
    const { binding, isUsingGpuDevice } = tf.backend();
    console.log(JSON.stringify({ tensorflow: binding.TF_Version, gpu: isUsingGpuDevice }));`;
  try {
    const lines = await runTool(process.execPath, ['-e', program, nativePackageFolder(device, folder)], {
      signal,
      env: { TF_CPP_MIN_LOG_LEVEL: '2', NODE_NO_WARNINGS: '1' },
    });
    return { works: true, found: JSON.parse(lines.at(-1) ?? '') as Found };
  } catch (error) {
    if (error instanceof ToolFailure) return { works: false, problem: error.message };
    throw error;
  }
}

/** Runs one step, saying that it goes on while it does. A tool's failure is thrown on with what the tool said last. */
async function step<T>(
  what: string,
  { say, signal }: Reporting,
  work: (options: ToolOptions) => Promise<T>,
): Promise<T> {
  const started = performance.now();
  let last = '';
  say(`${what} …`);
  const heartbeat = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    say(`  ${seconds} s${last === '' ? '' : `: ${last.slice(0, 100)}`}`);
  }, HEARTBEAT_MS);
  try {
    return await work({ signal, onLine: (line) => (last = line.trim()) });
  } finally {
    clearInterval(heartbeat);
  }
}
