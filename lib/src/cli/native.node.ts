import type { Command } from 'commander';
import { installNative } from '../native/install.node.js';
import { INTERRUPTED, listenForInterrupt } from './interrupt.node.js';
import type { SetStatus } from './program.node.js';

const explanation = `
The binding is @tensorflow/tfjs-node (tfjs-node-gpu with --gpu). Its official binary is tried first; where that does not install, it is
compiled against a current TensorFlow from Python's package index, which needs python3 with pip, a C++ compiler and minutes. A GPU needs
NVIDIA's driver; CUDA comes with TensorFlow.

It goes into your cache folder (~/.cache/posttrain/native, below XDG_CACHE_HOME if that is set), not into node_modules: "npm ci" would
remove it there. All your projects share it; delete the folder to be rid of it.

With a GPU, "tensorflow" is the back end from then on, unless POSTTRAIN_BACKEND or an option names another. On a CPU it is used when
POSTTRAIN_BACKEND=tensorflow or an option asks for it: it trains faster than WebAssembly, but samples faster only with models above some
ten million parameters ("npm run bench -- backends"). "posttrain doctor" shows what is used.`;

export function addNative(program: Command, setStatus: SetStatus): void {
  program
    .command('native')
    .description('install TensorFlow itself as a back end: trains faster (optional)')
    .option('--gpu', 'for an NVIDIA GPU: TensorFlow with CUDA 12 (Linux)')
    .addHelpText('after', explanation)
    .action(async ({ gpu }: { gpu?: true }) => {
      const say = (line: string): void => void process.stdout.write(`${line}\n`);
      const interrupt = listenForInterrupt(() => say('Stopping; nothing is left behind.'));
      try {
        const { folder, tensorflow, ...found } = await installNative({
          device: gpu ? 'gpu' : 'cpu',
          say,
          signal: interrupt.signal,
        });
        say(
          `TensorFlow ${tensorflow} ${found.present ? 'is there already and works' : 'works'} (${found.gpu ? 'GPU' : 'CPU'}), in ${folder}`,
        );
        if (!found.gpu)
          say(
            'POSTTRAIN_BACKEND=tensorflow uses it: training gains from it, and sampling with models above some ten million parameters.',
          );
        if (gpu && !found.gpu)
          say('It finds no GPU and will compute on the CPU; check that "nvidia-smi" shows one.');
      } catch (error) {
        if (!interrupt.signal.aborted) throw error;
        setStatus(INTERRUPTED);
      } finally {
        interrupt.release();
      }
    });
}
