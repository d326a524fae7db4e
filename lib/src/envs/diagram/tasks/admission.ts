/**
 * Which tasks a split admits. A labelled graph belongs to training or to evaluation for ever, whatever the seed, because
 * a hash of the graph itself decides; tasks are drawn again until one is admitted.
 */
import type { ExpectedGraph } from '../types.js';
import { bucketOf, graphKey, hasHeldOutStructure, textKey } from './canon.js';
import type { GeneratedSplit } from './splits.js';

/** Of `BUCKETS`: five for training, three for evaluation. */
const training: readonly number[] = [0, 1, 2, 3, 4];
const evaluation: readonly number[] = [5, 6, 7];

/** Splits whose graphs are of the same kind have a bucket each; the other ones differ by construction. */
const graphBuckets: Readonly<Partial<Record<GeneratedSplit, readonly number[]>>> = {
  train: training,
  id: [5],
  'ood-phrase': [6],
  'ood-rule': [7],
};

export function admitsGraph(split: GeneratedSplit, graph: ExpectedGraph): boolean {
  return (
    (graphBuckets[split] ?? evaluation).includes(bucketOf(graphKey(graph))) &&
    hasHeldOutStructure(graph) === (split === 'ood-topology')
  );
}

/** For requests that do not tell the whole graph, so that equal words may go with different graphs: edits. */
export function admitsText(split: GeneratedSplit, request: string): boolean {
  return (split === 'train' ? training : evaluation).includes(bucketOf(textKey(request)));
}
