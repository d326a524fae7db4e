import { fragmentHtml, recordTable, tableToHtml, tableToText } from '../display/index.js';
import { isFast, isRecording } from './host.js';
import { nodeSide } from './node-side.js';
import { present } from './present.js';
import {
  compareResults,
  comparedRow,
  flattened,
  type Results,
  RESULTS_TYPE,
  resultsReport,
} from './results.js';

/**
 * Writes what a notebook found to `runs/notebooks/NAME.json`, and compares it with what is recorded in `data/results/NAME.json`, both in
 * the nearest folder that has `data/results`. `posttrain notebook run --record` writes the recorded file, too. A fast run only writes,
 * to `NAME-fast.json`: its numbers mean nothing.
 * @throws TypeError for what is no result, naming it.
 */
export async function saveResults(name: string, results: Results): Promise<void> {
  if (!/^[\w-]+$/.test(name))
    throw new TypeError(`saveResults: "${name}" is no name; use letters, digits, - and _, e.g. "01"`);
  flattened(results);
  const node = await nodeSide('saveResults');
  const folder = process.cwd();
  const [file, recordedFile] = [node.runFile(folder, name, isFast()), node.recordedFile(folder, name)];
  node.writeResults(file, results);
  if (isRecording()) node.writeResults(recordedFile, results);
  const recorded = isFast() || isRecording() ? undefined : node.readResults(recordedFile);
  const compared = compareResults(results, recorded ?? {});
  const [written, beside] = [file, recordedFile].map((path) => node.shownPath(folder, path));
  const note = isRecording()
    ? `Recorded in ${beside}`
    : isFast()
      ? `Written to ${written}; a fast run is too short to be compared with what was recorded`
      : recorded === undefined
        ? `Written to ${written}; there is no ${beside} to compare it with`
        : `Written to ${written}, and compared with ${beside}`;
  const columns = recorded === undefined ? ['result', 'now'] : ['result', 'now', 'recorded', 'within it'];
  const table = recordTable(compared.map(comparedRow), { caption: note, columns });
  present({
    [RESULTS_TYPE]: resultsReport(name, compared),
    'text/html': fragmentHtml(`<div class="scroll" tabindex="0">${tableToHtml(table)}</div>`),
    'text/plain': tableToText(table),
  });
}
