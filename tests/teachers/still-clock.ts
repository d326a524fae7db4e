import type { Clock } from 'posttrain/remote/clock';

/** Time that passes only while somebody sleeps, at once. */
export function stillClock(): Clock & { readonly slept: number[] } {
  let time = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => time,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      time += ms;
      await Promise.resolve();
    },
  };
}
