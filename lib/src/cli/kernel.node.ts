import { existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import {
  installKernelspec,
  prefixDataFolder,
  uninstallKernelspec,
  userDataFolder,
} from '../notebook/kernelspec.node.js';
import { rejectUnknownCommand } from './unknown-command.node.js';

interface Place {
  readonly user?: true;
  readonly prefix?: string;
}

export function addKernel(program: Command): void {
  const kernel = program.command('kernel').description('let Jupyter run TypeScript notebooks');
  kernel
    .command('start', { isDefault: true })
    .description('run a kernel (Jupyter does it by itself)')
    .argument('[connection-file]', 'what Jupyter wrote about sockets and key')
    .option('--any-interface', 'accept an address that other machines can reach')
    .action(async (file: string | undefined, { anyInterface }: { anyInterface?: true }) => {
      if (file === undefined) return kernel.outputHelp();
      rejectUnknownCommand(kernel, file);
      // only now: sockets are loaded
      const { readConnection } = await import('../notebook/connection.node.js');
      const { startKernel } = await import('../notebook/kernel.node.js');
      await startKernel(readConnection(file, anyInterface));
    });
  withPlace(kernel.command('install'))
    .description('make the kernel known to Jupyter')
    .action((place: Place) => {
      const folder = at(place, installKernelspec);
      process.stdout.write(`The kernel is in ${folder}\n`);
    });
  withPlace(kernel.command('uninstall'))
    .description('undo that')
    .action((place: Place) => {
      const folder = at(place, uninstallKernelspec);
      process.stdout.write(folder ? `Removed ${folder}\n` : 'There was no kernel of posttrain.\n');
    });
}

function withPlace(command: Command): Command {
  return command
    .option('--user', 'for you alone (the default)')
    .option('--prefix <folder>', 'for the Python environment in this folder, e.g. "$VIRTUAL_ENV"');
}

/** Other commands have other options for their places, which are no help here. */
function at<T>(place: Place, work: (dataFolder: string) => T): T {
  const folder = dataFolder(place);
  try {
    return work(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Error(
      `${message}; name a folder in which you may write: with --prefix that of a Python environment, or with JUPYTER_DATA_DIR that of Jupyter's own data`,
    );
  }
}

function dataFolder({ user, prefix }: Place): string {
  if (user && prefix !== undefined) throw new Error('--user and --prefix name two places; give one of them');
  if (prefix === undefined) return userDataFolder();
  if (existsSync(prefix) && !statSync(prefix).isDirectory())
    throw new Error(
      `--prefix ${prefix} is a file; give the folder of a Python environment, e.g. "$VIRTUAL_ENV"`,
    );
  return prefixDataFolder(prefix);
}
