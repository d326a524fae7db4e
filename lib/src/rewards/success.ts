/** Success: the strict yes or no that is reported. The reward may be gamed by degrees; this may not. */
import type { ActionLog, TermValue } from '../envs/diagram/types.js';

/** Terms that must be perfect. Any real fault costs more than rounding: the smallest, one arrow label of 128, costs 4e-4. */
const required = [
  'nodes',
  'edges',
  'members',
  'changes',
  'keep',
  'overlap',
  'fit',
  'through',
  'edgeLabels',
  'direction',
  'rules',
] as const;

const rounding = 1e-9;
/** Arrows may be this much longer than comfortable (1 / 0.6). */
const leastLength = 0.6;

/** Whether the drawing is exactly what was requested and can be read: no error code and every hard term perfect. */
export function succeeds(terms: Readonly<Record<string, TermValue>>, log: ActionLog): boolean {
  return (
    log.parsed &&
    log.errors.length === 0 &&
    required.every((name) => terms[name]!.value >= 1 - rounding) &&
    terms['length']!.value >= leastLength
  );
}
