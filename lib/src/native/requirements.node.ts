/** What a build from source needs, and how to get what is missing. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runTool, ToolFailure } from './tool.node.js';

/** Commands that install one thing. */
interface Remedy {
  readonly debian: string;
  readonly fedora: string;
  readonly macos: string;
}

const remedies = {
  python: {
    debian: 'sudo apt install python3 python3-pip',
    fedora: 'sudo dnf install python3 python3-pip',
    macos: 'brew install python',
  },
  pip: {
    debian: 'sudo apt install python3-pip',
    fedora: 'sudo dnf install python3-pip',
    macos: 'python3 -m ensurepip --upgrade',
  },
  compiler: {
    debian: 'sudo apt install build-essential',
    fedora: 'sudo dnf install gcc-c++ make',
    macos: 'xcode-select --install',
  },
  headers: {
    debian: 'sudo apt install libnode-dev',
    fedora: 'sudo dnf install nodejs-devel',
    macos: 'brew install node',
  },
} satisfies Record<string, Remedy>;

function withRemedy(sentence: string, { debian, fedora, macos }: Remedy): string {
  return `${sentence} (Debian, Ubuntu: ${debian}; Fedora: ${fedora}; macOS: ${macos})`;
}

export const python: string = 'python3';
export const compiler: string = process.env['CXX'] ?? (process.platform === 'darwin' ? 'c++' : 'g++');

/** Throws one error that names everything a build lacks. */
export async function requireBuildTools(signal?: AbortSignal): Promise<void> {
  if (process.platform === 'win32')
    throw new Error(
      'TensorFlow can be built here on Linux and macOS only, and the official binary did not install: see above.',
    );
  const works = async (command: string, ...args: string[]): Promise<boolean> => {
    try {
      await runTool(command, args, { signal });
      return true;
    } catch (error) {
      if (error instanceof ToolFailure) return false;
      throw error;
    }
  };
  const problems: string[] = [];
  if (!(await works(python, '--version')))
    problems.push(withRemedy(`Python is missing (${python}), which downloads TensorFlow.`, remedies.python));
  else if (!(await works(python, '-m', 'pip', '--version')))
    problems.push(withRemedy('pip is missing, which downloads TensorFlow.', remedies.pip));
  if (!(await works(compiler, '--version')) || !(await works('make', '--version')))
    problems.push(
      withRemedy(
        `A C++ compiler is missing (${compiler} with make), which builds the binding.`,
        remedies.compiler,
      ),
    );
  if (problems.length > 0) throw new Error(problems.join(' '));
}

/** Where Node's headers lie beside the running Node: `include/node` of this folder. */
export function nodeHeaders(execPath: string = process.execPath): string | undefined {
  const prefix = dirname(dirname(execPath));
  return existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? prefix : undefined;
}

/** Node's headers were neither beside Node nor to be downloaded. */
export function missingHeaders(): Error {
  return new Error(
    withRemedy(
      `Node's headers are missing: they are not beside ${process.execPath}, and nodejs.org could not be reached.`,
      remedies.headers,
    ),
  );
}
