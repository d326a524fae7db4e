/** The rules a task states. Training sees R0 only; `ood-rule` changes one of them (R1) and states it in the same place. */
import type { RandomStream } from '../../../tensor/random.js';
import { defaultRules } from '../canvas.js';
import type { Direction, Rules } from '../types.js';
import { chance } from './phrases.js';

export interface RuleChoice {
  readonly rules: Rules;
  /** Flow direction, for graphs without cycles that have one. */
  readonly direction?: Direction;
  readonly name: string;
}

/** R0 with the direction that pictures of this kind have. */
export function usualRules(direction: Direction | undefined): RuleChoice {
  return { rules: defaultRules, ...(direction && { direction }), name: 'R0' };
}

const directions: readonly Direction[] = ['LR', 'RL', 'TB', 'BT'];

/** R0 with one value changed. `trained` are the directions that training shows for this kind of picture. */
export function changedRules(
  direction: Direction | undefined,
  trained: readonly Direction[],
  hasDecision: boolean,
  random: RandomStream,
): RuleChoice {
  const usual = usualRules(direction);
  const change = (name: string, rules: Partial<Rules>): RuleChoice => ({
    ...usual,
    rules: { ...defaultRules, ...rules },
    name: `R1-${name}`,
  });
  if (hasDecision && chance(random, 0.5)) return change('decision', { decisionShape: 'ellipse' });
  return random.pick([
    ...(direction ? directions.filter((other) => !trained.includes(other)) : []).map((other): RuleChoice => ({
      rules: defaultRules,
      direction: other,
      name: 'R1-direction',
    })),
    change('canvas', { canvasWidth: 1000, canvasHeight: 700 }),
    change('canvas', { canvasWidth: 700, canvasHeight: 1400 }),
    change('gap', { minGap: 60 }),
    change('grid', { grid: 25 }),
  ]);
}
