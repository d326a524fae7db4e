/** On paper nothing can be opened: what is folded in the text is printed open, and folded again afterwards. */
import { all } from './elements.js';

export function startPrinting(): void {
  let opened: readonly HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    const folded = all<HTMLDetailsElement>('article details:not([open])');
    for (const details of folded) details.open = true;
    opened = [...opened, ...folded];
  });
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
    opened = [];
  });
}
