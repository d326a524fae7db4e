/**
 * Lets timers and signals have their turn: arithmetic in WebAssembly never waits, and Ctrl-C must still be heard. Rarely a timer itself:
 * that would wait for a millisecond in Node and for four in a page.
 */
export function eventLoopTurn(): Promise<void> {
  return new Promise(typeof setImmediate === 'function' ? (resume) => setImmediate(resume) : turnOfPage);
}

/** A page may run messages ahead of timers that are due: this often, milliseconds, a turn is a timer, which cannot overtake them. */
const TIMER_EVERY = 50;
let lastTimer = 0;

function turnOfPage(resume: () => void): void {
  const now = performance.now();
  if (now - lastTimer < TIMER_EVERY) return postMessage(resume);
  lastTimer = now;
  setTimeout(resume, 0);
}

function postMessage(resume: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = (): void => {
    port1.close();
    resume();
  };
  port2.postMessage(undefined);
}
