import { findHost } from './host.js';

/** More updates than ten a second are not seen, and cost each reader's browser. */
const LEAST_MS = 100;
/** Of the time; the rest belongs to what is being shown. */
const MOST_SHARE = 1 / 5;

/**
 * Writes of which only the last counts: the first at once, the others at most ten times a second and in a fifth of the time, and the
 * last in any case.
 */
export interface Throttled {
  /** There is something to write. */
  request(): void;
  /** Writes what waits. */
  flush(): void;
}

export function throttled(write: () => void): Throttled {
  let nextTime = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const start = performance.now();
    write();
    const end = performance.now();
    nextTime = Math.max(start + LEAST_MS, start + (end - start) / MOST_SHARE);
  };
  const flush = (): void => {
    if (timer !== undefined) now();
  };
  return {
    flush,
    request: () => {
      const wait = nextTime - performance.now();
      if (wait <= 0) return now();
      if (timer !== undefined) return;
      timer = setTimeout(now, wait);
      findHost()?.atCellEnd(flush);
    },
  };
}
