import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeFileAtomic } from '../files.node.js';
import { kernelspec } from './format.js';

/** A machine's answers to where files of Jupyter lie; given in tests, else this process's. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

const here = (): Surroundings => ({ platform: process.platform, env: process.env, home: homedir() });

/** The folder below which Jupyter looks for a user's kernels: `jupyter_core.paths.jupyter_data_dir`. */
export function userDataFolder({ platform, env, home }: Surroundings = here()): string {
  const path = platform === 'win32' ? win32 : posix;
  if (env['JUPYTER_DATA_DIR']) return env['JUPYTER_DATA_DIR'];
  const asSystemDoes = /^(?!0|no|n|false|off|$)/i.test(env['JUPYTER_PLATFORM_DIRS'] ?? '');
  if (platform === 'darwin')
    return path.join(home, 'Library', ...(asSystemDoes ? ['Application Support'] : []), 'Jupyter');
  if (platform === 'win32') {
    const local = asSystemDoes ? env['LOCALAPPDATA'] : env['APPDATA'];
    if (local) return path.join(local, asSystemDoes ? 'Jupyter' : 'jupyter');
    return path.join(env['JUPYTER_CONFIG_DIR'] || path.join(home, '.jupyter'), 'data');
  }
  return path.join(env['XDG_DATA_HOME'] || path.join(home, '.local', 'share'), 'jupyter');
}

/** The same for a Python environment: what Jupyter calls `sys.prefix`. */
export function prefixDataFolder(prefix: string): string {
  return join(prefix, 'share', 'jupyter');
}

/** Writes the kernel's description, with absolute paths: Jupyter needs to find neither npm nor Node. Returns its folder. */
export function installKernelspec(dataFolder: string): string {
  const folder = kernelspecFolder(dataFolder);
  const spec = {
    argv: [
      process.execPath,
      fileURLToPath(new URL('../../bin/posttrain.js', import.meta.url)),
      'kernel',
      '{connection_file}',
    ],
    display_name: kernelspec.display_name,
    language: kernelspec.language,
    // a signal reaches no kernel on Windows, and no library that computes on another thread anywhere
    interrupt_mode: 'message',
    metadata: { debugger: false },
  };
  writeFileAtomic(join(folder, 'kernel.json'), `${JSON.stringify(spec, null, 2)}\n`);
  return folder;
}

/** Returns the folder that was removed, or `undefined` where there was none. */
export function uninstallKernelspec(dataFolder: string): string | undefined {
  const folder = kernelspecFolder(dataFolder);
  if (!existsSync(folder)) return undefined;
  rmSync(folder, { recursive: true });
  return folder;
}

function kernelspecFolder(dataFolder: string): string {
  return join(dataFolder, 'kernels', kernelspec.name);
}
