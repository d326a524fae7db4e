/** The names of splits and profiles. What a split admits is in `admission.ts`. */

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

/** The splits that the full profile has: all that are generated. */
export const fullSplits: readonly GeneratedSplit[] = splits.filter((split) => split !== 'real');

/** The splits that the curriculum profile has; the others need what it leaves out (edits, Chinese, cycles). */
export const curriculumSplits: readonly GeneratedSplit[] = [
  'train',
  'id',
  'ood-vocab',
  'ood-size',
  'ood-phrase',
  'ood-rule',
];
