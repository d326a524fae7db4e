import { spawnSync } from 'node:child_process';

/** Short name of the commit a folder is at, with `+` where files have changed since; empty outside of a repository. */
export function commitOf(root: string): string {
  const git = (...args: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', timeout: 10_000 });
    return status === 0 ? stdout.trim() : undefined;
  };
  const commit = git('rev-parse', '--short', 'HEAD');
  if (commit === undefined) return '';
  return git('status', '--porcelain') === '' ? commit : `${commit}+`;
}
