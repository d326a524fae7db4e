/** From single repetitions to numbers with intervals. */
import { tableToText, type Table } from '../../display/index.js';
import { overSeeds } from '../../eval/index.js';
import type {
  Column,
  CurveBand,
  CurvePoint,
  Experiment,
  Measured,
  Measurement,
  Measurements,
} from './experiment.js';

/** Joins the repetitions. An arm that one of them lacks is an error: means over different seeds are not comparable. */
export function joinRepetitions(repetitions: readonly Measured[]): Measurements {
  const [first] = repetitions;
  if (first === undefined) throw new RangeError('An experiment needs at least one seed.');
  return {
    arms: mapValues(first.arms, (numbers, arm) =>
      mapValues(numbers, (_, name) =>
        measurement(
          repetitions.map(({ arms }) => arms[arm]?.[name]),
          arm,
          name,
        ),
      ),
    ),
    curves: mapValues(first.curves, (lines, figure) =>
      mapValues(lines, (_, line) => band(repetitions.map(({ curves }) => curves[figure]?.[line] ?? []))),
    ),
  };
}

function measurement(measured: readonly (number | undefined)[], arm: string, name: string): Measurement {
  const values = measured.filter((value) => value !== undefined);
  if (values.length < measured.length || !values.every(Number.isFinite))
    throw new Error(
      `${arm}: ${name} came to ${measured.join(', ')}; expected a finite number for every seed.`,
    );
  return { ...overSeeds(values), values };
}

function band(lines: readonly (readonly CurvePoint[])[]): CurveBand[] {
  const [first = []] = lines;
  return first.flatMap(({ x }, i) => {
    const values = lines.flatMap((line) => line[i]?.y ?? []);
    if (values.length < lines.length) return [];
    const { mean, min, max } = overSeeds(values);
    return { x, y: mean, low: min, high: max, values };
  });
}

/** The number measured of an arm. Throws when there is none, naming it. */
export function measured({ arms }: Measurements, arm: string, name: string): Measurement {
  const found = arms[arm]?.[name];
  if (found === undefined) throw new Error(`Nothing was measured of ${name} in ${arm}.`);
  return found;
}

/** One row an arm: means over the seeds, with their 95 % intervals where those can be told apart. */
export function measurementsTable({ columns }: Experiment, { arms }: Measurements): Table {
  return {
    columns: [
      { header: '' },
      ...Object.values(columns).map(({ header }) => ({ header, align: 'right' as const })),
    ],
    rows: Object.entries(arms).map(([arm, numbers]) => [
      arm,
      ...Object.entries(columns).map(([name, column]) => cell(numbers[name], column)),
    ]),
  };
}

function cell(value: Measurement | undefined, { format, share }: Column): string {
  if (value === undefined) return '';
  const shown = (bound: number): string => positiveZero(format(bound));
  const within = (bound: number): string => shown(share ? Math.min(1, Math.max(0, bound)) : bound);
  const mean = shown(value.mean);
  const [low, high] = [within(value.low ?? value.mean), within(value.high ?? value.mean)];
  return low === mean && high === mean ? mean : `${mean} (${low}…${high})`;
}

/** What is rounded to nothing has no sign: `-0.0` → `0.0`. */
function positiveZero(text: string): string {
  return text.replace(/^-(?=0(\.0+)?(?![\d.]))/, '');
}

/** A column of shares, 0 to 1. */
export function shareColumn(header: string, format: Column['format'] = wholePercent): Column {
  return { header, format, share: true };
}

/** The record of an experiment on one screen of a terminal. That of a quick run does not judge the claims. */
export function summaryText(experiment: Experiment, results: Measurements, quick = false): string {
  const mark = (holds: boolean): string => (quick ? '·' : holds ? '✓' : '✗');
  const claims = experiment
    .claims(results)
    .map(({ claim, holds, measured }) => `${mark(holds)} ${claim}: ${measured}`);
  const note = quick
    ? ['', 'Quick: too short to judge every claim; the recorded results are in data/results.']
    : [];
  const picture = experiment.picture === undefined ? [] : [experiment.picture(), ''];
  return [...picture, tableToText(measurementsTable(experiment, results)), '', ...claims, ...note].join('\n');
}

/** A share in whole percent: `0.459` → `46 %`. */
export function wholePercent(share: number): string {
  // not −0, which an interval around nothing may begin with
  return `${Math.round(100 * share) + 0} %`;
}

/** Runs a trainer to its end; its last step. Throws when it took none. */
export async function lastOf<Step>(steps: AsyncIterable<Step>): Promise<Step> {
  let last: Step | undefined;
  for await (const step of steps) last = step;
  if (last === undefined) throw new Error('The trainer took no step: maxSteps is 0, or it was stopped.');
  return last;
}

function mapValues<V, W>(
  record: Readonly<Record<string, V>>,
  change: (value: V, key: string) => W,
): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
