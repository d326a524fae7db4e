import { availableParallelism } from 'node:os';

/** Cores this process may use. */
export function coreCount(): number {
  return availableParallelism();
}
