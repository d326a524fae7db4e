import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { adamWUpdate, globalNorm } from '../tensor/index.js';
import { requireFit, restoreVariables, snapshotVariables } from './snapshot.js';
import type { EngineState, OptimParams, OptimResult } from './types.js';

/** AdamW over named weights: owns the moments and counts the steps. */
export class Optimizer {
  policyVersion = 0;
  readonly #firstMoments = new Map<string, Variable>();
  readonly #secondMoments = new Map<string, Variable>();

  constructor(private readonly weights: ReadonlyMap<string, Variable>) {}

  /** One step with `gradients` by weight name, which are disposed. Changes nothing unless loss and gradient are finite. */
  async step(
    gradients: ReadonlyMap<string, Tensor>,
    lossIsFinite: boolean,
    params: OptimParams,
  ): Promise<OptimResult> {
    const all = [...gradients.values()];
    if (all.length === 0) return { gradNorm: 0, stepped: false };
    const gradNorm = await globalNorm(all);
    const stepped = lossIsFinite && Number.isFinite(gradNorm);
    if (stepped) this.#update(gradients, gradNorm, params);
    tf.dispose(all);
    return { gradNorm, stepped };
  }

  async save(): Promise<EngineState> {
    return {
      policyVersion: this.policyVersion,
      weights: await snapshotVariables(this.weights),
      firstMoments: await snapshotVariables(this.#firstMoments),
      secondMoments: await snapshotVariables(this.#secondMoments),
    };
  }

  /** Takes over a saved state. Throws, changing nothing, when names or shapes differ. */
  load({ policyVersion, weights, firstMoments, secondMoments }: EngineState): void {
    const hasMoments = firstMoments.size > 0;
    requireFit(this.weights, weights);
    if (hasMoments) [firstMoments, secondMoments].forEach((moments) => requireFit(this.weights, moments));

    this.dispose();
    restoreVariables(this.weights, weights);
    this.policyVersion = policyVersion;
    if (!hasMoments) return;
    this.#createMoments();
    restoreVariables(this.#firstMoments, firstMoments);
    restoreVariables(this.#secondMoments, secondMoments);
  }

  /** Frees the moments. */
  dispose(): void {
    tf.dispose([...this.#firstMoments.values(), ...this.#secondMoments.values()]);
    this.#firstMoments.clear();
    this.#secondMoments.clear();
  }

  #update(gradients: ReadonlyMap<string, Tensor>, gradNorm: number, params: OptimParams): void {
    this.#createMoments();
    this.policyVersion += 1;
    const maxGradNorm = params.maxGradNorm ?? 1;
    for (const [name, weight] of this.weights) {
      const gradient = gradients.get(name);
      if (gradient === undefined) continue;
      adamWUpdate(
        weight,
        gradient,
        this.#firstMoments.get(name) as Variable,
        this.#secondMoments.get(name) as Variable,
        {
          lr: params.learningRate,
          beta1: params.adamBeta1 ?? 0.9,
          beta2: params.adamBeta2 ?? 0.95,
          eps: params.adamEpsilon ?? 1e-8,
          // Norms and biases set a scale rather than hold knowledge; only matrices decay.
          weightDecay: weight.rank >= 2 ? (params.weightDecay ?? 0) : 0,
          step: this.policyVersion,
          gradScale: gradNorm > maxGradNorm ? maxGradNorm / gradNorm : 1,
        },
      );
    }
  }

  #createMoments(): void {
    if (this.#firstMoments.size > 0) return;
    for (const [name, weight] of this.weights) {
      for (const moments of [this.#firstMoments, this.#secondMoments]) {
        const zeros = tf.zeros(weight.shape);
        moments.set(name, tf.variable(zeros, false));
        zeros.dispose();
      }
    }
  }
}
