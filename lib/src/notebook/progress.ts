import { duration, fragmentHtml, type MimeBundle, short, sparkline } from '../display/index.js';
import { escapeMarkup } from '../markup.js';
import { inNotebook } from './host.js';
import { present, print } from './present.js';
import { throttled } from './throttled.js';

export interface ProgressOptions {
  /** How many items there will be; without it only their number is shown. */
  readonly total?: number;
  /** What is going on, e.g. `GRPO`; default: nothing. */
  readonly label?: string;
  /** Numbers to show, by their keys in `item.metrics`, e.g. `['reward']`. */
  readonly metrics?: readonly string[];
}

/** What is known after some items. */
interface Progress {
  readonly done: number;
  readonly total: number | undefined;
  readonly label: string;
  readonly elapsedMs: number;
  /** Each metric's values, oldest first. */
  readonly metrics: ReadonlyMap<string, readonly number[]>;
}

/**
 * Passes on the items of a loop, and shows how far it is.
 *
 * `for await (const step of progress(grpo({ … }), { total: 60, label: 'GRPO', metrics: ['reward'] })) …`
 */
export async function* progress<T>(
  items: Iterable<T> | AsyncIterable<T>,
  { total, label = '', metrics: names = [] }: ProgressOptions = {},
): AsyncGenerator<T, void, undefined> {
  const metrics = new Map(names.map((name) => [name, [] as number[]]));
  const start = performance.now();
  let done = 0;
  const state = (): Progress => ({ done, total, label, elapsedMs: performance.now() - start, metrics });
  const view = inNotebook() ? inCell(state) : inTerminal(state);
  try {
    for await (const item of items) {
      done += 1;
      for (const [name, values] of metrics) {
        const value = metricOf(item, name);
        if (value !== undefined) values.push(value);
      }
      view.changed();
      yield item;
    }
  } finally {
    view.ended();
  }
}

function metricOf(item: unknown, name: string): number | undefined {
  const { metrics } = (item ?? {}) as { readonly metrics?: Readonly<Record<string, unknown>> };
  const value = metrics?.[name];
  return typeof value === 'number' ? value : undefined;
}

interface View {
  changed(): void;
  ended(): void;
}

function inCell(state: () => Progress): View {
  const presented = present({ ...bundleOf(state()), 'text/plain': '' });
  const update = (): void => presented.update(bundleOf(state()));
  const redraw = throttled(update);
  return {
    changed: redraw.request,
    ended: () => {
      redraw.flush();
      update();
    },
  };
}

/** Least time between two lines. */
const LINE_MS = 5000;

function inTerminal(state: () => Progress): View {
  let lastTime = performance.now();
  return {
    changed: () => {
      if (performance.now() - lastTime < LINE_MS) return;
      lastTime = performance.now();
      print(lineOf(state()));
    },
    ended: () => print(lineOf(state())),
  };
}

function bundleOf(progress: Progress): MimeBundle {
  const { done, total, label } = progress;
  const name = escapeMarkup(label || 'progress');
  const bar =
    total === undefined ? '' : `<progress aria-label="${name}" max="${total}" value="${done}"></progress> `;
  return {
    'text/html': fragmentHtml(`<div class="line">${bar}${escapeMarkup(lineOf(progress))}</div>`),
    'text/plain': lineOf(progress),
  };
}

const SPARK_COLUMNS = 24;

/** `GRPO  12 of 60  reward 0.41 ▁▂▅  3.1 s, 12 s left`. */
function lineOf({ done, total, label, elapsedMs, metrics }: Progress): string {
  const numbers = [...metrics]
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name} ${short(values.at(-1)!)} ${sparkline(values, SPARK_COLUMNS)}`);
  const left =
    total !== undefined && done > 0 && done < total
      ? `, ${duration((elapsedMs / done) * (total - done))} left`
      : '';
  const count = total === undefined ? `${done}` : `${done} of ${total}`;
  return [label, count, ...numbers, `${duration(elapsedMs)}${left}`].filter((part) => part !== '').join('  ');
}
