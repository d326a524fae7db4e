/** Reward formulas as data: a formula can be read, logged, compared and changed without touching code. */

/** A number, the value of a named term, or a combination of formulas. `{ within: f }` clamps f to [0, 1]. */
export type Formula =
  | number
  | string
  | { readonly sum: readonly Formula[] }
  | { readonly product: readonly Formula[] }
  | { readonly within: Formula };

/**
 * The value of a formula for given term values.
 *
 * @throws RangeError when the formula names a term that `terms` lacks.
 */
export function valueOf(formula: Formula, terms: Readonly<Record<string, number>>): number {
  if (typeof formula === 'number') return formula;
  if (typeof formula === 'string') {
    const value = terms[formula];
    if (value === undefined) {
      throw new RangeError(`formula: no term "${formula}"; the terms are ${Object.keys(terms).join(', ')}`);
    }
    return value;
  }
  if ('sum' in formula) return formula.sum.reduce<number>((total, part) => total + valueOf(part, terms), 0);
  if ('product' in formula) {
    return formula.product.reduce<number>((total, part) => total * valueOf(part, terms), 1);
  }
  return Math.min(1, Math.max(0, valueOf(formula.within, terms)));
}
