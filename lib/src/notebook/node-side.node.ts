/** What the verbs of a cell need from Node. */
export { packageVersion } from '../version.node.js';
export { readResults, recordedFile, runFile, shownPath, writeResults } from './results-files.node.js';
