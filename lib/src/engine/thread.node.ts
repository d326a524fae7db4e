import { Worker } from 'node:worker_threads';
import type { StartWorker } from './worker-port.js';
import type { WorkerReply } from './worker-protocol.js';

/** Starts a thread of Node. An idle one keeps no program alive. */
export const startThread: StartWorker = (setup, { onReply, onEnd }) => {
  const worker = new Worker(new URL('./worker.node.js', import.meta.url), {
    workerData: setup,
    // a program given with --eval may be of another type than the worker's file
    execArgv: process.execArgv.filter((argument) => !argument.startsWith('--input-type')),
  });
  worker.on('message', (reply: WorkerReply) => {
    worker.unref();
    onReply(reply);
  });
  worker.on('error', (error) => onEnd(new Error(`A worker of the engine failed: ${error.message}`)));
  worker.on('exit', (code) => onEnd(new Error(`A worker of the engine ended with status ${code}.`)));
  // only now, as listening to messages undoes it
  worker.unref();
  return {
    post: (request) => {
      worker.ref();
      worker.postMessage(request);
    },
    terminate: () => void worker.terminate(),
  };
};
