import { isNode } from '../tensor/host.js';
import type { MimeBundle, MimeObject } from './messages.js';

/** What runs the cells: the kernel, or `posttrain notebook run`. */
export interface NotebookHost {
  /** Shows a bundle below the running cell, or replaces what is shown under `displayId`. */
  display(bundle: MimeBundle, options: { displayId: string; metadata: MimeObject; update: boolean }): void;
  /** A name that no other display has, of this kernel or an earlier one. */
  newDisplayId(): string;
  clearOutput(wait: boolean): void;
  input(prompt: string, password: boolean): Promise<string>;
  /** Aborted when the running cell is interrupted. */
  signal(): AbortSignal;
  /** Whether the notebook is asked to do everything in little: fewer steps, the same code. */
  readonly fast: boolean;
  /** Whether the results are to become the recorded ones. */
  readonly record: boolean;
  /** Calls it when the running cell ends, however it ends, before its last outputs are sent; at once where no cell runs. */
  atCellEnd(call: () => void): void;
}

/** Of the host, or nothing outside of a notebook. */
export function findHost(): NotebookHost | undefined {
  return place[HOST];
}

/** Not a variable of this module: a notebook's own copy of posttrain may be another than the kernel's. */
const HOST: unique symbol = Symbol.for('posttrain.notebook.host');

const place = globalThis as { [HOST]?: NotebookHost };

export function setHost(host: NotebookHost): void {
  place[HOST] = host;
}

/** @throws Error when this program is not a notebook, saying how to run one. */
export function requireHost(what: string): NotebookHost {
  if (place[HOST] === undefined) {
    throw new Error(
      `${what} needs a notebook; run this in a cell of the posttrain kernel, or with \`posttrain notebook run\``,
    );
  }
  return place[HOST];
}

/** Whether this runs in a cell, so that `display` and the other verbs of `posttrain/notebook` work. */
export function inNotebook(): boolean {
  return place[HOST] !== undefined;
}

/** Whether everything is to be done in little: `POSTTRAIN_FAST=1`, or `posttrain notebook run --fast`. */
export function isFast(): boolean {
  const host = place[HOST];
  return host === undefined ? isNode() && process.env['POSTTRAIN_FAST'] === '1' : host.fast;
}

/** Whether `posttrain notebook run --record` runs this. */
export function isRecording(): boolean {
  return place[HOST]?.record === true;
}
