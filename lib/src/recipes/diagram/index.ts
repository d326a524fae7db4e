export { draw, type DrawOptions, type DrawResult } from './draw.js';
export type { Drawing, RunEvent } from './events.js';
export type { CheckpointName, RunEvaluation, SplitResult } from './evaluation.js';
export {
  defaultRecipe,
  profileNames,
  recipeFor,
  quickRecipe,
  rewardNames,
  stageNames,
  stagesOf,
  type DiagramRecipe,
  type RecipeOptions,
  type RewardName,
  type StageName,
} from './recipe.js';
export { achievement, reportHtml, type ReportInput } from './report.js';
