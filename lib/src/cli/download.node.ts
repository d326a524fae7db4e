import type { Command } from 'commander';
import { downloadModel, type DownloadProgress } from '../pretrained/download.node.js';

interface Options {
  readonly revision?: string;
  readonly cacheDir?: string;
  readonly hubUrl?: string;
}

const MEBIBYTE = 2 ** 20;

export function addDownload(program: Command): void {
  program
    .command('download')
    .description('fetch a model from the Hugging Face Hub, for loadPretrained, and print its folder')
    .argument('<id>', 'e.g. HuggingFaceTB/SmolLM2-135M-Instruct')
    .option('--revision <name>', 'branch, tag or commit (default: main)')
    .option('--cache-dir <folder>', "where models lie (default: the hub's own cache)")
    .option('--hub-url <url>', 'another hub than https://huggingface.co')
    .addHelpText(
      'after',
      '\nPrivate and gated models need a token in HF_TOKEN. An interrupted download goes on when it is run again.',
    )
    .action(downloadCommand);
}

async function downloadCommand(id: string, options: Options): Promise<void> {
  // the hub's client announces every file there; the progress says more
  Object.assign(console, { debug: () => undefined });
  const folder = await downloadModel(id, { ...options, onProgress: writeProgress });
  process.stdout.write(`${folder}\n`);
}

/** One line that changes on a terminal, a line each time in a log. */
function writeProgress({ file, loaded, total }: DownloadProgress): void {
  const mebibytes = (bytes: number): string => (bytes / MEBIBYTE).toFixed(1);
  const line = `${mebibytes(loaded)} of ${mebibytes(total)} MiB: ${file}`;
  const { isTTY } = process.stderr;
  const start = isTTY ? '\r\u001b[K' : '';
  process.stderr.write(`${start}${line}${isTTY && loaded < total ? '' : '\n'}`);
}
