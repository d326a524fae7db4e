/** Ctrl-C, in two steps: the first asks the run to stop after its current step, the second stops the process at once. */
export interface Interrupt {
  /** Aborted by the first Ctrl-C (or SIGTERM). */
  readonly signal: AbortSignal;
  /** Gives the signals back to Node. */
  release(): void;
}

/** Exit status of a program ended by SIGINT, by convention 128 + 2. */
export const INTERRUPTED = 130;

/**
 * @param announce told once, at the first Ctrl-C.
 * Files are written synchronously and atomically everywhere, so that leaving at the second Ctrl-C breaks none of them.
 */
export function listenForInterrupt(announce: () => void): Interrupt {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    announce();
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
