/** Settings are plain objects; these helpers make them complete, checked and frozen. */

/** A setting that cannot work, with the remedy in its message. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A condition and what to say when it does not hold. */
export type Rule = readonly [holds: boolean, otherwise: string];

/** Keys whose values are checked by rules alone, and what to say about keys that other libraries have and this one has not. */
export interface ConfigSpecials {
  readonly unions?: readonly string[];
  readonly advice?: Readonly<Record<string, string>>;
}

/**
 * `defaults` overlaid with `given`, frozen. A key whose default is `null` takes a number or `null`; every other key takes the
 * type of its default, unless it is listed in `unions`.
 *
 * @throws ConfigError for a key that does not exist (the message says which was meant, or lists those that do) or a value of another type
 */
export function resolveConfig<C extends object>(
  name: string,
  defaults: C,
  given: Partial<C>,
  { unions = [], advice = {} }: ConfigSpecials = {},
): Readonly<C> {
  const allowed = Object.keys(defaults);
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [key, value] of present) {
    if (!allowed.includes(key))
      throw new ConfigError(`${name} has no key \`${key}\`. ${remedyFor(key, allowed, advice)}`);
    const standard = defaults[key as keyof C];
    const expected = standard === null ? 'number' : typeof standard;
    const fits = typeof value === expected || (standard === null && value === null) || unions.includes(key);
    if (!fits) throw new ConfigError(`${name}.${key} is ${JSON.stringify(value)}, expected a ${expected}.`);
  }
  return Object.freeze({ ...defaults, ...Object.fromEntries(present) });
}

/** What to write in place of a key that does not exist; Python's spelling of a key is taken for the key. */
function remedyFor(
  key: string,
  allowed: readonly string[],
  advice: Readonly<Record<string, string>>,
): string {
  const sameWord = (other: string): boolean => bare(other) === bare(key);
  const meant = allowed.find(sameWord);
  if (meant !== undefined) return `Did you mean \`${meant}\`?`;
  const known = Object.keys(advice).find(sameWord);
  return known === undefined ? `Allowed keys: ${allowed.join(', ')}.` : (advice[known] as string);
}

const bare = (key: string): string => key.replaceAll('_', '').toLowerCase();

/** Throws a ConfigError with the first broken rule. */
export function requireRules(name: string, rules: readonly Rule[]): void {
  const broken = rules.find(([holds]) => !holds);
  if (broken !== undefined) throw new ConfigError(`${name}: ${broken[1]}`);
}

/** The rule that `value` is an integer of at least `least`. */
export function integerRule(key: string, value: number, least: number): Rule {
  return [Number.isInteger(value) && value >= least, `${key} is ${value}, expected an integer ≥ ${least}.`];
}

/** The rule that `value` is a finite number in `[least, most]`. */
export function rangeRule(key: string, value: number, least: number, most: number = Infinity): Rule {
  const range = most === Infinity ? `≥ ${least}` : `from ${least} to ${most}`;
  return [
    Number.isFinite(value) && value >= least && value <= most,
    `${key} is ${value}, expected a number ${range}.`,
  ];
}
