import { vi } from 'vitest';
import { main } from 'posttrain/cli/program.node';

export interface Spoken {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process and returns what it said. */
export async function posttrain(...args: string[]): Promise<Spoken> {
  let out = '';
  let err = '';
  const stdout = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => Boolean((out += String(text))));
  const stderr = vi
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => Boolean((err += String(text))));
  try {
    const status = await main(args);
    return { status, out, err };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
}
