import { InvalidArgumentError } from 'commander';

/** Parsers for option values: what is wrong with the value is all they say, commander adds the option's name. */

export function nonNegativeInteger(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0) {
    throw new InvalidArgumentError('Expected an integer, 0 or more.');
  }
  return value;
}

export function positiveInteger(text: string): number {
  const value = nonNegativeInteger(text);
  if (value === 0) throw new InvalidArgumentError('Expected an integer, 1 or more.');
  return value;
}

export function temperature(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 10)) {
    throw new InvalidArgumentError('Expected a number from 0 (greedy) to 10.');
  }
  return value;
}

/** `1,2,3` */
export function integerList(text: string): number[] {
  const values = text.split(',').map(nonNegativeInteger);
  if (new Set(values).size < values.length) throw new InvalidArgumentError('Expected each number once.');
  return values;
}
