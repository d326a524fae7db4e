/** What the reader sees and hears of a run. */
import type { RunEvent } from './page-runner.js';
import { showView } from './page-views.js';

/** A result is spoken once it has stood still for so long: a drag has hundreds of them. */
const SPOKEN_AFTER_MS = 900;
/** Runs that are over sooner do not make buttons blink. */
const SLOW_AFTER_MS = 300;

/** The elements of a demo, as `markup.ts` made them. */
export interface DemoParts {
  readonly form: HTMLFormElement;
  readonly stop: HTMLButtonElement;
  readonly reset: HTMLButtonElement;
  readonly progress: HTMLProgressElement;
  readonly state: HTMLElement;
  readonly error: HTMLElement;
  readonly views: HTMLElement;
  /** The result in words, and the same for those who listen. */
  readonly words: HTMLElement;
  readonly spoken: HTMLElement;
}

export function partsOf(element: HTMLElement): DemoParts {
  const part = <T extends HTMLElement>(name: string): T => element.querySelector<T>(`.demo-${name}`)!;
  return {
    form: part('form'),
    stop: part('stop'),
    reset: part('reset'),
    progress: part('progress'),
    state: part('state'),
    error: part('error'),
    views: part('views'),
    words: part('words'),
    spoken: part('spoken'),
  };
}

export interface Reporter {
  follow(event: RunEvent): void;
  /** Shows what the page came with. */
  asAtFirst(): void;
}

/** @param seconds that a run may take */
export function reporter(parts: DemoParts, seconds: number): Reporter {
  const { stop, progress, state, error, views, words, spoken } = parts;
  const first = { views: views.innerHTML, words: words.textContent ?? '' };
  const hidesStop = stop.hidden;
  let slow: ReturnType<typeof setTimeout> | undefined;
  let speak: ReturnType<typeof setTimeout> | undefined;
  let shown = new Set<string>();
  let busy = false;
  let reached: Extract<RunEvent, { type: 'progress' }> | undefined;

  const showProgress = (): void => {
    progress.hidden = reached === undefined;
    progress.value = reached?.share ?? 0;
    state.textContent = reached?.words ?? 'Working …';
  };
  const setBusy = (on: boolean): void => {
    busy = on;
    views.setAttribute('aria-busy', String(busy));
    stop.setAttribute('aria-disabled', String(!busy));
    if (!hidesStop) return;
    if (!busy && stop === stop.ownerDocument.activeElement) parts.reset.focus();
    stop.hidden = !busy;
  };
  const begin = (): void => {
    shown = new Set();
    reached = undefined;
    error.textContent = '';
    clearTimeout(slow);
    slow = setTimeout(() => {
      setBusy(true);
      showProgress();
    }, SLOW_AFTER_MS);
  };
  const say = (text: string): void => {
    clearTimeout(speak);
    speak = setTimeout(() => (spoken.textContent = text), SPOKEN_AFTER_MS);
  };
  const end = (note: string): void => {
    clearTimeout(slow);
    setBusy(false);
    progress.hidden = true;
    state.textContent = note;
    if (note !== '') say(note);
  };
  const removeOldViews = (): void =>
    Array.from(views.querySelectorAll<HTMLElement>(':scope > [data-view]'))
      .filter(({ dataset }) => !shown.has(dataset['view'] ?? ''))
      .forEach((view) => view.remove());

  return {
    follow(event) {
      switch (event.type) {
        case 'loading':
          return begin();
        case 'view':
          shown.add(event.name);
          return showView(views, event.name, event.html);
        case 'progress':
          reached = event;
          if (busy) showProgress();
          return;
        case 'done':
          removeOldViews();
          words.textContent = event.words;
          end('');
          return say(event.words);
        case 'failed':
          error.textContent = event.message;
          return end('');
        case 'stopped':
          return end('Stopped.');
        case 'timeUp':
          return end(`Ended after ${seconds} s, the most that it may take. Try smaller values.`);
      }
    },
    asAtFirst() {
      [views.innerHTML, words.textContent, error.textContent] = [first.views, first.words, ''];
      end('');
      say(first.words);
    },
  };
}
