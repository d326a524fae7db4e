/** Requests spread over time, so that a limit per minute is kept instead of run into. */
import type { Clock } from './clock.js';

export interface Pace {
  /** Waits for this request's turn. */
  take(signal?: AbortSignal): Promise<void>;
  /** Nobody's turn comes before this time has passed: what a service asked of one request holds for all. */
  hold(ms: number): void;
}

/**
 * A token bucket that holds one token, in the form of the generic cell rate algorithm: one number says when the next token is
 * there. Any minute sees at most `requestsPerMinute + 1` requests, and never a burst of them.
 * @param requestsPerMinute `Infinity` = no limit.
 */
export function tokenBucket(requestsPerMinute: number, clock: Clock): Pace {
  if (!(requestsPerMinute > 0)) {
    throw new RangeError(`requestsPerMinute must be a number above 0, got ${requestsPerMinute}`);
  }
  const interval = 60_000 / requestsPerMinute;
  let nextToken = -Infinity;
  return {
    async take(signal) {
      const mine = Math.max(nextToken, clock.now());
      nextToken = mine + interval;
      if (mine > clock.now()) await clock.sleep(mine - clock.now(), signal);
    },
    hold(ms) {
      nextToken = Math.max(nextToken, clock.now() + ms);
    },
  };
}
