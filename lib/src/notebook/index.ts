/** What a cell of a notebook can do beside computing. Published as `posttrain/notebook`. */
export type { CaptionedCanvas, Figure, TableRecord } from '../display/index.js';
export { input, interruptSignal } from './ask.js';
export { check, CheckFailed, exercise, type Exercise } from './check.js';
export {
  clearOutput,
  display,
  mimeBundle,
  type Display,
  type Displayable,
  type DisplayOptions,
} from './display.js';
export { inNotebook, isFast } from './host.js';
export { livePlot, type LivePlot, type LivePlotOptions } from './live-plot.js';
export type { MimeBundle, MimeData, MimeObject } from './messages.js';
export { progress, type ProgressOptions } from './progress.js';
export type { ResultInterval, Results } from './results.js';
export { saveResults } from './save-results.js';
export { setup, type Setup } from './setup.js';
export { completions, diagram, show, table, type Shown } from './show.js';
