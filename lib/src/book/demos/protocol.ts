/** What page and worker say to each other. */

/** Files in base64, by their path in the repository's `data`; the wasm binary by its name. */
export type AssetFiles = Readonly<Record<string, string>>;

/** The binary of tfjs's WebAssembly back end, among the files of the asset `wasm`. */
export const WASM_FILE = 'tfjs-backend-wasm-simd.wasm';

export type ToWorker =
  | { readonly type: 'files'; readonly files: AssetFiles }
  | {
      readonly type: 'run';
      /** Counts the runs of a page; whatever comes of a run bears its number. */
      readonly run: number;
      readonly demo: string;
      readonly values: Readonly<Record<string, string>>;
    }
  /** The newest run is no longer wanted. */
  | { readonly type: 'abort' };

export type FromWorker = { readonly run: number } & (
  | { readonly type: 'view'; readonly name: string; readonly html: string }
  | { readonly type: 'progress'; readonly share: number; readonly words: string }
  | { readonly type: 'done'; readonly words: string }
  | { readonly type: 'failed'; readonly message: string }
);
