/** The rules a task states. Training sees R0 only; `ood-rule` changes one of them (R1) and states it in the same place. */
import type { RandomStream } from '../../../tensor/random.js';
import { defaultRules } from '../canvas.js';
import type { Direction, Rules } from '../types.js';

export interface RuleChoice {
  readonly rules: Rules;
  /** Flow direction, for graphs without cycles. */
  readonly direction: Direction;
  readonly name: string;
}

/** R0 with the family's usual direction. */
export function usualRules(direction: Direction): RuleChoice {
  return { rules: defaultRules, direction, name: 'R0' };
}

/**
 * One changed rule. `usual` is the direction the family has in training; a tall canvas comes with a flow downwards,
 * because five boxes in a row do not fit into 700 pixels.
 */
export function changedRules(usual: Direction, hasDecision: boolean, random: RandomStream): RuleChoice {
  const changes: readonly RuleChoice[] = [
    { rules: defaultRules, direction: 'RL', name: 'R1-direction' },
    { rules: defaultRules, direction: 'BT', name: 'R1-direction' },
    { rules: { ...defaultRules, canvasWidth: 1000, canvasHeight: 700 }, direction: usual, name: 'R1-canvas' },
    { rules: { ...defaultRules, canvasWidth: 700, canvasHeight: 1400 }, direction: 'TB', name: 'R1-canvas' },
    { rules: { ...defaultRules, minGap: 60 }, direction: usual, name: 'R1-gap' },
    { rules: { ...defaultRules, grid: 25 }, direction: usual, name: 'R1-grid' },
  ];
  if (hasDecision && random.uniform() < 0.5)
    return { rules: { ...defaultRules, decisionShape: 'ellipse' }, direction: usual, name: 'R1-decision' };
  return random.pick(changes);
}
