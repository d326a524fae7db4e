import { systemClock, type Clock } from 'posttrain/remote/clock';

/** Time that passes only while somebody sleeps, at once; what is waited for from outside takes its real time. */
export function stillClock(): Clock & { readonly slept: number[] } {
  let time = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => time,
    timeout: systemClock.timeout,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      time += ms;
      await Promise.resolve();
    },
  };
}
