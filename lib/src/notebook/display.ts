import { requireHost } from './host.js';
import type { MimeBundle, MimeObject } from './messages.js';

/** A value of this method is shown as the bundle that it returns, when it is the last of a cell. Deno's kernel asks for the same. */
export const mimeBundle: unique symbol = Symbol.for('Jupyter.display');

/** An object that knows how it looks in a notebook. */
export interface Displayable {
  [mimeBundle](): MimeBundle | Promise<MimeBundle>;
}

export interface DisplayOptions {
  /** Name to update the output by, chosen by the caller; default: a new one. */
  readonly displayId?: string;
  /** Hints for the front end by MIME type, e.g. `{ 'image/png': { width: 320 } }`. */
  readonly metadata?: MimeObject;
}

/** As the value of a cell it shows nothing: it has been shown. */
export const shownAlready: Displayable = { [mimeBundle]: () => ({}) };

/** An output that is shown and can be replaced, also from a later cell. */
export interface Display extends Displayable {
  readonly displayId: string;
  update(bundle: MimeBundle, metadata?: MimeObject): void;
}

/**
 * Shows one thing in as many representations as the bundle has, below the cell that runs.
 * @throws Error outside of a notebook; TypeError for an empty bundle.
 */
export function display(bundle: MimeBundle, options: DisplayOptions = {}): Display {
  const host = requireHost('display');
  const { displayId = host.newDisplayId(), metadata = {} } = options;
  const send = (data: MimeBundle, hints: MimeObject, update: boolean): void => {
    if (Object.keys(data).length === 0)
      throw new TypeError('a bundle needs a MIME type with its data, e.g. { "text/plain": "done" }');
    host.display(data, { displayId, metadata: hints, update });
  };
  send(bundle, metadata, false);
  return { ...shownAlready, displayId, update: (next, hints = metadata) => send(next, hints, true) };
}

/**
 * Removes what the running cell has shown so far.
 * @param wait until the next output arrives, so that nothing flickers; default `false`.
 * @throws Error outside of a notebook.
 */
export function clearOutput({ wait = false }: { readonly wait?: boolean } = {}): void {
  requireHost('clearOutput').clearOutput(wait);
}
