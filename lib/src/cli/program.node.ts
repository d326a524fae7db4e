import { Command, CommanderError } from 'commander';
import { addBook } from './book.node.js';
import { addCollect } from './collect.node.js';
import { addCompletions } from './completions.node.js';
import { addConvert } from './convert.node.js';
import { addDoctor } from './doctor.node.js';
import { addDownload } from './download.node.js';
import { addDraw } from './draw.node.js';
import { addExperiment } from './experiment.node.js';
import { addJudge } from './judge.node.js';
import { addKernel } from './kernel.node.js';
import { addMetrics } from './metrics.node.js';
import { addNative } from './native.node.js';
import { packageVersion } from '../version.node.js';
import { explain } from './explain.js';
import { addNotebook } from './notebook.node.js';
import { addPretrain } from './pretrain.node.js';
import { addRun } from './run.node.js';
import { addServe } from './serve.node.js';
import { addVerifyReward } from './verify-reward.node.js';

/** Runs the command line and returns its exit status. Errors become one line on stderr; `POSTTRAIN_DEBUG=1` adds the stack. */
export async function main(args: readonly string[]): Promise<number> {
  let status = 0;
  const program = createProgram((code) => {
    status = code;
  });
  try {
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

function createProgram(setStatus: SetStatus): Command {
  const program = new Command('posttrain')
    .description(
      'Post-training from first principles: SFT and reinforcement learning of a small agent, on a laptop.',
    )
    .version(packageVersion(), '-v, --version')
    .showHelpAfterError('(add --help to see what is possible)')
    .exitOverride();
  addRun(program, setStatus);
  addDraw(program);
  addConvert(program);
  addExperiment(program, setStatus);
  addCollect(program, setStatus);
  addPretrain(program, setStatus);
  addDownload(program);
  addCompletions(program);
  addMetrics(program);
  addVerifyReward(program, setStatus);
  addJudge(program, setStatus);
  addServe(program);
  addKernel(program);
  addNotebook(program, setStatus);
  addBook(program, setStatus);
  addDoctor(program);
  addNative(program, setStatus);
  return program;
}
