/** A worker as the pool sees it, whoever runs it: a thread of Node or a Web Worker of a page. */
import type { WorkerReply, WorkerRequest, WorkerSetup } from './worker-protocol.js';

export interface WorkerPort {
  /** Sends work; one reply follows, unless the worker ends. */
  post(request: WorkerRequest): void;
  terminate(): void;
}

export interface WorkerEvents {
  readonly onReply: (reply: WorkerReply) => void;
  /** It failed or was ended, and will not reply again. */
  readonly onEnd: (reason: Error) => void;
}

export type StartWorker = (setup: WorkerSetup, events: WorkerEvents) => WorkerPort;
