import { InvalidArgumentError, Option } from 'commander';
import { coreCount } from '../tensor/cores.js';

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
  if (!/^\d{1,15}(,\d{1,15})*$/.test(text)) {
    throw new InvalidArgumentError('Expected integers, 0 or more, with commas between them, e.g. 1,2,3.');
  }
  const values = text.split(',').map(Number);
  if (new Set(values).size < values.length) throw new InvalidArgumentError('Expected each number once.');
  return values;
}

/** More threads than this need more memory than a laptop may have free: each holds its own activations. */
const MOST_THREADS = 4;

export function workersOption(): Option {
  return new Option('--workers <number>', 'threads to compute with; any number gives the same results')
    .argParser(positiveInteger)
    .default(Math.min(MOST_THREADS, coreCount()), 'one a core, at most 4');
}
