/** Turns whatever was thrown into one sentence a person can act on. */

const GO_ON = 'free some space and start the same command again, a training with --resume';
const ELSEWHERE = 'choose another place with --out, --output or --json';

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: `the disk is full; ${GO_ON}`,
  EDQUOT: `the disk quota is used up; ${GO_ON}`,
  EACCES: `no permission; ${ELSEWHERE}, or change the permissions`,
  EPERM: `not permitted; ${ELSEWHERE}`,
  EROFS: `the file system is read-only; ${ELSEWHERE}`,
  EISDIR: `this is a folder, not a file; ${ELSEWHERE}`,
  EEXIST: `a file is where a folder should be; ${ELSEWHERE}`,
  ENOTDIR: `a file is where a folder should be; ${ELSEWHERE}`,
  EMFILE: 'too many open files; raise the limit with `ulimit -n`',
};

/** One line, no stack trace. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path, dest = path } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const known = code === undefined ? undefined : SYSTEM_ERRORS[code];
  if (known !== undefined) return dest === undefined ? known : `${dest}: ${known}`;
  return error.message.replace(/\s*\n\s*/g, ' ');
}
