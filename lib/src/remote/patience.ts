/** Asking a service patiently: an attempt waits for its turn, has a time limit, and is made again if that may help. */
import { systemClock, type Clock } from './clock.js';
import { ServiceError, serviceError } from './errors.js';
import { tokenBucket } from './pace.js';
import { withRetries, type Wait } from './retry.js';

export interface Patience {
  /** Default `Infinity`. */
  readonly requestsPerMinute?: number;
  /** Seconds until an attempt is given up; default 120, because models that think take long. */
  readonly timeoutSeconds?: number;
  /** Attempts at one request; default 6: with waits that double, a minute of trouble passes. */
  readonly maxAttempts?: number;
  /** Seconds in which an attempt may still begin; default 600, because a service may ask for a whole minute more than once. */
  readonly maxTotalSeconds?: number;
  /** Told before each wait. */
  readonly onWait?: (wait: Wait) => void;
  /** For tests. */
  readonly clock?: Clock;
}

/** Who is asked, for messages, and the key that no message may hold. */
export interface Asked {
  readonly who: string;
  readonly secret?: string | undefined;
}

export interface Requests {
  /** Waits for the turn of one attempt. */
  turn(signal?: AbortSignal): Promise<void>;
  /** One attempt within the time limit. Whatever goes wrong comes out as ServiceError, an abort as the signal's reason. */
  inTime<T>(send: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Attempts until one succeeds; throws as `withRetries` does. */
  again<T>(attempt: (number: number) => Promise<T>, key: string, signal?: AbortSignal): Promise<T>;
}

/** @throws RangeError for limits that are no positive numbers. */
export function patientRequests({ who, secret }: Asked, patience: Patience): Requests {
  const {
    requestsPerMinute = Infinity,
    timeoutSeconds = 120,
    maxAttempts = 6,
    maxTotalSeconds = 600,
    onWait,
    clock = systemClock,
  } = patience;
  for (const [name, value] of Object.entries({ timeoutSeconds, maxAttempts, maxTotalSeconds })) {
    if (!(value > 0)) throw new RangeError(`${name} must be a number above 0, got ${value}`);
  }
  const pace = tokenBucket(requestsPerMinute, clock);
  const policy = {
    maxAttempts,
    maxTotalSeconds,
    clock,
    onWait: (wait: Wait) => {
      if (wait.error.retryAfterMs !== undefined) pace.hold(wait.waitMs);
      onWait?.(wait);
    },
  };

  return {
    turn: (signal) => pace.take(signal),
    again: (attempt, key, signal) => withRetries(attempt, key, policy, signal),
    /** A timeout and a Ctrl-C look alike to whoever sends; here they are told apart. */
    async inTime(send, signal) {
      const timeout = clock.timeout(timeoutSeconds * 1000);
      try {
        return await send(signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
      } catch (error) {
        signal?.throwIfAborted();
        if (timeout.aborted) {
          const late = `${who}: no answer within ${timeoutSeconds} s`;
          throw new ServiceError(late, { retryable: true, maybeBilled: true });
        }
        throw serviceError(error, who, secret);
      }
    },
  };
}
