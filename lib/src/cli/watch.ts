import { canvasArt, percent, type RunView } from '../display/index.js';
import { stageNames, type Drawing, type RunEvent, type StageName } from '../recipes/diagram/index.js';

const TITLES: Readonly<Record<StageName, string>> = {
  teacher: 'teacher',
  sft: 'SFT',
  grpo: 'GRPO',
  evaluate: 'evaluation',
  report: 'report',
};

/** Which numbers of a stage stand in its status line, most important first; the first one is also the trend. */
const HEADLINES: Readonly<
  Record<StageName, readonly { readonly key: string; readonly name: string; readonly share?: true }[]>
> = {
  teacher: [{ key: 'kept', name: 'kept', share: true }],
  sft: [
    { key: 'loss', name: 'loss' },
    { key: 'mean_token_accuracy', name: 'next token right', share: true },
  ],
  grpo: [
    { key: 'reward', name: 'reward' },
    { key: 'rewards/success/mean', name: 'success', share: true },
  ],
  evaluate: [],
  report: [],
};

/** Means over this many steps: single steps of a small batch jump about. */
const WINDOW = 8;
const TREND = 24;

/** Folds the events of a run into what a person watching it wants to see. */
export interface Watcher {
  /** The view after this event. */
  next(event: RunEvent): RunView;
}

/** @param now milliseconds; used for elapsed and remaining time only. */
export function createWatcher(now: () => number): Watcher {
  const states = new Map<StageName, 'done' | 'active' | 'waiting'>(
    stageNames.map((name) => [name, 'waiting']),
  );
  const history: Record<string, number>[] = [];
  let started = now();
  let first: { readonly step: number; readonly at: number } | undefined;
  let step = 0;
  let totalSteps = 0;
  let drawing: Drawing | undefined;
  let note: string | undefined;
  let stage: StageName = 'teacher';

  return {
    next(event) {
      stage = event.stage;
      if (event.kind === 'stage') {
        states.set(stage, event.state === 'started' ? 'active' : 'done');
        if (event.state === 'started') {
          history.length = 0;
          started = now();
          first = undefined;
          step = totalSteps = 0;
          drawing = note = undefined;
        }
      } else {
        // a resumed stage begins in the middle, and the first step pays for the start: only later ones tell how long one takes
        first ??= { step: event.step, at: now() };
        ({ step, totalSteps } = event);
        history.push({ ...event.metrics });
        drawing = event.drawing ?? drawing;
        note = event.note;
      }
      const elapsedMs = now() - started;
      const taken = step - (first?.step ?? step);
      const takenMs = now() - (first?.at ?? started);
      const trendKey = HEADLINES[stage][0]?.key;
      return {
        stages: stageNames.map((name) => ({ name: TITLES[name], state: states.get(name) ?? 'waiting' })),
        step,
        totalSteps,
        elapsedMs,
        ...(taken > 0 ? { remainingMs: (takenMs / taken) * (totalSteps - step) } : {}),
        headline: [
          ...headline(stage, history),
          ...(note === undefined ? [] : [{ name: 'now:', value: note }]),
        ],
        trend: trendKey === undefined ? [] : trend(history, trendKey),
        ...(drawing === undefined ? {} : { drawing: pictureOf(drawing) }),
      };
    },
  };
}

function headline(stage: StageName, history: readonly Record<string, number>[]): RunView['headline'] {
  return HEADLINES[stage].flatMap(({ key, name, share }) => {
    const mean = meanOfLast(history, key, WINDOW);
    return mean === undefined ? [] : [{ name, value: share ? percent(mean) : mean.toFixed(3) }];
  });
}

function trend(history: readonly Record<string, number>[], key: string): number[] {
  const first = Math.max(0, history.length - TREND);
  return history
    .slice(first)
    .flatMap((_, i) => meanOfLast(history.slice(0, first + i + 1), key, WINDOW) ?? []);
}

function meanOfLast(
  history: readonly Record<string, number>[],
  key: string,
  count: number,
): number | undefined {
  const values = history.slice(-count).flatMap((metrics) => metrics[key] ?? []);
  return values.length === 0 ? undefined : values.reduce((sum, v) => sum + v, 0) / values.length;
}

function pictureOf(drawing: Drawing): NonNullable<RunView['drawing']> {
  return {
    caption: `${drawing.request}  (reward ${drawing.reward.toFixed(2)})`,
    good: drawing.success,
    lines:
      drawing.canvas === undefined ? ['(the reply could not be read)'] : canvasArt(drawing.canvas, 76, 12),
  };
}
