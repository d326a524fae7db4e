import type { RunView } from '../display/index.js';
import { costOf, type Prices } from '../remote/budget.js';
import type { Usage } from '../remote/types.js';
import type { CollectProgress, TrajectoryRecord } from '../teachers/index.js';

/** Folds the progress of a collection into what a person watching it wants to see. */
export interface CollectView {
  next(progress: CollectProgress, spent: Usage): RunView;
  /** What the service makes us wait for: shown with the next view. */
  wait(text: string): void;
}

/** @param now milliseconds; used for elapsed and remaining time only. */
export function createCollectView(now: () => number, prices: Prices | undefined): CollectView {
  const started = now();
  let waiting: string | undefined;
  let before: number | undefined;
  return {
    next({ finished, total, kept }, spent) {
      // what was found in the file tells nothing about how long an answer takes
      before ??= finished - 1;
      const elapsedMs = now() - started;
      const note = waiting;
      waiting = undefined;
      return {
        stages: [{ name: 'teacher', state: 'active' }],
        step: finished,
        totalSteps: total,
        elapsedMs,
        ...(finished > before && { remainingMs: (elapsedMs / (finished - before)) * (total - finished) }),
        headline: [
          { name: 'kept', value: String(kept) },
          { name: 'spent', value: spentText(spent, prices) },
          ...(note === undefined ? [] : [{ name: 'now:', value: note }]),
        ],
        trend: [],
      };
    },
    wait(text) {
      waiting = text;
    },
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
    if (rejection !== null) reasons.set(rejection, (reasons.get(rejection) ?? 0) + 1);
  }
  const kept = records.filter(({ rejection }) => rejection === null).length;
  return [
    `${kept} of ${records.length} answers kept, ${spentText(spent, prices)}`,
    ...[...reasons].sort((a, b) => b[1] - a[1]).map(([reason, count]) => `  ${count} × ${reason}`),
  ];
}

/** `12,345 tokens`, with dollars where prices are known. */
export function spentText(spent: Usage, prices: Prices | undefined): string {
  const tokens = `${(spent.promptTokens + spent.completionTokens).toLocaleString('en')} tokens`;
  return prices === undefined ? tokens : `${tokens}, $${costOf(spent, prices).toFixed(4)}`;
}
