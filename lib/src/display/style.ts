/** Colours of the terminal, or none. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly accent: (text: string) => string;
}

export function createStyle(color: boolean): Style {
  const paint = (code: number) => (text: string) =>
    color && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
  return { bold: paint(1), dim: paint(2), good: paint(32), bad: paint(31), accent: paint(36) };
}

/** Colour only on a terminal that can show it, and never when `NO_COLOR` is set to anything (no-color.org). */
export function wantsColor(
  isTTY: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTTY && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
}
