/** The search dialog: key `/`, both languages, results by page and heading; the index is loaded when it is first opened. */
import type { SearchData } from '../search/documents.js';
import { excerpt, marked } from '../search/excerpt.js';
import { createFinder, type Find, type FoundPage, type Passage } from '../search/finder.js';
import { SEARCH_DATA } from '../shell/places.js';
import { all, element } from './elements.js';
import { loadScript, siteAddress } from './scripts.js';

/** A pause in typing. */
const TYPING_MS = 80;

interface Dialog {
  readonly box: HTMLDialogElement;
  readonly field: HTMLInputElement;
  readonly status: HTMLElement;
  readonly results: HTMLElement;
}

export function startSearch(): void {
  let dialog: Dialog | undefined;
  const open = (): void => {
    dialog ??= createDialog();
    if (!dialog.box.open) dialog.box.showModal();
    dialog.field.select();
  };
  for (const button of all('[data-opens="search"]')) button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    open();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

function createDialog(): Dialog {
  const field = element('input', {
    type: 'search',
    id: 'search-field',
    placeholder: 'advantage, clip, 策略 …',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'search-help',
  });
  const status = element('p', { class: 'search-status', role: 'status' });
  const results = element('div', { class: 'search-results' });
  const close = element('button', { type: 'button', class: 'quiet' }, 'Close');
  const box = element(
    'dialog',
    { class: 'search', 'aria-label': 'Search the book' },
    element(
      'div',
      { class: 'search-head', role: 'search' },
      element('label', { for: field.id, class: 'visually-hidden' }, 'Search the book'),
      field,
      close,
    ),
    status,
    results,
    element(
      'p',
      { class: 'search-help', id: 'search-help' },
      'Arrow keys choose, Enter opens, Escape closes.',
    ),
  );
  document.body.append(box);
  const dialog: Dialog = { box, field, status, results };
  let typing: ReturnType<typeof setTimeout> | undefined;
  field.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => void showResults(dialog), TYPING_MS);
  });
  close.addEventListener('click', () => box.close());
  // a click beside the dialog
  box.addEventListener('click', ({ target }) => target === box && box.close());
  // a result on this very page
  results.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) box.close();
  });
  box.addEventListener('keydown', (event) => walk(event, dialog));
  void finder();
  return dialog;
}

let loaded: Promise<Find> | undefined;

function finder(): Promise<Find> {
  loaded ??= loadScript(SEARCH_DATA).then(() =>
    createFinder((globalThis as unknown as { posttrainSearch: SearchData }).posttrainSearch),
  );
  loaded.catch(() => (loaded = undefined));
  return loaded;
}

async function showResults({ field, status, results }: Dialog): Promise<void> {
  const query = field.value.trim();
  let pages: readonly FoundPage[] = [];
  try {
    pages = query === '' ? [] : (await finder())(query);
  } catch {
    status.textContent = 'The index did not load. Try again.';
    return;
  }
  // another letter came in the meantime
  if (query !== field.value.trim()) return;
  results.replaceChildren(...pages.map(pageResults));
  const count = pages.reduce((sum, { passages }) => sum + passages.length, 0);
  status.textContent =
    query === ''
      ? ''
      : count === 0
        ? `Nothing about “${query}”.`
        : `${count} ${count === 1 ? 'passage' : 'passages'} on ${pages.length} ${pages.length === 1 ? 'page' : 'pages'}`;
}

function pageResults({ page, part, passages }: FoundPage): HTMLElement {
  const title = element('h3', {}, page);
  if (part !== '') title.prepend(element('span', { class: 'part' }, part), ' ');
  return element(
    'section',
    {},
    title,
    element('ul', {}, ...passages.map((passage) => element('li', {}, passageLink(passage)))),
  );
}

function passageLink({ document, terms }: Passage): HTMLElement {
  return element(
    'a',
    { href: siteAddress(document.place) },
    element('span', { class: 'heading' }, ...markedNodes(document.heading || document.page, terms)),
    element('span', { class: 'excerpt' }, ...markedNodes(excerpt(document.text, terms), terms)),
  );
}

function markedNodes(text: string, terms: readonly string[]): (Node | string)[] {
  return marked(text, terms).map((piece) => (piece.found ? element('mark', {}, piece.text) : piece.text));
}

/** Up and down go through the results, from the field and back; Enter in the field opens the first, and Escape closes at once. */
function walk(event: KeyboardEvent, { box, field, results }: Dialog): void {
  const links = all<HTMLAnchorElement>('a', results);
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (event.key === 'Enter' && event.target === field && !event.isComposing) links[0]?.click();
  // by itself it would only empty the field
  else if (event.key === 'Escape' && !event.isComposing) box.close();
  else if (event.key === 'ArrowDown') (links[at + 1] ?? links.at(-1))?.focus();
  else if (event.key === 'ArrowUp') (at > 0 ? links[at - 1]! : field).focus();
  else return;
  event.preventDefault();
}
