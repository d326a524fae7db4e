/**
 * Buttons in a demo's views set a value of its form; those of a pad also at the press of a key. A run works out what the next buttons
 * set, so while one runs, what is pressed waits for its views.
 */
import { setTexts } from './page-controls.js';
import type { DemoParts } from './page-report.js';
import type { RunEvent } from './page-runner.js';

/** Keys that pads have buttons for. */
const PAD_KEYS = /^(Arrow(Up|Down|Left|Right)|Backspace)$/;

export interface Buttons {
  /** Presses what has waited for the views of a run once it is done; where it ends without them, nothing waits any more. */
  follow(event: RunEvent): void;
}

type IsMeant = (button: HTMLButtonElement) => boolean;

/**
 * @param isRunning whether a run is working out the buttons that follow
 * @param changed called when a button has set a value
 */
export function startButtons(
  { form, views }: DemoParts,
  isRunning: () => boolean,
  changed: () => void,
): Buttons {
  const waiting: IsMeant[] = [];
  const find = (isMeant: IsMeant): HTMLButtonElement | undefined =>
    Array.from(views.querySelectorAll<HTMLButtonElement>('button[data-sets]')).find(isMeant);
  const press = (button: HTMLButtonElement): void => {
    setTexts(form, { [button.dataset['sets'] ?? '']: button.value });
    changed();
  };

  views.addEventListener('click', ({ target }) => {
    const button = (target as HTMLElement).closest<HTMLButtonElement>('button[data-sets]');
    if (button === null) return;
    const words = button.textContent;
    if (isRunning()) waiting.push(({ textContent }) => textContent === words);
    else press(button);
  });
  views.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !PAD_KEYS.test(key)) return;
    if ((target as HTMLElement).closest('.demo-pad') === null) return;
    const isMeant: IsMeant = ({ dataset }) => dataset['key'] === key;
    const button = find(isMeant);
    if (isRunning()) waiting.push(isMeant);
    else if (button) press(button);
    else return;
    event.preventDefault();
  });

  const pressNext = (): void => {
    // what is not possible any more is passed over
    let next: HTMLButtonElement | undefined;
    while (next === undefined && waiting.length > 0) next = find(waiting.shift()!);
    if (next) press(next);
  };
  return {
    follow({ type }) {
      if (type === 'done') pressNext();
      else if (type === 'failed' || type === 'stopped' || type === 'timeUp') waiting.length = 0;
    },
  };
}
