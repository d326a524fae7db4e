/** What a cell of a notebook can do beside computing. Published as `posttrain/notebook`. */
export { input, interruptSignal } from './ask.js';
export {
  clearOutput,
  display,
  mimeBundle,
  type Display,
  type Displayable,
  type DisplayOptions,
} from './display.js';
export { inNotebook, isFast } from './host.js';
export type { MimeBundle, MimeData, MimeObject } from './messages.js';
