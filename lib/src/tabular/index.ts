export {
  actionValues,
  explore,
  movesToSuccess,
  valueIteration,
  type Explored,
  type ExploredState,
  type ValueIterationOptions,
} from './exact.js';
export { expectedReturns } from './expected-return.js';
export { bestAction, bestValue, rowOf, type ActionValues, type QTable } from './q-table.js';
export { greedyPolicy, playEpisode, type TabularEpisode, type TabularPolicy } from './rollout.js';
export {
  defineTabularConfig,
  qLearning,
  sarsa,
  tabularDefaults,
  type TabularConfig,
  type TabularOptions,
  type TabularStep,
} from './temporal-difference.js';
export {
  addScore,
  descendReverseKL,
  sampled,
  softmax,
  softmaxPolicy,
  type ActionDistribution,
} from './softmax-policy.js';
export { successProbability, type Stage } from './success-probability.js';
