export * from './types.js';
export * from './diagram/index.js';
export * from './key-door/index.js';
export * from './preference/index.js';
