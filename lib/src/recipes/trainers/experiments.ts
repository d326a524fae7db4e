/** All small experiments, in the order of the course. */
import { divergences } from './divergences.js';
import type { Experiment } from './experiment.js';

export const trainerExperiments: readonly Experiment[] = [divergences];
