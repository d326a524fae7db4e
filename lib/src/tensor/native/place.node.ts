import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** What TensorFlow computes on. */
export type NativeDevice = 'cpu' | 'gpu';

/** TensorFlow's N-API binding, by device. */
export const nativePackages: Readonly<Record<NativeDevice, string>> = {
  gpu: '@tensorflow/tfjs-node-gpu',
  cpu: '@tensorflow/tfjs-node',
};

/** The version that goes with the tfjs this library is built on. */
export const nativePackageVersion = '4.22.0';

/**
 * The folder `posttrain native` installs into: the user's cache. A `node_modules` would not do: `npm ci` empties it, `npm install`
 * removes what no package.json asks for, and every project would need a gigabyte of its own.
 */
export function nativeFolder(device: NativeDevice): string {
  const name = `tfjs-node-${nativePackageVersion}-${device}-${process.platform}-${process.arch}`;
  return join(cacheFolder(), 'posttrain', 'native', name);
}

/** The binding's package below a folder that npm installed it into. */
export function nativePackageFolder(device: NativeDevice, folder: string = nativeFolder(device)): string {
  return join(folder, 'node_modules', nativePackages[device]);
}

/** Folders of the bindings that are there, best first: GPU before CPU, the program's own before ours. */
export function findNativePackages(devices: readonly NativeDevice[] = ['gpu', 'cpu']): string[] {
  return devices.flatMap((device) =>
    [ownPackage(device), nativePackageFolder(device)].filter(
      (folder) => folder !== undefined && existsSync(folder),
    ),
  ) as string[];
}

/** The package where the program that uses this library has installed it itself. */
function ownPackage(device: NativeDevice): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${nativePackages[device]}/package.json`));
  } catch {
    return undefined;
  }
}

function cacheFolder(): string {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = process.env;
  if (xdg) return xdg;
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  if (process.platform === 'win32' && local) return local;
  return join(homedir(), '.cache');
}
