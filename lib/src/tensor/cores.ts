import { isNode } from './host.js';

/** Cores this process or page may use. */
export function coreCount(): number {
  // asked of the process rather than imported, so that a page can be bundled
  return isNode()
    ? process.getBuiltinModule('node:os').availableParallelism()
    : navigator.hardwareConcurrency;
}
