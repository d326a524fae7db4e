import { createLive, wantsColor, type Live, type Output } from '../display/index.js';
import { initBackend } from '../tensor/index.js';
import { listenForInterrupt } from './interrupt.node.js';

/** Milliseconds of a clock that never goes back. */
export function now(): number {
  return performance.now();
}

type Work<T> = (live: Live, signal: AbortSignal) => Promise<T>;

/** Does long work under a live view, with a back end ready, and with Ctrl-C asking it to stop. */
export async function withLive<T>(work: Work<T>): Promise<T> {
  await initBackend();
  return withProgress(process.stdout, work);
}

/** The same for work without tensors; the view may stay out of the way of results on standard output. */
export async function withProgress<T>(output: Output, work: Work<T>): Promise<T> {
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
