/**
 * Data as a classic script that calls or sets a global: pages opened from `file://` may not fetch, but they may load scripts.
 * `<` is escaped so that the text may also stand inside of HTML.
 */
export function dataScript(global: string, data: unknown): string {
  return `globalThis.${global}=${JSON.stringify(data).replaceAll('<', '\\u003c')};\n`;
}
