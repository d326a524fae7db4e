import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installKernelspec } from './kernelspec.node.js';

export const howToGetJupyterLab: string = `JupyterLab is not on your PATH. It comes with Python: pip install jupyterlab
Without it, run notebooks by \`posttrain notebook run FILE\`, or open them in VS Code after \`posttrain kernel install\`.`;

export function hasJupyterLab(): boolean {
  return spawnSync('jupyter', ['lab', '--version'], { stdio: 'ignore' }).status === 0;
}

/** Opens JupyterLab with our kernel, whether or not that is installed. Resolves with its exit status when it ends. */
export async function openJupyterLab(paths: readonly string[]): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'posttrain-jupyter-'));
  installKernelspec(data);
  const path = [data, process.env['JUPYTER_PATH']].filter(Boolean).join(delimiter);
  // Ctrl-C reaches JupyterLab, which asks whether it should end
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  try {
    return await new Promise((ended, reject) => {
      const lab = spawn('jupyter', ['lab', ...paths], {
        stdio: 'inherit',
        env: { ...process.env, JUPYTER_PATH: path },
      });
      lab.once('error', reject);
      lab.once('exit', (status) => ended(status ?? 1));
    });
  } finally {
    process.off('SIGINT', ignore);
    rmSync(data, { recursive: true });
  }
}
