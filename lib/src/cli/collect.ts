import { costOf, type Prices } from '../remote/budget.js';
import type { Usage } from '../remote/types.js';
import type { TrajectoryRecord } from '../teachers/index.js';

/** What a collection came to, line by line: how many were kept, why the others were not, and what it took. */
export function rejectionsText(
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
