import type { Engine, LogprobScorer } from '../engine/types.js';
import { ConfigError } from './resolve-config.js';

/** @throws ConfigError when a run that goes on after `step` steps is not given the policy it started from. */
export function requireReference(reference: LogprobScorer | undefined, step: number): void {
  if (reference !== undefined || step === 0) return;
  throw new ConfigError(
    'A resumed run needs `reference`: the policy at the start of the run, not the one it has become.',
  );
}

/** The policy at the start of a run. */
export interface Reference extends Pick<LogprobScorer, 'logprobs'> {
  /** Frees it, unless it was given. */
  readonly close: () => void;
}

/**
 * The reference that is given, or a frozen copy of the policy.
 * @throws ConfigError when a run that goes on after `step` steps is not given the policy it started from.
 */
export async function openReference(
  { engine, reference }: { readonly engine: Engine; readonly reference?: LogprobScorer },
  step: number,
): Promise<Reference> {
  requireReference(reference, step);
  const scorer = reference ?? (await engine.reference());
  return {
    logprobs: (sequences, temperature) => scorer.logprobs(sequences, temperature),
    close: () => {
      if (reference === undefined) scorer.dispose();
    },
  };
}
