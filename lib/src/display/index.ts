export { canvasArt } from './canvas-art.js';
export { cellWidth, fitToWidth, padToWidth } from './cells.js';
export { COMPLETIONS_CSS, type CompletionRow, completionsToHtml, completionsToText } from './completions.js';
export { type CaptionedCanvas, drawingsBundle, isCanvas } from './drawings.js';
export { type Figure, figureBundle, figureSvg, isFigure, MOST_POINTS } from './figure.js';
export { figureTable } from './figure-table.js';
export { figureText } from './figure-text.js';
export { bytes, duration, percent, percentWithInterval, short } from './format.js';
export { fragmentHtml } from './fragment.js';
export { lineChart, type LineChart, type Point, type Series } from './line-chart.js';
export { dotPlot, type Dot, type DotPlot } from './dot-plot.js';
export { createLive, type Live, type LiveOptions, type Output } from './live.js';
export type { MimeBundle, MimeData, MimeObject } from './mime.js';
export { chartGrid, drawingRow, pageHtml, type Drawing, type Page, type PageSection } from './page.js';
export { plainLine, runLines, type RunView } from './progress.js';
export { plotlySpec } from './plotly.js';
export { recordTable, type RecordTableOptions, type TableRecord } from './records.js';
export { trailingMean } from './smooth.js';
export { sparkline } from './sparkline.js';
export { createStyle, wantsColor, type Style } from './style.js';
export { tableToHtml, tableToText, type Column, type Table } from './table.js';
export { isTable, tableBundle } from './table-bundle.js';
export { embeddedThemeCss, standaloneSvg, themeCss } from './theme.js';
export { thinned } from './thin.js';
export { type StripToken, type TokenStrip, tokenStripSvg, tokenStripText } from './token-strip.js';
export {
  valueMapSvg,
  type Passage,
  type ValuedPlace,
  type ValueMap,
  type ValuePanel,
  type ValueRow,
} from './value-map.js';
export { valueMapText } from './value-map-text.js';
