/** Lets timers and signals have their turn: arithmetic in WebAssembly never waits, and Ctrl-C must still be heard. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resume) => setTimeout(resume));
}
