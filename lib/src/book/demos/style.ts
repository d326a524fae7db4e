/** How demos look, with the custom properties of the page's theme (`display/theme.ts`); charts look as `CHART_CSS` says. */
export const DEMO_CSS: string = `.demo{container-type:inline-size;background:var(--panel);color:var(--ink);border:1px solid var(--line);border-radius:10px;padding:16px;margin:28px 0;font:15px/1.5 system-ui,sans-serif}
.demo *{box-sizing:border-box}.demo p{margin:0 0 10px;max-width:none}
.demo .demo-title{font-size:17px;font-weight:650;line-height:1.3;margin:0 0 4px}
.demo-mark{display:inline-block;font-size:11px;font-weight:700;letter-spacing:.06em;text-transform:uppercase;color:var(--panel);background:var(--series-1);border-radius:4px;padding:1px 6px;margin-right:4px;vertical-align:2px}
.demo-question{color:var(--ink-soft)}
.demo fieldset{border:0;margin:0;padding:0;min-width:0}
.demo-legend{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.demo-spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.demo-controls{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,250px),1fr));gap:10px 24px;margin:0 0 12px}
.demo-control{display:grid;gap:2px;align-content:end;min-width:0;font-size:14px}
.demo-range{grid-template-columns:1fr auto;column-gap:10px}.demo-range label{align-self:end}
.demo-range output{font-variant-numeric:tabular-nums;font-weight:600;align-self:end;white-space:nowrap}
.demo-range input{grid-column:1/-1;width:100%;height:28px;margin:0;accent-color:var(--series-1);cursor:pointer}
.demo-switch{grid-template-columns:auto 1fr;align-items:center;align-content:center;gap:8px}.demo-switch input{width:24px;height:24px;margin:0;accent-color:var(--series-1)}
.demo-text{grid-column:1/-1}
.demo select,.demo input[type=text],.demo textarea{font:inherit;font-size:14px;color:var(--ink);background:var(--page);border:1px solid var(--ink-soft);border-radius:6px;padding:5px 8px;min-height:34px;width:100%;max-width:100%}
.demo textarea{font:12.5px/1.5 ui-monospace,monospace;resize:vertical}
.demo-buttons{display:flex;flex-wrap:wrap;gap:8px;align-items:center;min-height:34px}
.demo button{font:inherit;font-size:14px;min-height:32px;min-width:32px;padding:4px 12px;border:1px solid var(--ink-soft);border-radius:6px;background:var(--page);color:var(--ink);cursor:pointer}
.demo .demo-run{background:var(--ink);border-color:var(--ink);color:var(--page);font-weight:600}
.demo button[aria-disabled=true]{color:var(--ink-soft);border-color:var(--line);cursor:default}
.demo button:hover:not([aria-disabled=true]):not(:disabled){border-color:var(--series-1)}
.demo :focus-visible{outline:2px solid var(--series-1);outline-offset:2px}
.demo-progress{flex:1 1 90px;max-width:200px;accent-color:var(--series-1)}.demo-state{color:var(--ink-soft);font-size:13px}
.demo-error:empty,.demo-words:empty,.demo-views:empty{display:none}
.demo-error{color:var(--bad);border-left:3px solid var(--bad);padding-left:10px;overflow-wrap:anywhere}
.demo-note{color:var(--ink-soft);border-left:3px solid var(--line);padding-left:10px}
.demo-views{display:flex;flex-wrap:wrap;gap:14px 20px;margin:0 0 10px}.demo-view{flex:1 1 100%;min-width:0;overflow-wrap:anywhere}
.demo-view:has(>.demo-half){flex:1 1 300px}.demo-wide>svg,.demo-narrow>svg,.demo-half>svg{display:block;max-width:100%;height:auto}.demo-narrow{display:none}
@container(max-width:560px){.demo-wide{display:none}.demo-narrow{display:block}}
.demo-drawing svg{display:block;max-width:100%;max-height:340px;height:auto;margin:auto}
.demo-scroll{overflow-x:auto}.demo-words{border-left:3px solid var(--series-1);padding-left:10px}
.demo-data summary{cursor:pointer;color:var(--ink-soft);font-size:13px;min-height:24px}
.demo table{overflow-wrap:normal;border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums;margin:4px 0}
.demo caption{text-align:left;color:var(--ink-soft);padding-bottom:4px}
.demo th,.demo td{padding:4px 12px 4px 0;text-align:left;vertical-align:top;border:0;border-bottom:1px solid var(--line);background:none;font-weight:400}
.demo thead th{font-weight:600}.demo .number{text-align:right}.demo-shares th.number{text-align:right}
.demo-shares{width:100%;min-width:300px}.demo-share{display:grid;gap:2px}
.demo-bar{display:block;height:7px;border-radius:2px;background:var(--series-1);min-width:1px}.demo-bar-2{background:repeating-linear-gradient(90deg,var(--series-2) 0 5px,transparent 5px 7px)}
.demo td:last-child:not(.number){min-width:13ch}.demo .good{color:var(--good)}.demo .bad{color:var(--bad)}
.demo-pad{display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin:0 0 8px}.demo-pad-legend{color:var(--ink-soft);font-size:13px;margin-right:4px}
.demo-quote{white-space:pre-line;background:var(--page);border:1px solid var(--line);border-radius:6px;padding:8px 12px}
.demo pre{font:12px/1.5 ui-monospace,monospace;margin:0;padding:8px 10px;background:var(--page);color:var(--ink);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
.demo .demo-caption{color:var(--ink-soft);font-size:13.5px;margin:0 0 4px}.demo-reply{max-height:190px;overflow-y:auto}
.demo-gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,260px),1fr));gap:12px}
.demo-gallery figure{margin:0;padding:8px;border:1px solid var(--line);border-radius:6px;display:flex;flex-direction:column;gap:6px}.demo-gallery .demo-rejected{border-style:dashed}
.demo-gallery svg{display:block;max-width:100%;max-height:150px;height:auto;margin:auto}.demo-gallery figure>div{margin:auto 0}.demo-gallery figcaption{font-size:13px}
.demo-tokens{font:13px/2.1 ui-monospace,monospace;overflow-wrap:anywhere}.demo-token{white-space:pre-wrap;padding:1px 2px;border-radius:3px;margin-right:2px}
.demo-trained{background:color-mix(in srgb,var(--series-3) 16%,transparent);border-bottom:2px solid var(--series-3)}.demo-untrained{color:var(--ink-soft);border-bottom:2px solid transparent}.demo-cut{color:var(--bad);font-weight:600}.demo-key{font-size:13px}
@media print{.demo{break-inside:avoid}.demo-buttons,.demo-hint,.demo-data{display:none}}`;
