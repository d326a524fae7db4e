/** Time, as something that tests can hold still. */
export interface Clock {
  /** Milliseconds; never goes back. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborted after this time. */
  timeout(ms: number): AbortSignal;
}

/** `setTimeout` fires at once beyond this. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
        Math.min(ms, LONGEST_TIMEOUT),
      );
      signal?.addEventListener('abort', stop, { once: true });
    }),
  timeout: (ms) => AbortSignal.timeout(Math.min(ms, LONGEST_TIMEOUT)),
};
