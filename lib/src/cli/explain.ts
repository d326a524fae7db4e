/** Turns whatever was thrown into one sentence a person can act on. */

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space and start the same command again with --resume',
  EDQUOT: 'the disk quota is used up; free some space and start the same command again with --resume',
  EACCES: 'no permission; choose another folder with --out, or change the permissions',
  EPERM: 'not permitted; choose another folder with --out',
  EROFS: 'the file system is read-only; choose another folder with --out',
  EMFILE: 'too many open files; raise the limit with `ulimit -n`',
};

/** One line, no stack trace. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : SYSTEM_ERRORS[code];
  if (known !== undefined) return path === undefined ? known : `${path}: ${known}`;
  return error.message.replace(/\s*\n\s*/g, ' ');
}
