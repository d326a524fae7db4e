import type { Command } from 'commander';

export function addKernel(program: Command): void {
  const kernel = program.command('kernel').description('run TypeScript notebooks in Jupyter');
  kernel
    .command('start', { isDefault: true, hidden: true })
    .description('run a kernel; Jupyter does it by itself')
    .argument('<connection-file>', 'what Jupyter wrote about sockets and key')
    .option('--any-interface', 'accept an address that other machines can reach')
    .action(async (file: string, { anyInterface }: { anyInterface?: true }) => {
      // loaded only here: the compiler takes a while
      const { readConnection } = await import('../notebook/connection.node.js');
      const { startKernel } = await import('../notebook/kernel.node.js');
      await startKernel(readConnection(file, anyInterface));
    });
}
