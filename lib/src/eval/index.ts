export { bestOfNKL, expectedBestOfN, type ScoredSample } from './best-of-n.js';
export { type Comparison, pairedBootstrap } from './compare.js';
export { evaluate, type EvaluateOptions, type SplitEvaluation, type TaskResult } from './evaluate.js';
export { type Proportion, wilsonInterval } from './intervals.js';
export { judgeAgreement, parseJudgeLabels, type JudgeAgreement, type JudgeLabel } from './judge-agreement.js';
export { evaluateLoss } from './loss.js';
export { overSeeds, type OverSeeds } from './over-seeds.js';
export { passAtK } from './pass-at-k.js';
