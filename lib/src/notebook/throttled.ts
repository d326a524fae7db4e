import { findHost } from './host.js';

/** Most updates a second; more are not seen and cost each reader's browser. */
const PER_SECOND = 10;

/** Writes of which only the last counts: the first at once, the others at most ten times a second, and the last in any case. */
export interface Throttled {
  /** There is something to write. */
  request(): void;
  /** Writes what waits. */
  flush(): void;
}

export function throttled(write: () => void): Throttled {
  let lastTime = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = (): void => {
    clearTimeout(timer);
    timer = undefined;
    lastTime = performance.now();
    write();
  };
  const flush = (): void => {
    if (timer !== undefined) now();
  };
  return {
    flush,
    request: () => {
      const wait = lastTime + 1000 / PER_SECOND - performance.now();
      if (wait <= 0) return now();
      if (timer !== undefined) return;
      timer = setTimeout(now, wait);
      findHost()?.atCellEnd(flush);
    },
  };
}
