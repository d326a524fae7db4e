import type { RunView } from '../display/index.js';
import { costOf, type Prices } from '../remote/budget.js';
import type { Usage } from '../remote/types.js';
import type { CollectProgress, TrajectoryRecord } from '../teachers/index.js';

/** Folds the progress of a collection into what a person watching it wants to see. */
export interface CollectView {
  next(progress: CollectProgress): RunView;
  /** The same, with what the service makes us wait for. */
  waiting(text: string): RunView;
}

export interface CollectViewOptions {
  /** Milliseconds; used for elapsed and remaining time only. */
  readonly now: () => number;
  /** Answers in all. */
  readonly total: number;
  /** Answers that are in the file already: they tell nothing about how long one takes. */
  readonly known: number;
  /** What was spent so far, in words. */
  readonly spent: () => string;
}

export function createCollectView({ now, total, known, spent }: CollectViewOptions): CollectView {
  const started = now();
  let last: CollectProgress = { finished: known, total, kept: 0, unanswered: 0 };
  const view = (note: string | undefined): RunView => {
    const { finished, kept } = last;
    const elapsedMs = now() - started;
    const answered = finished - known;
    return {
      stages: [{ name: 'teacher', state: 'active' }],
      step: finished,
      totalSteps: total,
      elapsedMs,
      ...(answered > 0 && { remainingMs: (elapsedMs / answered) * (total - finished) }),
      headline: [
        { name: 'kept', value: String(kept) },
        { name: 'spent', value: spent() },
        ...(note === undefined ? [] : [{ name: 'now:', value: note }]),
      ],
      trend: [],
    };
  };
  return {
    next(progress) {
      last = progress;
      return view(undefined);
    },
    waiting: view,
  };
}

/** What a collection came to, line by line: how many were kept, why the others were not, and what it took. */
export function summaryText(
  records: readonly TrajectoryRecord[],
  spent: Usage,
  prices: Prices | undefined,
): string[] {
  const reasons = new Map<string, number>();
  for (const { rejection } of records) {
    if (rejection === null) continue;
    const reason = rejection.replace(/^reward [\d.]+ below/, 'reward below');
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const kept = records.filter(({ rejection }) => rejection === null).length;
  const commonest = [...reasons].sort((a, b) => b[1] - a[1]);
  const others = commonest.slice(MOST_REASONS).reduce((sum, [, count]) => sum + count, 0);
  return [
    `${kept} of ${records.length} answers kept, ${spentText(spent, prices)}`,
    ...commonest.slice(0, MOST_REASONS).map(([reason, count]) => `  ${count} × ${reason}`),
    ...(others === 0 ? [] : [`  ${others} × other reasons, see the file`]),
  ];
}

const MOST_REASONS = 8;

/** `12,345 tokens`, with dollars where prices are known. */
export function spentText(spent: Usage, prices: Prices | undefined): string {
  const tokens = `${(spent.promptTokens + spent.completionTokens).toLocaleString('en')} tokens`;
  return prices === undefined ? tokens : `${tokens}, $${costOf(spent, prices).toFixed(4)}`;
}
