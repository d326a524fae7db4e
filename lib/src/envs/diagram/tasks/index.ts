export { generateTask, type TaskAddress } from './generate.js';
export { curriculumSplits, fullSplits, splits, splitSizes, type Profile, type Split } from './splits.js';
export { realTasks } from './real/tasks.js';
