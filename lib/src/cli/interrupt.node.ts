/** Ctrl-C, in two steps: the first asks the run to stop after its current step, the second stops the process at once. */
export interface Interrupt {
  /** Aborted by the first Ctrl-C (or SIGTERM). */
  readonly signal: AbortSignal;
  /** Gives the signals back to Node. */
  release(): void;
}

/** Exit status of a program ended by SIGINT, by convention 128 + 2. */
export const INTERRUPTED = 130;

/** Signals closer together than this are one key press: `npm start` passes on a Ctrl-C that the terminal has sent already. */
const ONE_PRESS_MS = 500;

/**
 * @param announce told once, at the first Ctrl-C.
 * @param leave what the second one does; by default it ends the process.
 * Files are written synchronously and atomically everywhere, so that leaving at the second Ctrl-C breaks none of them.
 */
export function listenForInterrupt(
  announce: () => void,
  leave: () => void = () => process.exit(INTERRUPTED),
): Interrupt {
  const controller = new AbortController();
  let first = 0;
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      if (performance.now() - first > ONE_PRESS_MS) leave();
      return;
    }
    first = performance.now();
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
