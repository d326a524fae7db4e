/** Whoever starts Emscripten's code in Node gets its listeners of errors along with it. */
import { isNode } from '../host.js';

const events = ['uncaughtException', 'unhandledRejection'] as const;
type Listener = (...args: unknown[]) => void;

/**
 * Does the work and removes the listeners that it has left on the process. Emscripten's throw again whatever no one has caught:
 * Node would show their line of minified code instead of the one that failed, and exit with status 7 instead of 1.
 */
export async function withoutErrorListeners<T>(work: () => Promise<T>): Promise<T> {
  if (!isNode()) return work();
  const before = events.map(listenersOf);
  try {
    return await work();
  } finally {
    for (const [i, event] of events.entries())
      for (const listener of listenersOf(event))
        if (before[i]?.includes(listener) !== true) process.removeListener(event, listener);
  }
}

function listenersOf(event: (typeof events)[number]): Listener[] {
  return process.rawListeners(event) as Listener[];
}
