import { Command, CommanderError } from 'commander';
import { packageVersion } from '../version.node.js';
import { explain } from './explain.js';

/** Runs the command line and returns its exit status. Errors become one line on stderr; `POSTTRAIN_DEBUG=1` adds the stack. */
export async function main(args: readonly string[]): Promise<number> {
  let status = 0;
  try {
    const program = await createProgram(args[0], (code) => {
      status = code;
    });
    await program.parseAsync(args, { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`error: ${explain(error)}\n`);
    if (process.env['POSTTRAIN_DEBUG'] === '1' && error instanceof Error)
      process.stderr.write(`${error.stack}\n`);
    return 1;
  }
}

/** Tells how the process should end, when that is neither success nor an error. */
export type SetStatus = (status: number) => void;

/** Adds a command to the program. */
type AddCommand = (program: Command, setStatus: SetStatus) => void;

/** In the order of the help. Only the one that is called is loaded: some bring half the library with them. */
export const COMMANDS: ReadonlyMap<string, () => Promise<AddCommand>> = new Map<
  string,
  () => Promise<AddCommand>
>([
  ['run', async () => (await import('./run.node.js')).addRun],
  ['draw', async () => (await import('./draw.node.js')).addDraw],
  ['convert', async () => (await import('./convert.node.js')).addConvert],
  ['experiment', async () => (await import('./experiment.node.js')).addExperiment],
  ['collect', async () => (await import('./collect.node.js')).addCollect],
  ['pretrain', async () => (await import('./pretrain.node.js')).addPretrain],
  ['download', async () => (await import('./download.node.js')).addDownload],
  ['completions', async () => (await import('./completions.node.js')).addCompletions],
  ['metrics', async () => (await import('./metrics.node.js')).addMetrics],
  ['verify-reward', async () => (await import('./verify-reward.node.js')).addVerifyReward],
  ['judge', async () => (await import('./judge.node.js')).addJudge],
  ['serve', async () => (await import('./serve.node.js')).addServe],
  ['kernel', async () => (await import('./kernel.node.js')).addKernel],
  ['notebook', async () => (await import('./notebook.node.js')).addNotebook],
  ['book', async () => (await import('./book.node.js')).addBook],
  ['doctor', async () => (await import('./doctor.node.js')).addDoctor],
  ['native', async () => (await import('./native.node.js')).addNative],
]);

/** @param name of the command that is called; all are there when it is none of them. */
export async function createProgram(name: string | undefined, setStatus: SetStatus): Promise<Command> {
  const program = new Command('posttrain')
    .description(
      'Post-training from first principles: SFT and reinforcement learning of a small agent, on a laptop.',
    )
    .version(packageVersion(), '-v, --version')
    .showHelpAfterError('(add --help to see what is possible)')
    .exitOverride();
  const called = COMMANDS.get(name ?? '');
  for (const load of called === undefined ? COMMANDS.values() : [called]) (await load())(program, setStatus);
  return program;
}
