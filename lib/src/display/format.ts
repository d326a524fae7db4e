/** Numbers as people read them. */

/** `0.3125` → `31.3 %`. */
export function percent(share: number, digits = 1): string {
  return `${(share * 100).toFixed(digits)} %`;
}

/** A share with its interval: `31.3 % (25–38)`, in percent. */
export function percentWithInterval(share: number, low: number, high: number): string {
  return `${percent(share)} (${(low * 100).toFixed(0)}–${(high * 100).toFixed(0)})`;
}

/** Milliseconds as the two largest units: `820 ms` → `0.8 s`, `75 s` → `1 min 15 s`, `2 h 03 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 59.5) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
}

/** Bytes in binary units: `1536` → `1.5 KiB`. */
export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10));
  return `${(count / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** A number short enough for an axis or a status line: three significant digits or all before the point, `1.02e6` when huge, `1.2e-5` when tiny. */
export function short(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return value.toExponential(2).replace(/\.?0*e\+?/, 'e');
  return String(size >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
