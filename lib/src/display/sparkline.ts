const BARS = '▁▂▃▄▅▆▇█';

/** The last `width` values as a row of bars, lowest to highest in view; empty when there is nothing finite. */
export function sparkline(values: readonly number[], width: number): string {
  const shown = values.filter(Number.isFinite).slice(-width);
  const low = Math.min(...shown);
  const span = Math.max(...shown) - low;
  return shown.map((v) => BARS[span === 0 ? 0 : Math.round(((v - low) / span) * (BARS.length - 1))]).join('');
}
