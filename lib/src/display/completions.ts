/** What a policy wrote and what it got for it, with the part that each token has in the loss. */
import { escapeMarkup } from '../markup.js';
import { cellWidth, splitCells } from './cells.js';
import { short } from './format.js';
import { createStyle, type Style } from './style.js';

/** One completion; those of a trainer's step are such. */
export interface CompletionRow {
  readonly taskId: string;
  readonly reward: number | null;
  readonly rewards: Readonly<Record<string, number>>;
  readonly advantage: number;
  readonly stopReason: string;
  readonly segments: readonly { readonly role: Role; readonly text: string }[];
}

type Role = 'prompt' | 'trained' | 'environment' | 'masked';

/** How each role is called and told apart: by colour where there is colour, by brackets where there is none. */
const ROLES: Readonly<
  Record<
    Role,
    { readonly title: string; readonly paint: keyof Style; readonly brackets: readonly [string, string] }
  >
> = {
  prompt: { title: 'prompt', paint: 'dim', brackets: ['‹', '›'] },
  trained: { title: 'trained', paint: 'good', brackets: ['', ''] },
  environment: { title: 'environment', paint: 'accent', brackets: ['«', '»'] },
  masked: { title: 'sampled, not trained', paint: 'bad', brackets: ['⟦', '⟧'] },
};

/** The completions for a terminal `width` cells wide: a legend, then a block for each. */
export function completionsToText(
  rows: readonly CompletionRow[],
  { width, color }: { readonly width: number; readonly color: boolean },
): string {
  const style = createStyle(color);
  const show = (role: Role, text: string): string[] => {
    const [open, close] = color ? ['', ''] : ROLES[role].brackets;
    return wrap(`${open}${text.trim()}${close}`, width - 2).map((line) => style[ROLES[role].paint](line));
  };
  const legend = rolesOf(rows).flatMap((role) => show(role, ROLES[role].title));
  const blocks = rows.map((row) =>
    [
      style.bold(`${row.taskId} (${row.stopReason})`),
      ...row.segments.flatMap(({ role, text }) => show(role, text)).map((line) => `  ${line}`),
      ...wrap(numbersOf(row), width),
    ].join('\n'),
  );
  return [legend.join('  '), ...blocks].join('\n\n');
}

/** The completions as an HTML table that takes its colours from the page; every text is escaped. */
export function completionsToHtml(rows: readonly CompletionRow[]): string {
  const names = [...new Set(rows.flatMap(({ rewards }) => Object.keys(rewards)))];
  const span = (role: Role, text: string): string =>
    `<span class="${role}" title="${ROLES[role].title}">${escapeMarkup(text)}</span>`;
  const legend = rolesOf(rows)
    .map((role) => span(role, ROLES[role].title))
    .join(' ');
  const cell = (tag: 'th' | 'td', value: string): string =>
    `<${tag} class="number">${escapeMarkup(value)}</${tag}>`;
  const head = `<th>task</th>${cell('th', 'reward')}${cell('th', 'advantage')}<th>completion</th><th>stop</th>`;
  const heads = head + names.map((name) => cell('th', name)).join('');
  const body = rows.map(({ taskId, reward, advantage, segments, stopReason, rewards }) => {
    const text = segments.map((segment) => span(segment.role, segment.text)).join('');
    const [task, stop] = [taskId, stopReason].map((word) => `<td>${escapeMarkup(word)}</td>`);
    const terms = names.map((name) => cell('td', name in rewards ? short(rewards[name]!) : '')).join('');
    const own = cell('td', judged(reward)) + cell('td', short(advantage));
    return `<tr>${task}${own}<td class="completion">${text}</td>${stop}${terms}</tr>`;
  });
  return `<table class="completions"><caption>${legend}</caption><thead><tr>${heads}</tr></thead>
<tbody>${body.join('\n')}</tbody></table>`;
}

/** How the table looks, on a page with the theme's properties. */
export const COMPLETIONS_CSS = `.completion{white-space:pre-wrap;overflow-wrap:anywhere;min-width:64ch;font:12.5px/1.5 ui-monospace,monospace}.completions td{vertical-align:top}
.completions .prompt{color:var(--ink-soft)}.completions .trained{color:var(--good)}.completions .environment{color:var(--series-1)}.completions .masked{color:var(--bad)}`;

/** The roles that occur, in the order of the legend. */
function rolesOf(rows: readonly CompletionRow[]): Role[] {
  const found = new Set(rows.flatMap(({ segments }) => segments.map(({ role }) => role)));
  return (Object.keys(ROLES) as Role[]).filter((role) => found.has(role));
}

/** What the completion got, the most important first. */
function numbersOf({ reward, advantage, rewards }: CompletionRow): string {
  const numbers = { advantage, ...rewards };
  const named = Object.entries(numbers).map(([name, value]) => `${name} ${short(value)}`);
  return [`reward ${judged(reward)}`, ...named].join('  ');
}

const judged = (reward: number | null): string => (reward === null ? '–' : short(reward));

/** Lines of at most `width` cells; broken at blanks where there are any, and where the text is. */
function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line: string[] = [];
    let cells = 0;
    for (const part of splitCells(paragraph)) {
      line.push(part);
      cells += cellWidth(part);
      if (cells <= width) continue;
      const blank = line.lastIndexOf(' ');
      const end = blank > 0 ? blank : line.length - 1;
      lines.push(line.slice(0, end).join('').trimEnd());
      line = line.slice(blank > 0 ? blank + 1 : end);
      cells = cellWidth(line.join(''));
    }
    return [...lines, line.join('')];
  });
}
