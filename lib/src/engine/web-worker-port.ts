import type { StartWorker } from './worker-port.js';
import type { WorkerReply } from './worker-protocol.js';

/** Starts Web Workers that run `web-worker.ts`. */
export function startWebWorker(create: () => Worker): StartWorker {
  return (setup, { onReply, onEnd }) => {
    const worker = create();
    worker.onmessage = ({ data }) => onReply(data as WorkerReply);
    worker.onmessageerror = () => onEnd(new Error('A worker of the engine sent what cannot be read.'));
    worker.onerror = ({ message }) =>
      onEnd(
        new Error(
          `A worker of the engine failed: ${message || 'its script did not load. Give createWorker, which starts a worker that runs posttrain/worker'}`,
        ),
      );
    worker.postMessage(setup);
    return {
      post: (request) => worker.postMessage(request),
      terminate: () => worker.terminate(),
    };
  };
}
