/**
 * Lets timers and signals have their turn: arithmetic in WebAssembly never waits, and Ctrl-C must still be heard. No timer itself:
 * that would wait for a millisecond in Node and for four in a page.
 */
export function eventLoopTurn(): Promise<void> {
  return new Promise(typeof setImmediate === 'function' ? (resume) => setImmediate(resume) : postMessage);
}

function postMessage(resume: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = (): void => {
    port1.close();
    resume();
  };
  port2.postMessage(undefined);
}
