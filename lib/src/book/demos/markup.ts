import { escapeMarkup } from '../../markup.js';

/** Reads a file of the repository's `data`, e.g. `base/tokenizer.json`. */
export type ReadData = (path: string) => Promise<Uint8Array>;

/** The place of a live demo in its page. */
export function demoMarkup(
  name: string,
  values: Readonly<Record<string, unknown>>,
  _read: ReadData,
): Promise<string> {
  return Promise.resolve(
    `<div class="demo" id="demo-${escapeMarkup(name)}" data-demo="${escapeMarkup(name)}" data-values="${escapeMarkup(JSON.stringify(values))}"></div>\n`,
  );
}
