import { createLive, wantsColor, type Live } from '../display/index.js';
import { initBackend } from '../tensor/index.js';
import { listenForInterrupt } from './interrupt.node.js';

/** Milliseconds of a clock that never goes back. */
export function now(): number {
  return performance.now();
}

/** Does long work under a live view, with a back end ready, and with Ctrl-C asking it to stop. */
export async function withLive<T>(work: (live: Live, signal: AbortSignal) => Promise<T>): Promise<T> {
  await initBackend();
  const output = process.stdout;
  const live = createLive({ output, color: wantsColor(output.isTTY === true, process.env), now });
  const interrupt = listenForInterrupt(() =>
    live.print('Stopping after this step; press Ctrl-C again to leave at once.'),
  );
  try {
    return await work(live, interrupt.signal);
  } finally {
    live.close();
    interrupt.release();
  }
}
