import { escapeMarkup } from '../markup.js';
import { COMPLETIONS_CSS } from './completions.js';
import { CHART_CSS, themeCss } from './theme.js';

export interface PageSection {
  readonly heading: string;
  /** Ready HTML: made by this room's functions, or escaped by the caller. */
  readonly html: string;
}

export interface Page {
  readonly title: string;
  /** What the page shows, in one or two sentences; plain text. */
  readonly summary: string;
  readonly sections: readonly PageSection[];
}

const CSS = `*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:1000px;margin:0 auto;padding:32px 20px 64px}h1{font-size:28px;line-height:1.2;margin:0 0 12px}
h2{font-size:20px;margin:40px 0 12px}p{max-width:72ch}.soft,figcaption{color:var(--ink-soft)}.lead{font-size:18px}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--ink-soft);padding-bottom:6px}th,td{padding:5px 12px 5px 0;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:600}.number{text-align:right}.good{color:var(--good)}.bad{color:var(--bad)}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,430px),1fr));gap:20px}
.charts figure,.drawing{margin:0;background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:12px}
.request{font-weight:600;margin:28px 0 8px}.drawings{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,260px),1fr));gap:14px}
.drawing{display:flex;flex-direction:column;gap:8px}.drawing svg{display:block;width:100%;height:auto;max-height:240px;margin:auto}
.drawing figcaption{font-size:13px;margin-top:auto}
.nothing{display:grid;place-items:center;min-height:120px;color:var(--ink-soft);font-size:14px}
pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:12px;overflow-x:auto;font:12.5px/1.5 ui-monospace,monospace}
@media print{h2{break-after:avoid}.drawings,figure{break-inside:avoid}}`;

/** A page that needs nothing else: no script, no font, no request to anywhere. */
export function pageHtml(page: Page): string {
  const sections = page.sections.map(
    (s) => `<section>\n<h2>${escapeMarkup(s.heading)}</h2>\n${s.html}\n</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escapeMarkup(page.title)}</title>
<style>
${themeCss()}
${CSS}
${CHART_CSS}
${COMPLETIONS_CSS}
</style>
</head>
<body><main>
<h1>${escapeMarkup(page.title)}</h1>
<p class="lead">${escapeMarkup(page.summary)}</p>
${sections.join('\n')}
</main></body>
</html>
`;
}

/** Charts side by side, as many as fit. */
export function chartGrid(charts: readonly string[]): string {
  return `<div class="charts">${charts.map((svg) => `<figure>${svg}</figure>`).join('\n')}</div>`;
}

export interface Drawing {
  /** Who drew it, e.g. `SFT`. */
  readonly by: string;
  /** `<svg>` from the environment's renderer; absent when the reply could not be read. */
  readonly svg?: string;
  /** What is wrong or right about it. */
  readonly verdict: string;
  readonly success: boolean;
}

/** One request and what several policies drew for it, side by side. */
export function drawingRow(request: string, drawings: readonly Drawing[]): string {
  const figures = drawings.map(
    ({ by, svg, verdict, success }) =>
      `<figure class="drawing">${svg ?? '<div class="nothing">no readable drawing</div>'}<figcaption>` +
      `<b>${escapeMarkup(by)}</b> <span class="${success ? 'good' : 'bad'}">${success ? '✓' : '✗'}</span> ${escapeMarkup(verdict)}</figcaption></figure>`,
  );
  return `<p class="request">${escapeMarkup(request)}</p>\n<div class="drawings">${figures.join('\n')}</div>`;
}
