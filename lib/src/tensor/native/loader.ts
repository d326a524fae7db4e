import type * as Loader from './load.node.js';

const FILE = './load.node.js';

/** What loads TensorFlow's binding. Named by a constant, so that no bundler follows it into what a page does not have. */
export function nativeLoader(): Promise<typeof Loader> {
  return import(FILE) as Promise<typeof Loader>;
}
