/**
 * Colours of charts and pages as CSS custom properties, light and dark.
 * The series colours keep apart for the common colour-vision deficiencies and stay above 3:1 on their background.
 */

const LIGHT = `--page:#fcfcfb;--panel:#ffffff;--ink:#1c1b1a;--ink-soft:#63615c;--line:#e3e1dc;--good:#1a7f4b;--bad:#b3362b;
--series-1:#2a6fd0;--series-2:#c2571a;--series-3:#16855c;--series-4:#8a4fc0;--series-5:#a9761a;color-scheme:light`;

const DARK = `--page:#161514;--panel:#1f1e1c;--ink:#f0eeea;--ink-soft:#aaa69e;--line:#3a3834;--good:#4cc38a;--bad:#f0796c;
--series-1:#6aa5f5;--series-2:#f0905a;--series-3:#46c090;--series-4:#bd8df0;--series-5:#dcae4e;color-scheme:dark`;

/** How many distinct series colours there are; a chart with more series should be two charts. */
export const SERIES_COLORS = 5;

/** The custom properties on `selector`; follows the reader's light or dark preference. */
export function themeCss(selector = ':root'): string {
  return `${selector}{${LIGHT}}\n@media (prefers-color-scheme:dark){${selector}{${DARK}}}`;
}

/** The custom properties of a page whose root says its theme in `data-theme`; the reader's preference where it does not, and light on paper. */
export function switchableThemeCss(): string {
  return `${themeCss()}\n:root[data-theme="light"]{${LIGHT}}\n:root[data-theme="dark"]{${DARK}}\n@media print{:root,:root[data-theme]{${LIGHT}}}`;
}

/** CSS colour of the series with this index, counted from 0. */
export function seriesColor(index: number): string {
  return `var(--series-${(index % SERIES_COLORS) + 1})`;
}

/** After these the colours begin anew, with another dash. */
const DASHES = ['', '7 5', '2 5', '11 5 2 5'] as const;

/** `stroke-dasharray` of the series with this index: lines can be told apart without their colours. */
export function seriesDash(index: number): string {
  return DASHES[index % DASHES.length]!;
}

/**
 * The custom properties on `selector` inside a page that is not ours: it follows what JupyterLab, VS Code or an attribute
 * `data-theme` say, and the reader's preference where none of them speaks.
 */
export function embeddedThemeCss(selector: string): string {
  const within = (...themes: readonly string[]): string =>
    themes.map((theme) => `${theme} ${selector}`).join(',');
  return `${themeCss(selector)}
${within('[data-jp-theme-light="true"]', '.vscode-light', '[data-theme="light"]')}{${LIGHT}}
${within('[data-jp-theme-light="false"]', '.vscode-dark', '[data-theme="dark"]')}{${DARK}}`;
}

/** How chart elements look; shared by pages (once, in their head) and standalone files. */
export const CHART_CSS = `.chart{font:12px system-ui,sans-serif;max-width:100%;height:auto}
.chart text{fill:var(--ink-soft)}.chart .chart-title{fill:var(--ink);font-weight:600;font-size:13px}
.chart .grid{stroke:var(--line);stroke-width:1}.chart .axis{stroke:var(--ink-soft);stroke-width:1}
.chart .line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.chart .faint{stroke-width:1;opacity:.35}
.chart .band{opacity:.16;stroke:none}`;

/** A chart made by this room as a file of its own: the theme travels inside it. */
export function standaloneSvg(svg: string): string {
  const css = `${themeCss('.chart')}\n${CHART_CSS}\n.chart{background:var(--page)}`;
  return svg.replace(/^(<svg[^>]*>)/, `$1<style>${css}</style>`);
}
