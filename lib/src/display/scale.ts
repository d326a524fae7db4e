/** From data units to pixels, and the round numbers in between. */

/** A linear map from `[domainLow, domainHigh]` to `[rangeLow, rangeHigh]`; an empty domain maps to the middle. */
export function linearScale(domain: Interval, range: Interval): (value: number) => number {
  const [d0, d1] = domain;
  const [r0, r1] = range;
  if (d0 === d1) return () => (r0 + r1) / 2;
  return (value) => r0 + ((value - d0) / (d1 - d0)) * (r1 - r0);
}

export type Interval = readonly [number, number];

/** A map on which powers of ten are evenly far apart; domain and values above 0. */
export function logScale([d0, d1]: Interval, range: Interval): (value: number) => number {
  const ofPower = linearScale([Math.log10(d0), Math.log10(d1)], range);
  return (value) => ofPower(Math.log10(value));
}

/** Powers of ten inside `[low, high]`, both above 0; 2 and 5 times them as well where those are fewer than three. */
export function logTicks(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, i) => first + i);
  const inside = (factors: readonly number[]): number[] =>
    powers
      .flatMap((power) => factors.map((factor) => Number(`${factor}e${power}`)))
      .filter((value) => value >= low && value <= high);
  const tens = inside([1]);
  const values = tens.length >= 3 ? tens : inside([1, 2, 5]);
  return values.length > 0 ? values : [low];
}

/** Round numbers (1, 2 or 5 times a power of ten apart) inside `[low, high]`, about `count` of them. */
export function ticks(low: number, high: number, count = 5): number[] {
  if (!(high > low)) return [low];
  const step = niceStep((high - low) / Math.max(1, count));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => cleanProduct(first + i, step));
}

/** The interval widened to the next round numbers, so that the outermost ticks lie on the frame. */
export function niceInterval(low: number, high: number, count = 5): Interval {
  if (low === high) return low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  const step = niceStep((high - low) / Math.max(1, count));
  return [
    cleanProduct(Math.floor(low / step + 1e-9), step),
    cleanProduct(Math.ceil(high / step - 1e-9), step),
  ];
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const mantissa = rough / power;
  return power * (mantissa <= 1.0001 ? 1 : mantissa <= 2.0001 ? 2 : mantissa <= 5.0001 ? 5 : 10);
}

/** `3 × 0.1` is `0.3`, not `0.30000000000000004`. */
function cleanProduct(factor: number, step: number): number {
  return Number((factor * step).toPrecision(12));
}
