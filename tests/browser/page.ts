/** The page's own program. A test calls these functions one by one; they take and return plain data. */
import '@tensorflow/tfjs-backend-webgpu';
import {
  type BackendInfo,
  type BackendOptions,
  createLocalEngine,
  createWebEngine,
  decodeCheckpoint,
  type Engine,
  initBackend,
  type SFTState,
  type SFTStep,
  type WebEngine,
  type WebEngineOptions,
} from 'posttrain';
import {
  checkpointOf,
  loadBase,
  microBatchTokens,
  outcome,
  type Outcome,
  teacherRows,
  train,
} from './program.js';

const read = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(`/base/${name}`)).arrayBuffer());

async function open(options: WebEngineOptions): Promise<WebEngine> {
  const { model } = await loadBase(read);
  return createWebEngine(model, { microBatchTokens, ...options });
}

/** Asks for work, of which there is enough to be interrupted. */
const work = (engine: Engine): Promise<string> =>
  engine
    .sample([Int32Array.of(3, 100, 4)], { maxNewTokens: 900, temperature: 1, stopTokens: [] }, [
      { seed: 1, purpose: 'browser', step: 0, index: 0 },
    ])
    .then(
      ([sample]) => `${sample?.tokens.length} tokens`,
      (error: Error) => error.message,
    );

/** How long a timer that wants to be called all the time had to wait, in milliseconds. */
function watchTimer(): () => { readonly calls: number; readonly longestGap: number } {
  let [last, longestGap, calls] = [performance.now(), 0, 0];
  const timer = setInterval(() => {
    const now = performance.now();
    longestGap = Math.max(longestGap, now - last);
    last = now;
    calls += 1;
  });
  return () => {
    clearInterval(timer);
    return { calls, longestGap: Math.max(longestGap, performance.now() - last) };
  };
}

export interface Training extends Pick<WebEngine, 'workers' | 'problem'> {
  readonly outcome: Outcome;
  readonly seconds: number;
  readonly timer: { readonly calls: number; readonly longestGap: number };
}

const actions = {
  init: (options: BackendOptions): Promise<BackendInfo | string> =>
    initBackend({ wasmPath: '/tfjs-backend-wasm-simd.wasm', ...options }).catch(
      (error: Error) => error.message,
    ),

  /** @param workers 0 = the page's own thread */
  async train(workers: number): Promise<Training> {
    const { model, tokenizer } = await loadBase(read);
    const { engine, ...made } =
      workers === 0
        ? { engine: createLocalEngine(model, { microBatchTokens }), workers }
        : createWebEngine(model, { workers, microBatchTokens });
    const rows = await teacherRows(tokenizer);
    const steps: SFTStep[] = [];
    const stopWatching = watchTimer();
    const started = performance.now();
    for await (const step of train(engine, rows)) steps.push(step);
    const seconds = (performance.now() - started) / 1000;
    const timer = stopWatching();
    const result = await outcome(engine, tokenizer, steps);
    engine.dispose();
    return { ...made, outcome: result, seconds, timer };
  },

  /** Training is aborted from the event loop, as by a click; saved as bytes; and gone on with by workers. */
  async interrupt(): Promise<{ readonly stoppedAfter: number; readonly outcome: Outcome }> {
    const { model, tokenizer } = await loadBase(read);
    const rows = await teacherRows(tokenizer);
    const stop = new AbortController();
    const steps: SFTStep[] = [];
    const first = createLocalEngine(model, { microBatchTokens });
    for await (const step of train(first, rows, { signal: stop.signal })) {
      steps.push(step);
      if (step.step === 3) setTimeout(() => stop.abort());
    }
    const stoppedAfter = steps.length;
    const bytes = await checkpointOf(first, steps);
    first.dispose();

    const { engine: second } = await open({ workers: 2 });
    const { engine, trainer } = decodeCheckpoint<SFTState>(bytes);
    await second.load(engine);
    for await (const step of train(second, rows, { state: trainer })) steps.push(step);
    const result = await outcome(second, tokenizer, steps);
    second.dispose();
    return { stoppedAfter, outcome: result };
  },

  /** What work that is under way and later work end with. */
  async dispose(): Promise<string[]> {
    const { engine } = await open({ workers: 2 });
    const begun = work(engine);
    setTimeout(() => engine.dispose(), 20);
    return [await begun, await work(engine)];
  },

  /** A worker whose file is not there. */
  async brokenWorker(): Promise<string> {
    const createWorker = (): Worker => new Worker('/no-such-file.js', { type: 'module' });
    const { engine } = await open({ workers: 2, createWorker });
    return work(engine);
  },

  /** Work that is never waited for. */
  async leaveWorking(): Promise<void> {
    const { engine } = await open({ workers: 2 });
    void work(engine);
  },
};

export type PageActions = typeof actions;
Object.assign(globalThis, { actions });
