/** A stage without a page: what a demo shows is kept. */
import { readFile } from 'node:fs/promises';
import type { Demo, Stage, View } from '../../../lib/src/book/demos/demo.js';
import { valuesOf } from '../../../lib/src/book/demos/values.js';
import { initBackend } from '../../../lib/src/tensor/index.js';

export interface Shown {
  readonly words: string;
  /** The last of each name. */
  readonly views: ReadonlyMap<string, View>;
  readonly progress: readonly number[];
}

export interface StageOptions {
  readonly signal?: AbortSignal;
  /** Called after each view. */
  readonly onShow?: (name: string) => void;
}

/** Runs a demo with these values, the others as they start. */
export async function perform(
  demo: Demo,
  values: Readonly<Record<string, string>> = {},
  { signal = new AbortController().signal, onShow }: StageOptions = {},
): Promise<Shown> {
  const views = new Map<string, View>();
  const progress: number[] = [];
  const stage: Stage = {
    signal,
    show: (name, view) => {
      views.set(name, view);
      onShow?.(name);
    },
    progress: (share) => void progress.push(share),
    read: (path) => readFile(`data/${path}`),
    startBackend: async () => void (await initBackend({ backend: 'wasm' })),
  };
  const words = await demo.run(valuesOf(demo.controls, values), stage);
  return { words, views, progress };
}

/** The points of a chart, by the name of their line. */
export function linesOf(view: View | undefined): ReadonlyMap<string, readonly { x: number; y: number }[]> {
  if (view === undefined || !('figure' in view) || view.figure.type !== 'lines')
    throw new Error('not a chart of lines');
  return new Map(view.figure.series.map(({ name, points }) => [name, points]));
}
