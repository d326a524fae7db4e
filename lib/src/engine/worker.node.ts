/** The file that a thread of Node runs. */
import { parentPort, workerData } from 'node:worker_threads';
import { startProgram } from './worker-program.js';
import type { WorkerRequest, WorkerSetup } from './worker-protocol.js';

const answer = startProgram(workerData as WorkerSetup);

parentPort?.on('message', async (request: WorkerRequest) => {
  parentPort?.postMessage(await answer(request));
});
