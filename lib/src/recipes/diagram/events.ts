import type { Canvas } from '../../envs/diagram/types.js';
import type { StageName } from './recipe.js';

/** A reply of the policy and what became of it, for people to look at. */
export interface Drawing {
  readonly request: string;
  /** Absent when the reply could not be read. */
  readonly canvas?: Canvas;
  readonly reward: number;
  readonly success: boolean;
}

/** What happens during a run, as the pipeline tells it. */
export type RunEvent =
  | { readonly kind: 'stage'; readonly stage: StageName; readonly state: 'skipped' | 'started' | 'finished' }
  | {
      readonly kind: 'step';
      readonly stage: StageName;
      /** Steps finished, from 1. */
      readonly step: number;
      readonly totalSteps: number;
      readonly metrics: Readonly<Record<string, number>>;
      readonly drawing?: Drawing;
      /** What is being done, when the stage has parts. */
      readonly note?: string;
    };
