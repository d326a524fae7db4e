export * from './types.js';
export type { DecisionProcess, Transition } from './decision-process.js';
export * from './diagram/index.js';
export * from './key-door/index.js';
export * from './preference/index.js';
export * from './treasure/index.js';
