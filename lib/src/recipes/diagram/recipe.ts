/** All numbers of the diagram pipeline in one place. */
import { z } from 'zod';
import type { GRPOConfig, SFTConfig } from '../../trainers/index.js';

export const stageNames = ['teacher', 'sft', 'grpo', 'evaluate', 'report'] as const;
export type StageName = (typeof stageNames)[number];

export const profileNames = ['curriculum', 'full'] as const;
export const rewardNames = ['gated', 'naive', 'no-layout', 'no-gate'] as const;

/** Which reward GRPO climbs; evaluation always uses `gated` and `success`. */
export type RewardName = (typeof rewardNames)[number];

export interface DiagramRecipe {
  /** Which tasks the teacher answers and GRPO practises: small diagrams of a few families, or everything. */
  readonly profile: (typeof profileNames)[number];
  readonly reward: RewardName;
  /** Where GRPO starts: from the SFT checkpoint, or from the base to show why SFT comes first. */
  readonly grpoFrom: 'sft' | 'base';
  readonly teacher: {
    readonly tasks: number;
    /** Drawings of each task. */
    readonly numGenerations: number;
    /** Good layouts of a task the teacher knows; its drawings go through them in turn. */
    readonly numLayouts: number;
    /** Share of drawings of the right graph with flawed placement: what RL is left to improve. */
    readonly mediocreShare: number;
  };
  /** The trainer's own settings; what is absent has the trainer's default, `seed` is the run's. */
  readonly sft: Readonly<Partial<SFTConfig>>;
  readonly grpo: Readonly<Partial<GRPOConfig>>;
  readonly evaluation: {
    /** Tasks of the `id` split. */
    readonly idTasks: number;
    /** Tasks of each other split; `real` has 20 in all. */
    readonly otherTasks: number;
    /** Samples a task on the `id` split: pass@1 and pass@k with this k. */
    readonly samplesPerTask: number;
    /** Requests drawn side by side in the report. */
    readonly galleryTasks: number;
    readonly maxCompletionLength: number;
  };
  /** Steps between two resumable checkpoints, and between two files of completions. */
  readonly checkpointEvery: number;
  /** Steps of SFT between two drawings made for whoever is watching; they change no result. */
  readonly drawEvery: number;
}

const settings = z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()]));
const count = z.int().min(1);

/** For recipes that come from a file. The trainers check their own settings. */
export const recipeSchema: z.ZodType<DiagramRecipe> = z.strictObject({
  profile: z.enum(profileNames),
  reward: z.enum(rewardNames),
  grpoFrom: z.enum(['sft', 'base']),
  teacher: z.strictObject({
    tasks: count,
    numGenerations: count,
    numLayouts: count,
    mediocreShare: z.number().min(0).max(1),
  }),
  sft: settings,
  grpo: settings,
  evaluation: z.strictObject({
    idTasks: count,
    otherTasks: count,
    samplesPerTask: count,
    galleryTasks: count,
    maxCompletionLength: count,
  }),
  checkpointEvery: count,
  drawEvery: count,
});

/**
 * `npm start`. A third of what SFT imitates is well connected and badly placed, as people's drawings are: choosing the better part
 * of what it has learned is what GRPO is good at. Its own settings matter less (`posttrain experiment diagram-sweep`): within a
 * factor of three the learning rate decides only how far sampling is sharpened, and TRL's division by the group's deviation
 * makes no difference.
 */
export const defaultRecipe: DiagramRecipe = Object.freeze<DiagramRecipe>({
  profile: 'curriculum',
  reward: 'gated',
  grpoFrom: 'sft',
  teacher: { tasks: 10_000, numGenerations: 1, numLayouts: 1, mediocreShare: 0.35 },
  sft: { maxSteps: 550, batchSize: 32, learningRate: 4e-3, warmupSteps: 20 },
  grpo: {
    maxSteps: 60,
    promptsPerStep: 16,
    numGenerations: 8,
    learningRate: 8e-5,
    lrSchedulerType: 'constant',
    warmupSteps: 5,
    adamBeta2: 0.99,
    scaleRewards: 'group',
    maxCompletionLength: 192,
  },
  evaluation: { idTasks: 200, otherTasks: 50, samplesPerTask: 8, galleryTasks: 6, maxCompletionLength: 192 },
  checkpointEvery: 10,
  drawEvery: 50,
});

/** `--quick`: every stage for real, but only long enough to see that it works. */
export const quickRecipe: DiagramRecipe = Object.freeze({
  ...defaultRecipe,
  teacher: { ...defaultRecipe.teacher, tasks: 40, numGenerations: 1 },
  sft: { ...defaultRecipe.sft, maxSteps: 8, batchSize: 8, warmupSteps: 2 },
  grpo: {
    ...defaultRecipe.grpo,
    maxSteps: 4,
    promptsPerStep: 2,
    numGenerations: 4,
    warmupSteps: 1,
    // after so few steps of SFT most replies do not end by themselves
    maxClippedRatio: 1,
    maxCompletionLength: 96,
  },
  evaluation: {
    idTasks: 6,
    otherTasks: 2,
    samplesPerTask: 2,
    galleryTasks: 2,
    maxCompletionLength: 96,
  },
  checkpointEvery: 2,
  drawEvery: 4,
});

/** Whether a policy cannot have learned by this recipe. */
export const isQuick = ({ teacher }: DiagramRecipe): boolean => teacher.tasks <= quickRecipe.teacher.tasks;

/** The stages a recipe goes through, in order. */
export function stagesOf(recipe: DiagramRecipe): readonly StageName[] {
  return recipe.grpoFrom === 'sft'
    ? stageNames
    : stageNames.filter((name) => name !== 'teacher' && name !== 'sft');
}

/** What may be varied from outside, e.g. by options of the command. */
export interface RecipeOptions {
  readonly quick?: boolean;
  readonly profile?: DiagramRecipe['profile'];
  readonly reward?: RewardName;
  readonly grpoFrom?: DiagramRecipe['grpoFrom'];
  readonly grpo?: DiagramRecipe['grpo'];
}

/** The default recipe, or the quick one, with these changes. */
export function recipeFor({ quick = false, grpo = {}, ...changes }: RecipeOptions): DiagramRecipe {
  const usual = quick ? quickRecipe : defaultRecipe;
  const recipe = { ...usual, ...changes, grpo: { ...usual.grpo, ...grpo } };
  if (recipe.grpoFrom === 'sft') return recipe;
  // a base model does not know when to stop, and is meant to be seen failing
  return { ...recipe, grpo: { ...recipe.grpo, maxClippedRatio: 1 } };
}
