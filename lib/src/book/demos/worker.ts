/** The program of a demo's worker: runs what the page asks for, one run at a time. */
import { initBackend } from '../../tensor/index.js';
import type { Demo, Stage } from './demo.js';
import { demoNamed } from './index.js';
import { type AssetFiles, type FromWorker, type ToWorker, WASM_FILE } from './protocol.js';
import { valuesOf } from './values.js';
import { viewHtml } from './view-html.js';

/** The global scope, of which TypeScript's `DOM` library knows only the page's. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

type RunMessage = Extract<ToWorker, { type: 'run' }>;

const scope = globalThis as unknown as WorkerScope;
const files = new Map<string, string>();
let running = new AbortController();

scope.onmessage = ({ data }) => {
  if (data.type === 'files') remember(data.files);
  else if (data.type === 'abort') running.abort();
  else void perform(data);
};

function remember(more: AssetFiles): void {
  for (const [path, base64] of Object.entries(more)) files.set(path, base64);
}

async function perform({ run, demo: name, values }: RunMessage): Promise<void> {
  const demo = demoNamed(name);
  running = new AbortController();
  try {
    const words = await demo.run(valuesOf(demo.controls, values), stageFor(demo, run));
    scope.postMessage({ run, type: 'done', words });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    scope.postMessage({ run, type: 'failed', message });
  }
}

function stageFor({ name: demo }: Demo, run: number): Stage {
  return {
    signal: running.signal,
    show: (name, view) =>
      scope.postMessage({
        run,
        type: 'view',
        name,
        html: viewHtml(view, `demo-${demo}-${name}`),
      }),
    progress: (share, words) => scope.postMessage({ run, type: 'progress', share, words }),
    read: async (path) => bytesOf(path),
    startBackend,
  };
}

function bytesOf(path: string): Uint8Array<ArrayBuffer> {
  const base64 = files.get(path);
  if (base64 === undefined) throw new Error(`${path} is in none of the files that this demo has loaded.`);
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

let started: Promise<void> | undefined;

/** A page opened from a file may fetch no file, but what it has made itself. */
function startBackend(): Promise<void> {
  return (started ??= (async () => {
    const binary = new Blob([bytesOf(WASM_FILE)], { type: 'application/wasm' });
    await initBackend({ backend: 'wasm', wasmPath: URL.createObjectURL(binary) });
  })());
}
