/** What each split may contain. Splits that must differ differ by construction, see `graphLane` and the fields below. */

export const splits = [
  'train',
  'id',
  'ood-vocab',
  'ood-size',
  'ood-topology',
  'ood-phrase',
  'ood-rule',
  'ood-lang',
  'ood-edit',
  'real',
] as const;

export type Split = (typeof splits)[number];
export type GeneratedSplit = Exclude<Split, 'real'>;

/** `full`: everything. `curriculum`: 3-5 nodes, plain words, short English requests, for a model of a million parameters. */
export type Profile = 'full' | 'curriculum';

/** How many tasks of each split a data set or an evaluation has. */
export const splitSizes: Readonly<Record<Split, number>> = {
  train: 20_000,
  id: 500,
  'ood-vocab': 300,
  'ood-size': 300,
  'ood-topology': 300,
  'ood-phrase': 300,
  'ood-rule': 300,
  'ood-lang': 300,
  'ood-edit': 200,
  real: 20,
};

/** The splits that the curriculum profile has; the others need what it leaves out (edits, Chinese, cycles). */
export const curriculumSplits: readonly GeneratedSplit[] = [
  'train',
  'id',
  'ood-vocab',
  'ood-size',
  'ood-phrase',
  'ood-rule',
];

/**
 * Buckets of `bucketOf(graphKey)` a split may use: a labelled graph belongs to training or to evaluation for ever,
 * whatever the seed. `id`, `ood-phrase` and `ood-rule` share the kind of graph, so they have a bucket each.
 */
const lanes: Readonly<Partial<Record<GeneratedSplit, readonly number[]>>> = {
  train: [0, 1, 2, 3, 4],
  id: [5],
  'ood-phrase': [6],
  'ood-rule': [7],
};

const evaluation = [5, 6, 7] as const;

export function graphLane(split: GeneratedSplit): readonly number[] {
  return lanes[split] ?? evaluation;
}

/** The same for the words of edits, which may be equal for different graphs: training has its own. */
export function textLane(split: GeneratedSplit): readonly number[] {
  return split === 'train' ? lanes.train! : evaluation;
}
