/** Rules that a task states differently from usual: then they are part of what was asked. */
import { defaultRules } from '../envs/diagram/canvas.js';
import type { Rules, TermValue } from '../envs/diagram/types.js';
import type { Drawing } from './drawing.js';

/**
 * `rules`: mean obedience to the changed gap and grid; 1 when both are the usual ones, which are house style and no
 * more. Canvas size is enforced by the canvas itself, the decision shape by the wanted nodes.
 *
 * @param gap Value of the `gap` term, in [0, 1].
 */
export function ruleTerm(rules: Rules, drawing: Drawing, gap: number): TermValue {
  const obedience: number[] = [];
  const evidence: string[] = [];
  if (rules.minGap !== defaultRules.minGap) {
    obedience.push(gap);
    if (gap < 1) evidence.push(`boxes are closer than ${rules.minGap} px`);
  }
  if (rules.grid !== defaultRules.grid) {
    const off = drawing.boxes.filter(({ shape: { x, y } }) =>
      [x, y].some((value) => value % rules.grid !== 0),
    );
    obedience.push(drawing.boxes.length === 0 ? 1 : 1 - off.length / drawing.boxes.length);
    evidence.push(...off.map(({ shape }) => `${shape.id} is off the ${rules.grid} px grid`));
  }
  const total = obedience.reduce((sum, value) => sum + value, 0);
  return { value: obedience.length === 0 ? 1 : total / obedience.length, evidence };
}
