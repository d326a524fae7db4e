/** Runs a demo in a worker: one run at a time, the latest values win, none runs longer than its limit. */
import { loadFiles, loadProgram, startWorker } from './page-assets.js';
import type { Texts } from './page-controls.js';
import type { FromWorker, ToWorker } from './protocol.js';

export interface RunnerOptions {
  readonly demo: string;
  readonly needs: readonly string[];
  readonly seconds: number;
  /** That holds the demos' scripts, relative to the page. */
  readonly folder: string;
  /** What comes of a run. */
  onEvent(event: RunEvent): void;
}

export type RunEvent =
  | { readonly type: 'loading' | 'stopped' | 'timeUp' }
  | (FromWorker & { readonly type: 'view' | 'progress' | 'done' | 'failed' });

export interface Runner {
  /** Ends what runs and runs with these values. */
  run(values: Texts): void;
  stop(): void;
  isRunning(): boolean;
}

/** Time for a run that is no longer wanted to notice; then its worker is ended, and the next one must start from nothing. */
const GRACE_MS = 250;

export function createRunner({ demo, needs, seconds, folder, onEvent }: RunnerOptions): Runner {
  let worker: Promise<Worker> | undefined;
  let phase: 'idle' | 'loading' | 'running' = 'idle';
  let run = 0;
  /** Values that came while it was loading or running. */
  let waiting: Texts | undefined;
  let limit: ReturnType<typeof setTimeout> | undefined;
  let grace: ReturnType<typeof setTimeout> | undefined;

  const open = async (): Promise<Worker> => {
    const [program, ...assets] = await Promise.all([
      loadProgram(folder),
      ...needs.map((asset) => loadFiles(folder, asset)),
    ]);
    const started = startWorker(program);
    for (const files of assets) send(started, { type: 'files', files });
    started.onmessage = ({ data }: MessageEvent<FromWorker>) => heard(data);
    started.onerror = (event) => {
      event.preventDefault();
      end({ run, type: 'failed', message: event.message || 'the worker did not start' });
    };
    return started;
  };
  const heard = (message: FromWorker): void => {
    if (message.run !== run || phase !== 'running') return;
    if (message.type === 'done' || message.type === 'failed') finish(message);
    else if (waiting === undefined) onEvent(message);
  };
  const start = async (values: Texts): Promise<void> => {
    phase = 'loading';
    run += 1;
    const mine = run;
    onEvent({ type: 'loading' });
    try {
      const ready = await (worker ??= open());
      if (mine !== run) return;
      phase = 'running';
      limit = setTimeout(() => end({ type: 'timeUp' }), 1000 * seconds);
      send(ready, { type: 'run', run, demo, values: waiting ?? values });
      waiting = undefined;
    } catch (error) {
      if (mine === run) end({ run, type: 'failed', message: (error as Error).message });
    }
  };
  /** Goes on with what has been asked for meanwhile, else tells how the run ended. */
  const finish = (event: RunEvent): void => {
    clearTimeout(limit);
    clearTimeout(grace);
    phase = 'idle';
    const next = waiting;
    waiting = undefined;
    if (next === undefined) onEvent(event);
    else void start(next);
  };
  /** The worker with it. */
  const end = (event: RunEvent): void => {
    worker?.then((old) => old.terminate()).catch(() => undefined);
    worker = undefined;
    run += 1;
    finish(event);
  };
  return {
    run(values) {
      if (phase === 'idle') return void start(values);
      const isFirst = waiting === undefined;
      waiting = values;
      if (phase === 'loading' || !isFirst) return;
      worker?.then((running) => send(running, { type: 'abort' })).catch(() => undefined);
      grace = setTimeout(() => end({ type: 'stopped' }), GRACE_MS);
    },
    stop() {
      waiting = undefined;
      if (phase !== 'idle') end({ type: 'stopped' });
    },
    isRunning: () => phase !== 'idle',
  };
}

function send(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}
