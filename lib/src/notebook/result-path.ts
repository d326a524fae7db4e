/** Where in recorded results a number stands: `arms[Dr. GRPO].success`, `summary[arm=default].success`, `arms.default.*.gain`. */

/** A number of recorded results. */
export interface RecordedNumber {
  readonly value: number;
  /** Both set where the record has an interval, or a range over seeds. */
  readonly low?: number;
  readonly high?: number;
  /** One a seed, or one a place that `*` stood for: what differences are taken of. */
  readonly values?: readonly number[];
}

/** One step down: a name, a key, index or `field=value` in brackets, or `*` for everything there is. */
interface Step {
  readonly name: string;
  readonly bracketed: boolean;
}

const STEP = /([^.[\]]+)|\[([^\]]+)\]/g;
/** Names with dots between them, each with any number of brackets behind it. */
const PATH = /^[^.[\]]+(?:\[[^\]]+\]|\.[^.[\]]+)*$/;
/** Between two paths; in brackets it is part of a key. */
const MINUS = / - (?![^[]*\])/;

/**
 * The number at a path, or the difference of those at two (`A - B`; seed by seed where both have `values`). A path leads to a number,
 * to `{ value, low, high }`, or to a record over seeds `{ mean, min, max, values? }`; with `*` it stands for the mean of all that match.
 * @throws Error that says how far the path led, and what there is.
 */
export function numberAt(results: unknown, path: string): RecordedNumber {
  const [minuend, subtrahend, ...more] = path.split(MINUS).map((part) => oneNumberAt(results, part.trim()));
  if (more.length > 0) throw new Error(`"${path}" subtracts more than once; expected A or A - B`);
  return subtrahend === undefined ? minuend! : difference(minuend!, subtrahend);
}

/** What stands at a path without `*`, whatever it is. @throws Error as `numberAt`. */
export function valueAt(results: unknown, path: string): unknown {
  return stepsOf(path).reduce((at, step) => below(at, step), results);
}

function oneNumberAt(results: unknown, path: string): RecordedNumber {
  return walk(results, stepsOf(path), path);
}

function stepsOf(path: string): readonly Step[] {
  if (!PATH.test(path))
    throw new Error(`"${path}" is no path; expected names.with.dots, [a key] in brackets`);
  return [...path.matchAll(STEP)].map(([, name, key]) => ({
    name: name ?? key!,
    bracketed: name === undefined,
  }));
}

function walk(at: unknown, [step, ...rest]: readonly Step[], path: string): RecordedNumber {
  if (step === undefined) return asNumber(at, path);
  if (step.name !== '*' || step.bracketed) return walk(below(at, step), rest, path);
  const values = Object.values(requireObject(at, step.name)).map((each) => walk(each, rest, path).value);
  if (values.length === 0) throw new Error(`"${path}": nothing matches *`);
  return { ...overAll(values), value: values.reduce((sum, value) => sum + value) / values.length };
}

function below(at: unknown, { name, bracketed }: Step): unknown {
  const [field, wanted] = bracketed && Array.isArray(at) ? name.split('=') : [];
  if (field !== undefined && wanted !== undefined) return chosen(at as readonly unknown[], field, wanted);
  const object = requireObject(at, name);
  if (Object.hasOwn(object, name)) return object[name];
  throw new Error(`there is no "${name}"; there are ${namesIn(object)}`);
}

function chosen(list: readonly unknown[], field: string, wanted: string): unknown {
  const fieldOf = (item: unknown): string => String((item as Record<string, unknown> | null)?.[field]);
  const item = list.find((each) => fieldOf(each) === wanted);
  if (item !== undefined) return item;
  throw new Error(`nothing has ${field}=${wanted}; there are ${[...new Set(list.map(fieldOf))].join(', ')}`);
}

function requireObject(at: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof at === 'object' && at !== null) return at as Readonly<Record<string, unknown>>;
  throw new Error(`there is no "${name}" in ${JSON.stringify(at)}`);
}

function namesIn(object: object): string {
  return Array.isArray(object) ? `${object.length} items, from 0` : Object.keys(object).join(', ');
}

function asNumber(at: unknown, path: string): RecordedNumber {
  if (typeof at === 'number') return { value: at };
  const { value, low, high, mean, min, max, values } = (at ?? {}) as Readonly<Record<string, unknown>>;
  if (isNumber(value) && isNumber(low) && isNumber(high)) return { value, low, high };
  if (isNumber(mean) && isNumber(min) && isNumber(max))
    return { value: mean, low: min, high: max, ...(Array.isArray(values) && { values: values as number[] }) };
  const found =
    typeof at === 'object' && at !== null ? `it has ${namesIn(at)}` : `it is ${JSON.stringify(at)}`;
  throw new Error(`"${path}" is no number, interval or record over seeds; ${found}`);
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

function difference(a: RecordedNumber, b: RecordedNumber): RecordedNumber {
  const value = a.value - b.value;
  if (a.values === undefined || b.values === undefined) return { value };
  if (a.values.length !== b.values.length)
    throw new Error(`${a.values.length} numbers and ${b.values.length} cannot be subtracted one by one`);
  return { value, ...overAll(a.values.map((each, index) => each - b.values![index]!)) };
}

function overAll(values: readonly number[]): Required<Omit<RecordedNumber, 'value'>> {
  return { values, low: Math.min(...values), high: Math.max(...values) };
}
