import { duration, percent } from './format.js';
import { cellWidth, fitToWidth } from './cells.js';
import { sparkline } from './sparkline.js';
import { createStyle, type Style } from './style.js';

/** What a person watching a run wants to know, at one moment. */
export interface RunView {
  readonly stages: readonly { readonly name: string; readonly state: 'done' | 'active' | 'waiting' }[];
  readonly step: number;
  readonly totalSteps: number;
  readonly elapsedMs: number;
  /** Time left in this stage; absent until there is something to extrapolate from. */
  readonly remainingMs?: number;
  /** Named numbers, most important first, e.g. `reward` and `success`. */
  readonly headline: readonly { readonly name: string; readonly value: string }[];
  /** What the sparkline shows, oldest first. */
  readonly trend: readonly number[];
  /** The newest drawing. */
  readonly drawing?: { readonly caption: string; readonly good: boolean; readonly lines: readonly string[] };
}

const BAR = 24;

/** The view as lines for a terminal `width` cells wide; none is wider, from 40 cells on. */
export function runLines(view: RunView, width: number, style: Style): string[] {
  const stages = stagesLine(view, width, style);
  if (view.totalSteps === 0) return [stages];
  const share = Math.min(1, view.step / view.totalSteps);
  const full = Math.round(share * BAR);
  const bar = style.accent('█'.repeat(full)) + style.dim('░'.repeat(BAR - full));
  const left = view.remainingMs === undefined ? '' : `, ${duration(view.remainingMs)} left`;
  const numbers = fitToWidth(view.headline.map((h) => `${h.name} ${h.value}`).join('   '), width - 28);
  const lines = [
    stages,
    `${bar} ${fitToWidth(`${percent(share, 0)}  step ${view.step} of ${view.totalSteps}${left}`, width - BAR - 1)}`,
    `${numbers}  ${style.accent(sparkline(view.trend, 24))}`,
  ];
  if (view.drawing === undefined) return lines;
  const { caption, good, lines: picture } = view.drawing;
  const mark = good ? style.good('✓') : style.bad('✗');
  return [
    ...lines,
    `${mark} ${fitToWidth(caption, width - 2)}`,
    ...picture.map((line) => fitToWidth(line, width)),
  ];
}

/** The view as one line for a log file: no colours, no repainting. */
export function plainLine(view: RunView): string {
  const stage = activeStage(view) ?? 'done';
  if (view.totalSteps === 0) return `${stage}: started`;
  const numbers = view.headline.map((h) => `, ${h.name} ${h.value}`).join('');
  const left = view.remainingMs === undefined ? '' : `, ${duration(view.remainingMs)} left`;
  return `${stage}: step ${view.step} of ${view.totalSteps}${numbers}${left}`;
}

/** The stage under way; `undefined` between stages. */
export function activeStage({ stages }: RunView): string | undefined {
  return stages.find(({ state }) => state === 'active')?.name;
}

/** All stages; only the one under way where there is no room for all. */
function stagesLine(view: RunView, width: number, style: Style): string {
  const inStyle = (look: Style): string =>
    view.stages.map((stage) => stageName(stage, look)).join(look.dim(' → '));
  if (cellWidth(inStyle(createStyle(false))) <= width) return inStyle(style);
  return style.bold(fitToWidth(activeStage(view) ?? 'done', width));
}

function stageName({ name, state }: RunView['stages'][number], style: Style): string {
  if (state === 'done') return style.good(`${name} ✓`);
  return state === 'active' ? style.bold(name) : style.dim(name);
}
