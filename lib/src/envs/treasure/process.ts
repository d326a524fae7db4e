/** The treasure hunt as a table of states and actions. */
import type { DecisionProcess } from '../decision-process.js';
import { treasureActions } from './commands.js';
import { treasureRewards, treasureStep, type TreasureRules } from './rules.js';
import { treasureAgentKey, treasureStart, treasureStateKey, type TreasureState } from './state.js';

/** The rules with defaults filled in. Throws when `maxMoves` is not a positive integer. */
export function treasureRules({
  payOnce = false,
  maxMoves = 50,
  stochastic = false,
}: Partial<TreasureRules>): TreasureRules {
  if (!Number.isInteger(maxMoves) || maxMoves < 1)
    throw new RangeError(`maxMoves is ${maxMoves}, expected a positive integer.`);
  return { payOnce, maxMoves, stochastic };
}

/** The hunt as a decision process, for tabular methods. Throws when `maxMoves` is not a positive integer. */
export function treasureProcess(options: Partial<TreasureRules> = {}): DecisionProcess<TreasureState> {
  const rules = treasureRules(options);
  return {
    start: treasureStart,
    horizon: { moves: rules.maxMoves, reward: treasureRewards.timeout },
    actions: treasureActions,
    step: (state, action, random) => treasureStep(state, action, rules, random),
    key: treasureStateKey,
    observe: treasureAgentKey,
  };
}
