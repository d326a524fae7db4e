import { isNode } from '../tensor/host.js';
import type * as NodeSide from './node-side.node.js';

const FILE = './node-side.node.js';

/** Named by a constant, so that no bundler follows it into what a page does not have. @throws Error in a page. */
export async function nodeSide(what: string): Promise<typeof NodeSide> {
  if (!isNode()) throw new Error(`${what} needs Node; a page has no files`);
  return import(FILE) as Promise<typeof NodeSide>;
}
