import { existsSync, rmSync } from 'node:fs';
import { readCheckpoint, writeCheckpoint } from '../../engine/checkpoint.node.js';
import type { Engine } from '../../engine/index.js';
import { appendMetrics, truncateMetrics } from './metrics-log.node.js';
import type { StageContext } from './stage.node.js';

/** What all trainers yield. */
interface TrainerStep<S> {
  readonly step: number;
  readonly totalSteps: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly state: S;
}

export interface Training<S, Step extends TrainerStep<S>> {
  readonly stage: 'sft' | 'grpo';
  readonly engine: Engine;
  /** Starts the trainer, at `state` when there is one. */
  readonly start: (state: S | undefined) => AsyncGenerator<Step, void, void>;
  /** Forgets whatever `onStep` wrote after this step. */
  readonly rewind?: (step: number) => void;
  readonly onStep: (step: Step) => void | Promise<void>;
}

/**
 * Drives a trainer to its end, or to the step after which `signal` was aborted, with a resumable checkpoint every few steps.
 * A run that was killed goes on from the last checkpoint to the same weights and the same log, bit for bit.
 */
export async function train<S, Step extends TrainerStep<S>>(
  { folder, config, signal }: StageContext,
  { stage, engine, start, rewind, onStep }: Training<S, Step>,
): Promise<void> {
  const path = folder.trainerState(stage);
  const saved = existsSync(path)
    ? readCheckpoint<{ readonly step: number; readonly state: S }>(path)
    : undefined;
  if (saved !== undefined) await engine.load(saved.engine);
  truncateMetrics(folder.metrics, stage, saved?.trainer.step ?? 0);
  rewind?.(saved?.trainer.step ?? 0);

  const save = async ({ step, state }: Step): Promise<void> =>
    writeCheckpoint(path, { engine: await engine.save(), trainer: { step, state } });
  for await (const step of start(saved?.trainer.state)) {
    appendMetrics(folder.metrics, { stage, step: step.step, metrics: step.metrics });
    await onStep(step);
    if (signal.aborted || step.step % config.recipe.checkpointEvery === 0) await save(step);
  }
}

/** Once the finished checkpoint is written, the state on the way to it is of no more use. */
export function dropTrainerState({ folder }: StageContext, stage: 'sft' | 'grpo'): void {
  rmSync(folder.trainerState(stage), { force: true });
}
