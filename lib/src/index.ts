/**
 * Everything that runs in Node and in a browser alike; what needs files is in `posttrain/node`.
 * Each room is also an entry of its own: `posttrain/tensor`, `posttrain/trainers`, `posttrain/display`, …
 */
export * from './tensor/index.js';
export * from './text/index.js';
export * from './model/index.js';
export * from './envs/index.js';
export * from './envs/diagram/tasks/index.js';
export * from './rewards/index.js';
export * from './remote/index.js';
export * from './teachers/index.js';
export * from './formats/index.js';
export * from './rollout/index.js';
export * from './losses/index.js';
export * from './engine/index.js';
export * from './trainers/index.js';
export * from './tabular/index.js';
export * from './datasets/index.js';
export * from './eval/index.js';
export * from './recipes/diagram/index.js';
export * from './recipes/trainers/index.js';
