/** Looks up what a number in `metrics.jsonl` means. */
import type { MetricEntry } from './glossary-entry.js';
import { actorCritic, imitation, learning, preferences, rewardModelling } from './glossary-losses.js';
import { process, rewards, sampling, selection, trustRegion } from './glossary-rewards.js';
import { tabular } from './glossary-tabular.js';

/** Every metric that a trainer reports, in the order in which to look at them. */
export const metricGlossary: readonly MetricEntry[] = [
  ...rewards,
  ...learning,
  ...imitation,
  ...preferences,
  ...rewardModelling,
  ...actorCritic,
  ...process,
  ...sampling,
  ...selection,
  ...trustRegion,
  ...tabular,
];

/** The entry that explains a key of `metrics.jsonl`; `undefined` when there is none. */
export function explainMetric(key: string): MetricEntry | undefined {
  return (
    metricGlossary.find((entry) => entry.key === key) ?? metricGlossary.find((entry) => matches(entry, key))
  );
}

/** `<name>` stands for anything, slashes included: `rewards/soft_f1/edges/mean` is one of `rewards/<name>/mean`. */
function matches({ key: pattern }: MetricEntry, key: string): boolean {
  const [before, after] = pattern.split(/<\w+>/) as [string, string?];
  if (after === undefined) return false;
  return key.length > before.length + after.length && key.startsWith(before) && key.endsWith(after);
}
