import type { LogprobScorer } from '../engine/types.js';
import { ConfigError } from './resolve-config.js';

/** @throws ConfigError when a run that goes on after `step` steps is not given the policy it started from. */
export function requireReference(reference: LogprobScorer | undefined, step: number): void {
  if (reference !== undefined || step === 0) return;
  throw new ConfigError(
    'A resumed run needs `reference`: the policy at the start of the run, not the one it has become.',
  );
}
