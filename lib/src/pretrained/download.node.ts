/** Models from the Hugging Face Hub, into the cache that its own programs use. */
import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type * as HubModule from '@huggingface/hub';
import { CONFIG } from '../model/checkpoint.node.js';
import { configFromJSON } from '../model/config.js';
import { messageOf } from '../message-of.js';

export interface DownloadOptions {
  /** Branch, tag or commit; default `main`. */
  readonly revision?: string;
  /** Default: `HF_HUB_CACHE`, or `huggingface/hub` in the user's cache folder, shared with Python's `huggingface_hub`. */
  readonly cacheDir?: string;
  /** For private and gated models; default: the environment's `HF_TOKEN`. */
  readonly accessToken?: string;
  /** Default `https://huggingface.co`. */
  readonly hubUrl?: string;
  /** Called about once a second while a file comes in, and when it is there. */
  readonly onProgress?: (progress: DownloadProgress) => void;
}

export interface DownloadProgress {
  readonly file: string;
  /** Bytes of all files that are there, and of all that are wanted. */
  readonly loaded: number;
  readonly total: number;
}

/** What a model and its tokenizer consist of; a repository may hold the same weights for other programs too. */
const WANTED =
  /^(?:config|generation_config|tokenizer|tokenizer_config)\.json$|^chat_template\.jinja$|^model[^/]*\.safetensors(?:\.index\.json)?$/;
const PROGRESS_MS = 1000;

type Hub = typeof HubModule;
type File = HubModule.ListFileEntry;
type Place = Pick<DownloadOptions, 'hubUrl' | 'accessToken' | 'cacheDir'> & {
  repo: string;
  revision: string;
};

/**
 * Downloads the files of a model and returns the folder they lie in. Files that are there already are not fetched again, so an
 * interrupted download goes on with the file it was at.
 * Throws, naming model and revision, when the hub refuses it, does not know it or cannot be reached, or a file came in short.
 */
export async function downloadModel(repo: string, options: DownloadOptions = {}): Promise<string> {
  const hub = await import('@huggingface/hub');
  const { revision = 'main', cacheDir, hubUrl, accessToken = process.env['HF_TOKEN'], onProgress } = options;
  const common = {
    repo,
    cacheDir: cacheDir ?? hub.getHFHubCachePath(),
    ...(hubUrl !== undefined && { hubUrl }),
    ...(accessToken !== undefined && accessToken !== '' && { accessToken }),
  };
  try {
    const { sha } = await hub.modelInfo({ ...common, name: repo, revision, additionalFields: ['sha'] });
    const place = { ...common, revision: sha };
    const files = (await wantedFiles(hub, place)).sort((a, b) => a.size - b.size);
    return await fetchFiles(hub, place, files, onProgress);
  } catch (cause) {
    throw new Error(`${repo} (${revision}): ${reasonOf(hub, cause)}`, { cause });
  }
}

async function wantedFiles({ listFiles }: Hub, place: Place): Promise<File[]> {
  const files: File[] = [];
  for await (const entry of listFiles(place))
    if (entry.type === 'file' && WANTED.test(entry.path)) files.push(entry);
  const missing = [/^config\.json$/, /\.safetensors$/, /^tokenizer\.json$/].find(
    (name) => !files.some(({ path }) => name.test(path)),
  );
  if (missing)
    throw new Error(
      `it has no file ${missing.source.replace(/[\\^$]/g, '')}; expected a causal language model in safetensors`,
    );
  return files;
}

/** Small files first: a model that is not supported is refused before its weights come. */
async function fetchFiles(
  { downloadFileToCacheDir }: Hub,
  place: Place,
  files: readonly File[],
  onProgress: DownloadOptions['onProgress'],
): Promise<string> {
  const report = progressReport(files, onProgress);
  let before = 0;
  let folder = '';
  for (const file of files) {
    const partial = join(blobFolder(place), `${blobName(file)}.incomplete`);
    const watch = setInterval(
      () => void sizeOf(partial).then((size) => report(file.path, before + size)),
      PROGRESS_MS,
    );
    try {
      const pointer = await downloadFileToCacheDir({ ...place, path: file.path });
      await requireWhole(pointer, file);
      if (file.path === CONFIG) configFromJSON(await readFile(pointer, 'utf8'));
      folder = dirname(pointer);
    } finally {
      clearInterval(watch);
    }
    before += file.size;
    report(file.path, before);
  }
  return folder;
}

/** Never goes back: a size that was asked for may come late. */
function progressReport(
  files: readonly File[],
  onProgress: DownloadOptions['onProgress'],
): (file: string, loaded: number) => void {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let reported = 0;
  return (file, loaded) => {
    if (loaded <= reported) return;
    reported = loaded;
    onProgress?.({ file, loaded, total });
  };
}

/** Removes a file of another size than the hub has, so that it is fetched again. */
async function requireWhole(pointer: string, { path, size }: File): Promise<void> {
  const arrived = await sizeOf(pointer);
  if (arrived === size) return;
  await rm(await realpath(pointer));
  await rm(pointer, { force: true });
  throw new Error(`${path} has ${arrived} bytes, expected ${size}; it was removed. Load it again`);
}

/** The name that the cache keeps a file under. */
function blobName({ lfs, xetHash, oid = '' }: File): string {
  return lfs?.oid ?? xetHash ?? oid;
}

function blobFolder({ cacheDir = '', repo }: Place): string {
  return join(cacheDir, `models--${repo.replace('/', '--')}`, 'blobs');
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function reasonOf({ HubApiError }: Hub, cause: unknown): string {
  const status = cause instanceof HubApiError ? (cause as HubModule.HubApiError).statusCode : undefined;
  if (status === 401 || status === 403)
    return 'the hub refuses it: the model is private, gated or misspelt. Accept its licence on its page, and pass accessToken or set HF_TOKEN';
  if (status === 404) return 'the hub does not know this model, revision or file. Check the spelling';
  const message = messageOf(cause);
  if (message.includes('fetch failed'))
    return 'the hub cannot be reached. Without a network, give the folder of an earlier download';
  if (message.includes('terminated'))
    return 'the connection broke off. Load it again: files that are complete are kept';
  return message;
}
