/** Two rewards that take back what the other gives: every reward varies, their sum does not, and nothing is learned. */
import type { Task } from '../envs/types.js';
import { mean } from '../losses/index.js';
import type { ScoredGroup } from './grpo-groups.js';

/** From here on two rewards count as each other's opposite. */
const OPPOSED = -0.999;

/** Where no group carries signal: warnings that name pairs of reported numbers which move against each other. */
export function opposedRewards<T extends Task>(groups: readonly ScoredGroup<T>[]): string[] {
  if (!groups.every(({ constant }) => constant)) return [];
  const columns = namesOf(groups).flatMap((name) => {
    const deviations = groups.flatMap((group) => centred(group, name));
    return deviations.some((value) => value !== 0) ? [{ name, deviations }] : [];
  });
  return columns.flatMap((one, n) =>
    columns
      .slice(n + 1)
      .filter((other) => correlation(one.deviations, other.deviations) < OPPOSED)
      .map(
        (other) =>
          `No group carries signal, while ${one.name} and ${other.name} differ, each against the other. ` +
          'If both are rewards, they cancel: weigh them differently, or normalise each before they are added (normalizeThenSum).',
      ),
  );
}

/** Of the numbers that every episode reports. */
function namesOf<T extends Task>(groups: readonly ScoredGroup<T>[]): string[] {
  const [first, ...others] = groups.flatMap(({ episodes }) => episodes);
  return Object.keys(first?.metrics ?? {}).filter((name) => others.every(({ metrics }) => name in metrics));
}

/** By how much each episode's number differs from the mean of its group. */
function centred<T extends Task>({ episodes }: ScoredGroup<T>, name: string): number[] {
  const values = episodes.map(({ metrics }) => metrics[name] as number);
  const centre = mean(values);
  return values.map((value) => value - centre);
}

function correlation(one: readonly number[], other: readonly number[]): number {
  const product = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, n) => sum + value * (b[n] as number), 0);
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other));
}
