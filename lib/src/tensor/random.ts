/**
 * Seeded random numbers that depend on nothing but their address `(seed, purpose, step, index)`: a run that was
 * killed and resumed, or spread over workers, draws the same numbers in any order.
 *
 * Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): the counter holds
 * (block, index, step, hash of the purpose), the key holds the seed.
 */

/** An endless sequence of independent draws. Two streams with different addresses never overlap. */
export interface RandomStream {
  /** A number in [0, 1), 53 random bits. */
  uniform(): number;
  /** An integer in [0, n). Throws when `n` is not a positive integer. */
  int(n: number): number;
  /** A draw from the standard normal distribution (Box-Muller). */
  normal(): number;
  /** One element, all equally likely. Throws on an empty array. */
  pick<T>(array: readonly T[]): T;
  /** A new array in random order (Fisher-Yates); the argument is left alone. */
  shuffle<T>(array: readonly T[]): T[];
}

type Words = readonly [number, number, number, number];

const TWO_32 = 2 ** 32;

/** High 32 bits of an unsigned 32 × 32 bit product. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  return (
    aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(((middle % 0x10000) + aLow * bHigh) / 0x10000)
  );
}

/** The Philox4x32-10 bijection: four 32-bit counter words and two key words in, four random words out. */
export function philox4x32(counter: Words, key: readonly [number, number]): Words {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < 10; round++) {
    const high0 = multiplyHigh(0xd2511f53, c0);
    const low0 = Math.imul(0xd2511f53, c0);
    const high1 = multiplyHigh(0xcd9e8d57, c2);
    const low1 = Math.imul(0xcd9e8d57, c2);
    c0 = (high1 ^ c1 ^ k0) >>> 0;
    c1 = low1 >>> 0;
    c2 = (high0 ^ c3 ^ k1) >>> 0;
    c3 = low0 >>> 0;
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [c0, c1, c2, c3];
}

/** FNV-1a, 32 bits, over the UTF-8 bytes of a text. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function requireInteger(name: string, value: number, limit: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value >= limit)
    throw new RangeError(`${name} must be an integer from 0 to ${limit - 1}, got ${value}`);
}

/**
 * The stream at an address.
 * @param seed the run's seed, an integer in [0, 2^53)
 * @param purpose what the numbers are for, e.g. `'sampling'`: streams for different purposes are independent
 * @param step e.g. the training step, in [0, 2^32)
 * @param index e.g. the sample within the step, in [0, 2^32)
 */
export function randomStream(seed: number, purpose: string, step = 0, index = 0): RandomStream {
  requireInteger('seed', seed, Number.MAX_SAFE_INTEGER + 1);
  requireInteger('step', step, TWO_32);
  requireInteger('index', index, TWO_32);
  const key = [seed % TWO_32, Math.floor(seed / TWO_32)] as const;
  const purposeHash = hashText(purpose);
  let block = 0;
  let spare: number | undefined;

  const fraction = (high: number, low: number): number => ((high >>> 5) * 0x4000000 + (low >>> 6)) / 2 ** 53;
  const uniform = (): number => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    const words = philox4x32([block++, index, step, purposeHash], key);
    spare = fraction(words[2], words[3]);
    return fraction(words[0], words[1]);
  };
  const int = (n: number): number => {
    if (!Number.isSafeInteger(n) || n < 1) throw new RangeError(`int(n) needs a positive integer, got ${n}`);
    return Math.floor(uniform() * n);
  };
  return {
    uniform,
    int,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    pick: <T>(array: readonly T[]): T => {
      if (array.length === 0) throw new RangeError('pick() needs at least one element, got an empty array');
      return array[int(array.length)] as T;
    },
    shuffle: <T>(array: readonly T[]): T[] => {
      const result = array.slice();
      for (let last = result.length - 1; last > 0; last--) {
        const other = int(last + 1);
        [result[last], result[other]] = [result[other] as T, result[last] as T];
      }
      return result;
    },
  };
}

/** The first uniform number in [0, 1) of the stream at an address. */
export function uniform(seed: number, purpose: string, step: number, index: number): number {
  return randomStream(seed, purpose, step, index).uniform();
}
