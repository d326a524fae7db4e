import type { SamplingParams } from './types.js';

/** Throws when a sampling parameter is out of range, naming it. */
export function checkSamplingParams({ maxNewTokens, temperature, topP = 1, topK = 0 }: SamplingParams): void {
  const demand = (ok: boolean, name: string, value: number, expected: string): void => {
    if (!ok) throw new RangeError(`${name} is ${value}; expected ${expected}.`);
  };
  demand(
    Number.isInteger(maxNewTokens) && maxNewTokens > 0,
    'maxNewTokens',
    maxNewTokens,
    'an integer above 0',
  );
  demand(temperature >= 0 && Number.isFinite(temperature), 'temperature', temperature, '0 (greedy) or more');
  demand(topP > 0 && topP <= 1, 'topP', topP, 'above 0 and at most 1 (off)');
  demand(Number.isInteger(topK) && topK >= 0, 'topK', topK, '0 (off) or a positive integer');
}
