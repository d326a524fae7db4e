import { element } from './elements.js';

let region: HTMLElement | undefined;

/** Says something to those who listen to the page. */
export function announce(words: string): void {
  region ??= document.body.appendChild(element('p', { class: 'visually-hidden', role: 'status' }));
  region.textContent = words;
}
