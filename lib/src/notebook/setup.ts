import { backendInUse, initBackend } from '../tensor/index.js';
import { isNode } from '../tensor/host.js';
import { isFast } from './host.js';
import { nodeSide } from './node-side.js';
import { print } from './present.js';

/** What a notebook begins with. */
export interface Setup {
  /** Whether everything is to be done in little: `POSTTRAIN_FAST=1`, or `posttrain notebook run --fast`. */
  readonly fast: boolean;
  /** As given; hand it on to everything that draws random numbers. */
  readonly seed: number;
}

/**
 * Starts the back end, and prints what the numbers of this notebook depend on.
 *
 * `const { fast, seed } = await setup({ seed: 7 });`
 * @throws RangeError for a seed that is no whole number from 0 to 2³² − 1.
 */
export async function setup({ seed }: { readonly seed: number }): Promise<Setup> {
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32)
    throw new RangeError(`setup: seed is ${seed}; expected a whole number from 0 to 2³² − 1`);
  await initBackend();
  const fast = isFast();
  print(
    [
      ...(await versions()),
      `back end ${backendInUse()!.backend}`,
      `seed ${seed}`,
      ...(fast ? ['fast: everything in little, so the numbers mean nothing'] : []),
    ].join(', '),
  );
  return { fast, seed };
}

async function versions(): Promise<string[]> {
  if (!isNode()) return ['posttrain'];
  const { packageVersion } = await nodeSide('setup');
  return [`posttrain ${packageVersion()}`, `Node ${process.versions.node}`];
}
