/** A demo as it stands in the page before any script has run: its controls, and what it shows for its start values. */
import { escapeMarkup } from '../../markup.js';
import { initBackend } from '../../tensor/index.js';
import type { Control, Controls, Demo, View } from './demo.js';
import { demoNamed } from './index.js';
import { controlsStartingWith, shownNumber, startValues } from './values.js';
import { viewHtml } from './view-html.js';

/** Reads a file of the repository's `data`, e.g. `base/tokenizer.json`. */
export type ReadData = (path: string) => Promise<Uint8Array>;

/**
 * The HTML of the demo of that name. What it shows for its start values is part of it, unless it runs only when asked to.
 * @param start values of controls that begin otherwise than they do by themselves
 * @throws Error for an unknown demo or control, or a value that its control does not have
 */
export async function demoMarkup(
  name: string,
  start: Readonly<Record<string, unknown>>,
  read: ReadData,
): Promise<string> {
  const demo = demoNamed(name);
  const controls = controlsStartingWith(demo, start);
  const { views, words } =
    demo.auto || demo.showsAtFirst === true ? await firstViews(demo, controls, read) : nothing;
  const id = `demo-${name}`;
  return `<div class="demo" id="${id}" role="group" aria-labelledby="${id}-title" data-demo="${name}" data-auto="${demo.auto}" data-seconds="${demo.seconds}" data-needs="${demo.needs.join(' ')}">
<p class="demo-title" id="${id}-title"><span class="demo-mark">Live</span> ${escapeMarkup(demo.title)}</p>
<p class="demo-question">${escapeMarkup(demo.question)}</p>
<form class="demo-form" autocomplete="off"><fieldset disabled><legend class="demo-legend">Set the values</legend>
<p class="demo-hint"><b>Try:</b> ${escapeMarkup(demo.hint)}</p>
<div class="demo-controls">${controlsHtml(id, controls)}</div>
<p class="demo-buttons">${buttonsHtml(demo)}</p></fieldset></form>
<noscript><p class="demo-note">${noScript(demo)}</p></noscript>
<p class="demo-error" role="alert"></p>
<div class="demo-views">${views.map(([view, html]) => viewBox(view, html)).join('')}</div>
<p class="demo-words">${escapeMarkup(words)}</p>
<p class="demo-spoken" role="status"></p>
</div>`;
}

/** The box of a view, as the page makes it too. */
function viewBox(name: string, html: string): string {
  return `<div class="demo-view" data-view="${name}">${html}</div>`;
}

interface FirstViews {
  readonly views: readonly (readonly [name: string, html: string])[];
  readonly words: string;
}

const nothing: FirstViews = { views: [], words: '' };

async function firstViews(demo: Demo, controls: Controls, read: ReadData): Promise<FirstViews> {
  const shown = new Map<string, View>();
  const words = await demo.run(startValues(controls), {
    signal: new AbortController().signal,
    show: (name, view) => void shown.set(name, view),
    progress: () => undefined,
    read,
    startBackend: async () => void (await initBackend({ backend: 'wasm' })),
  });
  const views = [...shown].map(
    ([name, view]) => [name, viewHtml(view, `demo-${demo.name}-${name}`)] as const,
  );
  return { views, words };
}

function noScript({ auto, showsAtFirst = auto }: Demo): string {
  return showsAtFirst
    ? 'This demo runs in the page and needs JavaScript. Below is what it shows for these values.'
    : 'This demo runs in the page and needs JavaScript.';
}

function buttonsHtml({ auto }: Demo): string {
  const run = auto ? '' : '<button type="submit" class="demo-run">Run</button> ';
  return `${run}<button type="button" class="demo-stop" aria-disabled="true"${auto ? ' hidden' : ''}>Stop</button> <button type="reset" class="demo-reset">Start values</button> <progress class="demo-progress" max="1" value="0" aria-label="Progress" hidden></progress> <span class="demo-state"></span>`;
}

function controlsHtml(id: string, controls: Controls): string {
  return Object.entries(controls)
    .map(([name, control]) => controlHtml(`${id}-${name}`, name, control))
    .join('');
}

function controlHtml(id: string, name: string, control: Control): string {
  if (control.type === 'trail')
    return `<input type="hidden" name="${name}" value="${escapeMarkup(control.start)}" data-start="${escapeMarkup(control.start)}">`;
  const label = `<label for="${id}">${escapeMarkup(control.label)}</label>`;
  switch (control.type) {
    case 'range': {
      const { min, max, step, start, unit = '' } = control;
      const shown = escapeMarkup(shownNumber(start, step, unit));
      return `<div class="demo-control demo-range">${label}<output for="${id}" aria-live="off">${shown}</output><input type="range" id="${id}" name="${name}" min="${min}" max="${max}" step="${step}" value="${start}" data-unit="${escapeMarkup(unit)}" aria-valuetext="${shown}"></div>`;
    }
    case 'choice': {
      const options = Object.entries(control.options).map(
        ([value, words]) =>
          `<option value="${escapeMarkup(value)}"${value === control.start ? ' selected' : ''}>${escapeMarkup(words)}</option>`,
      );
      return `<div class="demo-control">${label}<select id="${id}" name="${name}">${options.join('')}</select></div>`;
    }
    case 'switch':
      return `<div class="demo-control demo-switch"><input type="checkbox" id="${id}" name="${name}"${control.start ? ' checked' : ''}>${label}</div>`;
    case 'text': {
      const { lines, maxLength, start } = control;
      const common = `id="${id}" name="${name}" maxlength="${maxLength}" spellcheck="false" autocapitalize="off"`;
      return lines === 1
        ? `<div class="demo-control demo-text">${label}<input type="text" ${common} value="${escapeMarkup(start)}"></div>`
        : `<div class="demo-control demo-text">${label}<textarea ${common} rows="${lines}">\n${escapeMarkup(start)}</textarea></div>`;
    }
  }
}
