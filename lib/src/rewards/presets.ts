/** Reward formulas. Term names are those of `scoreTerms`; symbols in comments are the usual short ones. */
import type { Formula } from './formula.js';

/** Small flaws of style; direction counts twice because a request may ask for it. */
export const softFormula: Formula = {
  product: [
    1 / 7,
    { sum: ['crossings', 'gap', 'alignment', 'length', 'edgeLabels', 'direction', 'direction'] },
  ],
};

/** Y = overlap · fit · through · (0.4 + 0.6 soft). */
export const layoutFormula: Formula = {
  product: ['overlap', 'fit', 'through', { sum: [0.4, { product: [0.6, 'soft'] }] }],
};

/** v² makes junk actions expensive: padding a good answer with as many invalid ones loses 45 % of it. */
const cleanliness: Formula = { sum: [0.4, { product: [0.6, 'valid', 'valid'] }] };

const format: readonly Formula[] = [{ product: [0.02, 'parse'] }, { product: [0.08, 'valid'] }];

export type RewardPreset = 'gated' | 'no-layout' | 'no-gate' | 'naive';

/**
 * Formulas by preset name.
 *
 * - `gated` R = p · (0.02 + 0.08 v + (0.4 + 0.6 v²) · K · G · (0.40 + 0.50 Y)): format is worth 0.10 at most, and layout pays
 *   only in proportion to structure, so a picture of the wrong thing cannot be pretty.
 * - `no-layout` the same with Y = 1.
 * - `no-gate` the same parts added instead of multiplied.
 * - `naive` the additive reward of textbooks; it pays cheats more than right answers.
 */
export const formulas: Readonly<Record<RewardPreset, Formula>> = {
  gated: {
    product: [
      'parse',
      {
        sum: [
          ...format,
          { product: [cleanliness, 'keep', 'gate', { sum: [0.4, { product: [0.5, 'layout'] }] }] },
        ],
      },
    ],
  },
  'no-layout': {
    product: ['parse', { sum: [...format, { product: [cleanliness, 'keep', 'gate', 0.9] }] }],
  },
  'no-gate': {
    product: [
      'parse',
      {
        sum: [
          ...format,
          { product: [0.4, 'gate'] },
          { product: [0.1, 'keep'] },
          { product: [0.4, 'layout'] },
        ],
      },
    ],
  },
  naive: {
    within: {
      sum: [
        { product: [0.2, 'parse'] },
        { product: [0.2, 'valid'] },
        { product: [0.4, 'words'] },
        { product: [0.2, 'arrows'] },
        { product: [-1, 'overlaps'] },
      ],
    },
  },
};
