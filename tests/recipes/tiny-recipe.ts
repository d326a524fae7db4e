import { quickRecipe, type DiagramRecipe } from 'posttrain/recipes/diagram/recipe';

/** Every stage in a second or two, over the base of `writeTinyBase`. */
export const tinyRecipe: DiagramRecipe = {
  ...quickRecipe,
  teacher: { tasks: 12, numGenerations: 1, numLayouts: 2, mediocreShare: 0.25 },
  sft: { ...quickRecipe.sft, maxSteps: 5, batchSize: 4 },
  // beta > 0: the reference must survive a break, too
  grpo: {
    ...quickRecipe.grpo,
    maxSteps: 3,
    promptsPerStep: 2,
    numGenerations: 2,
    maxCompletionLength: 24,
    beta: 0.1,
  },
  evaluation: { idTasks: 2, otherTasks: 1, samplesPerTask: 2, galleryTasks: 1, maxCompletionLength: 24 },
  checkpointEvery: 2,
};
