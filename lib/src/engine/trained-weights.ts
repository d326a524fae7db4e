import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import type { MicroStep } from './micro-step.js';
import { Optimizer } from './optimizer.js';
import type { EngineState, OptimParams, OptimResult } from './types.js';

/** The weights that an engine trains in this thread: their gradients add up until the optimizer takes its step with them. */
export class TrainedWeights {
  readonly #optimizer: Optimizer;
  /** Accumulated since the last optimizer step. */
  #gradients = new Map<string, Tensor>();
  #lossIsFinite = true;

  constructor(weights: ReadonlyMap<string, Variable>) {
    this.#optimizer = new Optimizer(weights);
  }

  get policyVersion(): number {
    return this.#optimizer.policyVersion;
  }

  /** Adds the gradient of every part; returns the numbers of their reports, the first of which is the loss of the part. */
  async learn<Part>(
    parts: readonly Part[],
    microStep: (part: Part) => MicroStep,
  ): Promise<readonly Float32Array[]> {
    // Read only at the end, so that a back end that works ahead (a GPU) is never waited for between two parts.
    const reports = parts.map((part) => {
      const { gradients, report } = microStep(part);
      this.#accumulate(gradients);
      return report;
    });
    const values = await Promise.all(reports.map((report) => report.data<'float32'>()));
    tf.dispose(reports);
    this.#lossIsFinite &&= Number.isFinite(values.reduce((loss, [part]) => loss + (part as number), 0));
    return values;
  }

  optimStep(params: OptimParams): Promise<OptimResult> {
    const gradients = this.#gradients;
    const lossIsFinite = this.#lossIsFinite;
    this.#gradients = new Map();
    this.#lossIsFinite = true;
    return this.#optimizer.step(gradients, lossIsFinite, params);
  }

  save(): Promise<EngineState> {
    return this.#optimizer.save();
  }

  load(state: EngineState): void {
    this.#optimizer.load(state);
    this.#forgetGradients();
  }

  /** Frees gradients and moments, not the weights. */
  dispose(): void {
    this.#optimizer.dispose();
    this.#forgetGradients();
  }

  #accumulate(fresh: ReadonlyMap<string, Tensor>): void {
    for (const [name, gradient] of fresh) {
      const previous = this.#gradients.get(name);
      this.#gradients.set(name, previous === undefined ? gradient : tf.add(previous, gradient));
      if (previous !== undefined) tf.dispose([previous, gradient]);
    }
  }

  #forgetGradients(): void {
    tf.dispose([...this.#gradients.values()]);
    this.#gradients = new Map();
    this.#lossIsFinite = true;
  }
}
