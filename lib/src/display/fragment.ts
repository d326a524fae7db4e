import { COMPLETIONS_CSS } from './completions.js';
import { CHART_CSS, embeddedThemeCss } from './theme.js';

/** JupyterLab has looks for tables of its own, which are stronger than a single class. */
const IN = '.posttrain.posttrain';

const CSS = `.posttrain{color:var(--ink);font:14px/1.5 system-ui,sans-serif}
.posttrain figure{margin:0}.posttrain figcaption,.posttrain .soft{color:var(--ink-soft);max-width:72ch;font-size:13px}
.posttrain .scroll{overflow-x:auto}.posttrain summary{cursor:pointer;color:var(--ink-soft);font-size:13px}
.posttrain .line{white-space:pre-wrap}.posttrain progress{accent-color:var(--series-1);vertical-align:middle}
.posttrain .good{color:var(--good)}.posttrain .bad{color:var(--bad)}
${IN} table{border-collapse:collapse;margin:4px 0;font-size:13px;font-variant-numeric:tabular-nums;color:var(--ink);border:0}
${IN} caption{caption-side:top;text-align:left;color:var(--ink-soft);padding-bottom:4px;width:max-content;max-width:72ch}
${IN} tr,${IN} tr:nth-child(n),${IN} tr:hover{background:none}
${IN} th,${IN} td{padding:3px 14px 3px 0;text-align:left;vertical-align:top;border:0;border-bottom:1px solid var(--line);white-space:nowrap;max-width:none}
${IN} th{font-weight:600}${IN} .number{text-align:right}${IN} .completion{white-space:pre-wrap;min-width:52ch}
.posttrain .drawings{display:flex;flex-wrap:wrap;gap:18px;align-items:flex-end}.posttrain .drawings svg{max-width:100%;height:auto}
.posttrain .several figure{max-width:340px}.posttrain .several svg{max-height:300px;width:auto}`;

/** A piece of a page that is not ours, such as a cell's output: the looks travel inside it. */
export function fragmentHtml(html: string): string {
  return `<div class="posttrain"><style>${embeddedThemeCss('.posttrain')}\n${CSS}\n${CHART_CSS}\n${COMPLETIONS_CSS}</style>${html}</div>`;
}
