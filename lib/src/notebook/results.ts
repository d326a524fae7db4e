import { type MimeObject, short, type TableRecord } from '../display/index.js';

/** A number over seeds: their mean, and where it may lie. */
export interface ResultInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What a notebook found, by names; nested as it likes. */
export interface Results {
  readonly [name: string]: number | ResultInterval | Results;
}

/** A result and the one that was recorded. */
export interface ComparedResult {
  /** Names from the outermost in, with dots between them. */
  readonly key: string;
  readonly now: number | ResultInterval | undefined;
  readonly recorded: number | ResultInterval | undefined;
  /** Whether it lies in the recorded interval; `undefined` where none was recorded. */
  readonly within: boolean | undefined;
}

export function isInterval(value: unknown): value is ResultInterval {
  const { value: middle, low, high } = (value ?? {}) as Partial<ResultInterval>;
  return [middle, low, high].every((number) => typeof number === 'number');
}

/** All results by their dotted keys. @throws TypeError for what is no result, and for a number that no file of JSON can keep. */
export function flattened(results: Results, prefix = ''): Map<string, number | ResultInterval> {
  const entries = Object.entries(results).flatMap(([name, value]): [string, number | ResultInterval][] => {
    const key = `${prefix}${name}`;
    if (!/^[\w-]+$/.test(name))
      throw new TypeError(`result "${key}": a name has letters, digits, - and _, so that text can cite it`);
    if (typeof value === 'number' || isInterval(value)) {
      checkNumbers(key, value);
      return [[key, value]];
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return [...flattened(value, `${key}.`)];
    throw new TypeError(
      `result "${key}" is ${String(value)}; expected a number, { value, low, high }, or such by names`,
    );
  });
  return new Map(entries);
}

function checkNumbers(key: string, result: number | ResultInterval): void {
  const numbers = typeof result === 'number' ? [result] : [result.low, result.value, result.high];
  const bad = numbers.find((number) => !Number.isFinite(number));
  if (bad !== undefined) throw new TypeError(`result "${key}" has ${bad}; expected finite numbers`);
  if (typeof result !== 'number' && !(result.low <= result.value && result.value <= result.high))
    throw new TypeError(
      `result "${key}": ${result.value} is not between its low, ${result.low}, and its high, ${result.high}`,
    );
}

/** Rounding, which differs between CPUs. */
const SLACK = 1e-6;

export function compareResults(now: Results, recorded: Results): ComparedResult[] {
  const [is, was] = [flattened(now), flattened(recorded)];
  return [...new Set([...is.keys(), ...was.keys()])].map((key) => {
    const [a, b] = [is.get(key), was.get(key)];
    return {
      key,
      now: a,
      recorded: b,
      within: a === undefined || !isInterval(b) ? undefined : isWithin(a, b),
    };
  });
}

function isWithin(now: number | ResultInterval, { low, high }: ResultInterval): boolean {
  const value = typeof now === 'number' ? now : now.value;
  const slack = SLACK * Math.max(Math.abs(low), Math.abs(high));
  return value >= low - slack && value <= high + slack;
}

export function resultText(result: number | ResultInterval | undefined): string {
  if (result === undefined) return '';
  if (typeof result === 'number') return short(result);
  return `${short(result.value)} (${short(result.low)}–${short(result.high)})`;
}

export function comparedRow({ key, now, recorded, within }: ComparedResult): TableRecord {
  const verdict = within === undefined ? '' : within ? '✓' : '✗ outside';
  return { result: key, now: resultText(now), recorded: resultText(recorded), 'within it': verdict };
}

/** MIME type of what a notebook has saved, for programs that run notebooks. */
export const RESULTS_TYPE = 'application/vnd.posttrain.results+json';

/** What such a program is told: the name, and which results lie outside of what was recorded. */
export function resultsReport(name: string, compared: readonly ComparedResult[]): MimeObject {
  return {
    name,
    compared: compared.filter(({ within }) => within !== undefined).length,
    outside: compared.filter(({ within }) => within === false).map(({ key }) => key),
  };
}
