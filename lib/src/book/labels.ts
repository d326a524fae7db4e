/** Numbers of equations and figures: `6.2` is the second of chapter 6. */
import type { Token } from 'markdown-it';
import type { Problems } from './problems.js';
import { everyToken, note } from './tokens.js';

export interface Label {
  readonly kind: 'equation' | 'figure';
  /** `6.2` */
  readonly number: string;
  /** The equation's or figure's own token. */
  readonly token: Token;
}

/** By the anchor: `eq-advantage`, `fig-06-learning`. */
export type Labels = ReadonlyMap<string, Label>;

export function numberLabels(tokens: readonly Token[], ordinal: string, problems: Problems): Labels {
  const labels = new Map<string, Label>();
  const counts = { equation: 0, figure: 0 };
  for (const token of everyToken(tokens)) {
    const kind = token.type === 'figure' ? 'figure' : 'equation';
    const id =
      kind === 'figure'
        ? figureId(token)
        : token.type === 'math_block'
          ? note(token, 'label')?.id
          : undefined;
    if (id === undefined) continue;
    counts[kind] += 1;
    if (labels.has(id)) problems.add(note(token, 'place'), `there is a ${kind} #${id} already`);
    labels.set(id, { kind, number: `${ordinal}.${counts[kind]}`, token });
  }
  return labels;
}

/** `figures/06-learning.yaml`, as the chapter has it. */
export function figureFile(token: Token): string {
  return String(token.attrGet('src'));
}

/** `fig-NAME` of `figures/NAME.yaml` and `../data/results/NAME.svg`. */
export function figureId(token: Token): string {
  const name = figureFile(token)
    .split('/')
    .at(-1)!
    .replace(/\.\w+$/, '');
  return `fig-${name}`;
}
