import type { MimeBundle } from '../display/index.js';
import { isNode } from '../tensor/host.js';
import { display, shownAlready, type Displayable } from './display.js';
import { inNotebook } from './host.js';

/** Something shown that can be replaced. */
export interface Presented extends Displayable {
  update(bundle: MimeBundle): void;
}

/** Shows a bundle below the cell; its text in a terminal, where the last update is printed when the program ends. */
export function present(bundle: MimeBundle): Presented {
  if (inNotebook()) return display(bundle);
  printText(bundle);
  let last: MimeBundle | undefined;
  return {
    ...shownAlready,
    update: (next) => {
      if (last === undefined && isNode()) process.once('exit', () => printText(last!));
      last = next;
    },
  };
}

/** One line or more on standard output. */
export function print(text: string): void {
  if (isNode()) process.stdout.write(`${text}\n`);
  // eslint-disable-next-line no-console -- a page has nothing else to print on
  else console.log(text);
}

function printText({ 'text/plain': text }: MimeBundle): void {
  if (typeof text === 'string' && text !== '') print(text);
}
