export * from './types.js';
export * from './diagram/index.js';
