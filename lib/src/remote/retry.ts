/** Asking again, when that may help: as long as the service asks for, else ever longer, and not for ever. */
import { hashText, uniform } from '../tensor/random.js';
import type { Clock } from './clock.js';
import { ServiceError, UnansweredError } from './errors.js';

export interface RetryPolicy {
  /** Attempts in all. */
  readonly maxAttempts: number;
  /** Seconds from the first attempt to the start of the last. */
  readonly maxTotalSeconds: number;
  readonly clock: Clock;
  /** Told before each wait. */
  readonly onWait: (wait: Wait) => void;
}

/** A failed attempt, and how long until the next one. */
export interface Wait {
  readonly error: ServiceError;
  readonly attempt: number;
  readonly waitMs: number;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Milliseconds to wait after a failed attempt (from 1). The service's own wish is never undercut; without one, half of a wait that doubles
 * and half by chance, so that clients that failed together do not come back together ("equal jitter", Brooker,
 * "Exponential backoff and jitter", 2015).
 */
export function waitAfter(attempt: number, retryAfterMs: number | undefined, key: string): number {
  const chance = uniform(0, 'retry', hashText(key), attempt);
  if (retryAfterMs !== undefined) return retryAfterMs + chance * Math.min(FIRST_WAIT_MS, retryAfterMs / 10);
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return longest * (0.5 + 0.5 * chance);
}

/**
 * The result of the first attempt that succeeds.
 * @param key decides the jitter, so that a test can repeat it and two requests differ.
 * @throws ServiceError that is not retryable, at once; UnansweredError after the last attempt, or when the next would be too late; whatever
 * else an attempt throws.
 */
export async function withRetries<T>(
  attempt: (number: number) => Promise<T>,
  key: string,
  { maxAttempts, maxTotalSeconds, clock, onWait }: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  const started = clock.now();
  for (let number = 1; ; number++) {
    signal?.throwIfAborted();
    try {
      return await attempt(number);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ServiceError) || !error.retryable) throw error;
      const waitMs = waitAfter(number, error.retryAfterMs, key);
      const elapsed = clock.now() - started;
      const attempts = `${number} ${number === 1 ? 'attempt' : 'attempts'}`;
      if (number >= maxAttempts) throw new UnansweredError(`no answer after ${attempts}; ${error.message}`);
      if (elapsed + waitMs > maxTotalSeconds * 1000) {
        throw new UnansweredError(
          `no answer after ${attempts}, and the next would be ${Math.ceil(waitMs / 1000)} s from now; ${error.message}`,
        );
      }
      onWait({ error, attempt: number, waitMs });
      await clock.sleep(waitMs, signal);
    }
  }
}
