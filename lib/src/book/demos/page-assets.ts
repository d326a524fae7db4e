/** Files for demos. A page opened from a file may fetch nothing, but it may load scripts: these hold the files as text. */
import type { AssetFiles } from './protocol.js';

/** What the scripts leave behind: each its text or files, by name. */
interface AssetScope {
  posttrainDemos?: Record<string, unknown>;
}

const loading = new Map<string, Promise<unknown>>();

/** The files of an asset. @param folder that holds the scripts, relative to the page */
export function loadFiles(folder: string, asset: string): Promise<AssetFiles> {
  return load(folder, asset) as Promise<AssetFiles>;
}

/** Loads the program of workers: as text, because a page opened from a file may start none from a file. */
export function loadProgram(folder: string): Promise<string> {
  return load(folder, 'worker') as Promise<string>;
}

let programUrl: string | undefined;

export function startWorker(program: string): Worker {
  programUrl ??= URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  return new Worker(programUrl);
}

function load(folder: string, asset: string): Promise<unknown> {
  const known = loading.get(asset);
  if (known !== undefined) return known;
  const wanted = loadScript(`${folder}${asset}.js`).then(() => {
    const { posttrainDemos } = globalThis as AssetScope;
    return posttrainDemos?.[asset];
  });
  loading.set(asset, wanted);
  // the next try may find it
  wanted.catch(() => loading.delete(asset));
  return wanted;
}

function loadScript(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.onload = () => resolve();
    script.onerror = () =>
      reject(new Error(`${address} did not load. Are you offline? Then try again later.`));
    document.head.append(script);
  });
}
