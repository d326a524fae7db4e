/** Buttons that a demo shows, and which set one of its values. */
import { escapeMarkup } from '../../markup.js';

export interface SettingButton {
  readonly words: string;
  /** Of the value that is set. */
  readonly sets: string;
  readonly value: string;
  /** Presses it while the focus is in the row, as `KeyboardEvent.key` has it. */
  readonly key?: string;
}

/** A row of buttons as HTML. @param legend what they are for */
export function buttonRow(legend: string, buttons: readonly SettingButton[]): string {
  const all = buttons.map(({ words, sets, value, key }) => {
    const pressed = key === undefined ? '' : ` data-key="${escapeMarkup(key)}"`;
    return `<button type="button" data-sets="${escapeMarkup(sets)}" value="${escapeMarkup(value)}"${pressed}>${escapeMarkup(words)}</button>`;
  });
  return `<div class="demo-pad" role="group" aria-label="${escapeMarkup(legend)}"><span class="demo-pad-legend">${escapeMarkup(legend)}</span>${all.join('')}</div>`;
}
