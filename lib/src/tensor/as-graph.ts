import * as tf from '@tensorflow/tfjs-core';

/** Runs a function and gives what it gives. */
export type GraphRunner = <T>(compute: () => T) => T;

const runners = new Map<string, GraphRunner>();

/** Says how a back end runs operations as a graph; returns what did so before. */
export function registerGraphs(backendName: string, runner: GraphRunner): GraphRunner | undefined {
  const before = runners.get(backendName);
  runners.set(backendName, runner);
  return before;
}

/**
 * Runs `compute`, which must not be asynchronous, as one graph of operations where the active back end is faster that way (TensorFlow
 * on a CPU: one call from JavaScript for a graph instead of one for each of its hundreds of operations); else as it stands. Values
 * read on the way are computed when they are read, and errors of an operation may appear there or at the end.
 */
export function asGraph<T>(compute: () => T): T {
  const run = runners.get(tf.getBackend());
  return run === undefined ? compute() : run(compute);
}
