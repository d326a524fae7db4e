/** The file that a Web Worker runs, published as `posttrain/worker`. The first message sets it up, every later one is work. */
import { startProgram } from './worker-program.js';
import type { WorkerRequest, WorkerSetup } from './worker-protocol.js';

/** The global scope, of which TypeScript's `DOM` library knows only the page's. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<WorkerSetup | WorkerRequest>) => void) | null;
  postMessage(message: unknown): void;
}

const scope = globalThis as unknown as WorkerScope;
let answer: ReturnType<typeof startProgram> | undefined;

// Set before anything is awaited: messages that find no listener are lost.
scope.onmessage = async ({ data }) => {
  if (answer === undefined) {
    answer = startProgram(data as WorkerSetup);
    return;
  }
  scope.postMessage(await answer(data as WorkerRequest));
};
