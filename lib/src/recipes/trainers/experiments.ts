/** All small experiments, in the order of the course. */
import { covariateShift } from './covariate-shift.js';
import { creditAssignment } from './credit-assignment.js';
import { divergences } from './divergences.js';
import type { Experiment } from './experiment.js';
import { lora } from './lora.js';
import { qLearningHunt } from './q-learning.js';
import { preferences } from './rlhf/preferences.js';
import { rewardModel } from './rlhf/reward-model.js';
import { rlhf } from './rlhf/rlhf.js';
import { rlvpExperiment } from './rlvp.js';
import { tabularDistillation } from './tabular-distillation.js';
import { varianceLadder } from './variance-ladder.js';

export const trainerExperiments: readonly Experiment[] = [
  qLearningHunt,
  tabularDistillation,
  covariateShift,
  varianceLadder,
  creditAssignment,
  rlvpExperiment,
  divergences,
  lora,
  rewardModel,
  rlhf,
  preferences,
];
