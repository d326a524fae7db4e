import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { adamWUpdate, asGraph, globalNorm, muonUpdate } from '../tensor/index.js';
import { requireFit, restoreVariables, snapshotVariables } from './snapshot.js';
import type { EngineState, OptimName, OptimParams, OptimResult } from './types.js';

const MUON_MOMENTUM = 0.95;

/** Why these: see `OptimParams`. */
export const defaultOptimParams = {
  optim: 'adamw',
  adjustLrFn: 'match_rms_adamw',
  adamBeta1: 0.9,
  adamBeta2: 0.95,
  adamEpsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
} as const;

/** The parameters with every default in place, also of those that are given as `undefined`. */
export function completeOptimParams(params: OptimParams): OptimParams & Required<DefaultedParams> {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return { ...defaultOptimParams, learningRate: params.learningRate, ...Object.fromEntries(given) };
}

type DefaultedParams = Pick<OptimParams, keyof typeof defaultOptimParams>;

/** AdamW or Muon over named weights: owns the moments and counts the steps. */
export class Optimizer {
  policyVersion = 0;
  /** Whose moments there are; undefined before the first step. */
  #optim: OptimName | undefined;
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
    try {
      const gradNorm = await globalNorm(all);
      const stepped = lossIsFinite && Number.isFinite(gradNorm);
      if (stepped) asGraph(() => this.#update(gradients, gradNorm, params));
      return { gradNorm, stepped };
    } finally {
      tf.dispose(all);
    }
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
  load({ policyVersion, path, weights, firstMoments, secondMoments }: EngineState): void {
    if (path !== undefined)
      throw new Error(
        `The state lies on a server, at ${path}. Load it with the engine of that server (createTinkerEngine).`,
      );
    const hasMoments = firstMoments.size > 0;
    const optim = firstMoments.size === secondMoments.size ? 'adamw' : 'muon';
    requireFit(this.weights, weights);
    if (hasMoments) {
      requireFit(this.weights, firstMoments);
      requireFit(adamWWeights(this.weights, optim), secondMoments);
    }

    this.dispose();
    restoreVariables(this.weights, weights);
    this.policyVersion = policyVersion;
    if (!hasMoments) return;
    this.#createMoments(optim);
    restoreVariables(this.#firstMoments, firstMoments);
    restoreVariables(this.#secondMoments, secondMoments);
  }

  /** Frees the moments. */
  dispose(): void {
    tf.dispose([...this.#firstMoments.values(), ...this.#secondMoments.values()]);
    this.#firstMoments.clear();
    this.#secondMoments.clear();
    this.#optim = undefined;
  }

  #update(gradients: ReadonlyMap<string, Tensor>, gradNorm: number, params: OptimParams): void {
    const { optim, adjustLrFn, adamBeta1, adamBeta2, adamEpsilon, ...used } = completeOptimParams(params);
    this.#createMoments(optim);
    this.policyVersion += 1;
    const gradScale = gradNorm > used.maxGradNorm ? used.maxGradNorm / gradNorm : 1;
    for (const [name, weight] of this.weights) {
      const gradient = gradients.get(name);
      if (gradient === undefined) continue;
      const firstMoment = this.#firstMoments.get(name) as Variable;
      const secondMoment = this.#secondMoments.get(name);
      const lr = used.learningRate;
      // Norms and biases set a scale rather than hold knowledge; only matrices decay.
      const weightDecay = weight.rank >= 2 ? used.weightDecay : 0;
      if (secondMoment === undefined) {
        const options = { lr, momentum: MUON_MOMENTUM, weightDecay, adjustLrFn, gradScale };
        muonUpdate(weight, gradient, firstMoment, options);
      } else {
        adamWUpdate(weight, gradient, firstMoment, secondMoment, {
          lr,
          beta1: adamBeta1,
          beta2: adamBeta2,
          eps: adamEpsilon,
          weightDecay,
          step: this.policyVersion,
          gradScale,
        });
      }
    }
  }

  #createMoments(optim: OptimName): void {
    if (this.#optim === optim) return;
    if (this.#optim !== undefined)
      throw new Error(
        `optim is ${optim}, but the moments so far are those of ${this.#optim}. Go on with ${this.#optim}, or start a new run from the weights.`,
      );
    this.#optim = optim;
    createZeros(this.weights, this.#firstMoments);
    createZeros(adamWWeights(this.weights, optim), this.#secondMoments);
  }
}

type Weights = ReadonlyMap<string, Variable>;

/** The weights that AdamW trains; Muon trains the others, the matrices inside the layers. */
function adamWWeights(weights: Weights, optim: OptimName): Weights {
  const isMuons = (name: string, weight: Variable): boolean =>
    optim === 'muon' && weight.rank === 2 && name.includes('.layers.');
  return new Map([...weights].filter(([name, weight]) => !isMuons(name, weight)));
}

function createZeros(like: Weights, into: Map<string, Variable>): void {
  for (const [name, { shape }] of like) {
    const zeros = tf.zeros(shape);
    into.set(name, tf.variable(zeros, false));
    zeros.dispose();
  }
}
