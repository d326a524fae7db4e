/** All numbers of the diagram pipeline in one place. */

export const stageNames = ['teacher', 'sft', 'grpo', 'evaluate', 'report'] as const;
export type StageName = (typeof stageNames)[number];

/** Which reward GRPO climbs; evaluation always reports `success` and the gated reward besides. */
export type RewardName = 'gated' | 'naive' | 'no-layout' | 'no-gate';

export interface DiagramRecipe {
  /** Which tasks the teacher and GRPO train on: small diagrams of a few families, or everything. */
  readonly profile: 'curriculum' | 'full';
  readonly reward: RewardName;
  /** Where GRPO starts: from the SFT checkpoint, or from the base to show why SFT comes first. */
  readonly grpoFrom: 'sft' | 'base';
  readonly teacher: {
    readonly tasks: number;
    /** Different good drawings kept of each task. */
    readonly drawingsPerTask: number;
  };
  readonly sft: {
    readonly steps: number;
    /** Sequences a step. */
    readonly batchSize: number;
    readonly learningRate: number;
    readonly warmupSteps: number;
  };
  readonly grpo: {
    readonly steps: number;
    readonly promptsPerStep: number;
    readonly numGenerations: number;
    readonly learningRate: number;
    readonly warmupSteps: number;
    readonly temperature: number;
    /** Weight of the KL term against the SFT policy; 0 turns it off. */
    readonly beta: number;
    readonly epsilon: number;
    readonly maxCompletionLength: number;
  };
  readonly evaluation: {
    /** Tasks of the `id` split. */
    readonly idTasks: number;
    /** Tasks of each other generated split. */
    readonly otherTasks: number;
    /** Samples a task for pass@k on the `id` split. */
    readonly samplesPerTask: number;
    /** Requests drawn side by side in the report. */
    readonly galleryTasks: number;
  };
  /** Steps between two resumable checkpoints, and between two completion files. */
  readonly checkpointEvery: number;
}

/** `npm start`: about ten minutes on two cores. */
export const defaultRecipe: DiagramRecipe = Object.freeze({
  profile: 'curriculum',
  reward: 'gated',
  grpoFrom: 'sft',
  teacher: { tasks: 4000, drawingsPerTask: 2 },
  sft: { steps: 400, batchSize: 32, learningRate: 1e-3, warmupSteps: 20 },
  grpo: {
    steps: 80,
    promptsPerStep: 8,
    numGenerations: 8,
    learningRate: 5e-5,
    warmupSteps: 5,
    temperature: 1,
    beta: 0.02,
    epsilon: 0.2,
    maxCompletionLength: 320,
  },
  evaluation: { idTasks: 200, otherTasks: 50, samplesPerTask: 8, galleryTasks: 6 },
  checkpointEvery: 10,
});

/** `--quick`: every stage for real, but only long enough to see that it works. */
export const quickRecipe: DiagramRecipe = Object.freeze({
  ...defaultRecipe,
  teacher: { tasks: 40, drawingsPerTask: 1 },
  sft: { ...defaultRecipe.sft, steps: 8, batchSize: 8, warmupSteps: 2 },
  grpo: { ...defaultRecipe.grpo, steps: 3, promptsPerStep: 2, numGenerations: 4, warmupSteps: 1 },
  evaluation: { idTasks: 6, otherTasks: 2, samplesPerTask: 2, galleryTasks: 2 },
  checkpointEvery: 2,
});
