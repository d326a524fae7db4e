import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prefixDataFolder, userDataFolder } from 'posttrain/notebook/kernelspec.node';
import { posttrain } from '../cli/command-line.js';

describe("a user's data folder is where jupyter_core looks", () => {
  it.each([
    ['linux', '/home/ada', {}, '/home/ada/.local/share/jupyter'],
    ['linux', '/home/ada', { XDG_DATA_HOME: '/data' }, '/data/jupyter'],
    ['linux', '/home/ada', { JUPYTER_DATA_DIR: '/j', XDG_DATA_HOME: '/data' }, '/j'],
    ['darwin', '/Users/ada', {}, '/Users/ada/Library/Jupyter'],
    ['darwin', '/Users/ada', { JUPYTER_PLATFORM_DIRS: '0' }, '/Users/ada/Library/Jupyter'],
    [
      'darwin',
      '/Users/ada',
      { JUPYTER_PLATFORM_DIRS: '1' },
      '/Users/ada/Library/Application Support/Jupyter',
    ],
    ['win32', 'C:\\Users\\ada', { APPDATA: 'C:\\Users\\ada\\Roaming' }, 'C:\\Users\\ada\\Roaming\\jupyter'],
    ['win32', 'C:\\Users\\ada', {}, 'C:\\Users\\ada\\.jupyter\\data'],
    ['win32', 'C:\\Users\\ada', { JUPYTER_PLATFORM_DIRS: '1', LOCALAPPDATA: 'C:\\L' }, 'C:\\L\\Jupyter'],
  ] as const)('%s, home %s, %j', (platform, home, env, folder) => {
    expect(userDataFolder({ platform, home, env })).toBe(folder);
  });
});

describe('posttrain kernel install', () => {
  it('writes what starts this very package, and uninstall removes it', async () => {
    const prefix = mkdtempSync(join(tmpdir(), 'posttrain-prefix-'));
    const folder = join(prefixDataFolder(prefix), 'kernels', 'posttrain');
    expect((await posttrain('kernel', 'install', '--prefix', prefix)).out).toBe(
      `The kernel is in ${folder}\n`,
    );
    const spec = JSON.parse(readFileSync(join(folder, 'kernel.json'), 'utf8'));
    expect(spec).toMatchObject({
      display_name: 'TypeScript (posttrain)',
      language: 'typescript',
      interrupt_mode: 'message',
    });
    const [node, command, ...rest] = spec.argv as string[];
    expect(node).toBe(process.execPath);
    expect(command).toBe(join(process.cwd(), 'lib/bin/posttrain.js'));
    expect(existsSync(command!)).toBe(true);
    expect(rest).toEqual(['kernel', '{connection_file}']);
    expect((await posttrain('kernel', 'uninstall', '--prefix', prefix)).out).toBe(`Removed ${folder}\n`);
    expect(existsSync(folder)).toBe(false);
    expect((await posttrain('kernel', 'uninstall', '--prefix', prefix)).out).toContain('no kernel');
  });

  it('takes one place', async () => {
    const { status, err } = await posttrain('kernel', 'install', '--user', '--prefix', '/tmp');
    expect(status).toBe(1);
    expect(err).toContain('--user and --prefix name two places');
  });

  it('names its own option where nothing can be written', async () => {
    const { status, err } = await posttrain('kernel', 'install', '--prefix', process.execPath);
    expect(status).toBe(1);
    expect(err).toContain(`--prefix ${process.execPath} is a file; give the folder`);
    const below = await posttrain('kernel', 'install', '--prefix', join(process.execPath, 'below'));
    expect(below.err).toMatch(/ENOTDIR.*with --prefix that of a Python environment/);
    expect(below.err).not.toContain('--out');
  });
});
