import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { lossOf, type LossSpec, type LossStreams } from '../losses/index.js';
import {
  cloneModel,
  disposeModel,
  generate,
  type MaskedSequence,
  type Model,
  type Sample,
  type SampleKey,
  type SamplingParams,
  scoreSequences,
  selectedLogits,
  selectTokens,
  type TokenSelection,
} from '../model/index.js';
import { adamWUpdate, globalNorm, selectedLogprobs } from '../tensor/index.js';
import { type BatchLimits, checkBatch, checkTokens } from './check-batch.js';
import { planMicroBatches } from './micro-batches.js';
import { requireFit, restoreVariables, snapshotVariables } from './snapshot.js';
import type {
  Datum,
  Engine,
  EngineState,
  ForwardBackwardResult,
  LogprobScorer,
  OptimParams,
  OptimResult,
} from './types.js';

export interface LocalEngineOptions {
  /**
   * Tokens, padding included, that go through the model at once; bounds the memory of the activations and changes no result.
   * 2048: about 200 MB for a model of a million parameters, and no slower than more.
   */
  readonly microBatchTokens?: number;
}

/**
 * The engine in this process: trains `model` in place with the active tfjs back end.
 * The caller owns the model; `dispose` frees only what the engine added (gradients and optimizer moments).
 */
export function createLocalEngine(
  model: Model,
  { microBatchTokens = 2048 }: LocalEngineOptions = {},
): Engine {
  return new LocalEngine(model, microBatchTokens);
}

/** One micro-batch on its way: which data it holds, which tokens were scored, and `[1 + 3N]` numbers still on the device. */
interface Part {
  readonly indices: readonly number[];
  readonly selection: TokenSelection;
  readonly report: Tensor;
}

class LocalEngine implements Engine {
  policyVersion = 0;
  readonly maxLength: number;
  readonly #weights: ReadonlyMap<string, Variable>;
  readonly #firstMoments = new Map<string, Variable>();
  readonly #secondMoments = new Map<string, Variable>();
  /** Accumulated since the last optimizer step, by the name tfjs gives a variable. */
  #gradients: tf.NamedTensorMap = {};
  #lossIsFinite = true;

  constructor(
    private readonly model: Model,
    private readonly microBatchTokens: number,
  ) {
    this.maxLength = model.config.maxPositionEmbeddings;
    this.#weights = model.weights;
  }

  sample(
    prompts: readonly Int32Array[],
    params: SamplingParams,
    keys: readonly SampleKey[],
  ): Promise<Sample[]> {
    return generate(this.model, prompts, params, keys);
  }

  async logprobs(sequences: readonly MaskedSequence[], temperature = 1): Promise<Float32Array[]> {
    sequences.forEach(({ tokens }, index) => checkTokens(tokens, `Sequence ${index}`, this.#limits()));
    return scoreModel(this.model, sequences, temperature, this.microBatchTokens);
  }

  async forwardBackward(
    batch: readonly Datum[],
    loss: LossSpec,
    temperature = 1,
  ): Promise<ForwardBackwardResult> {
    checkBatch(batch, this.#limits());
    const trained = batch.flatMap(({ weights }, index) =>
      weights.some((weight) => weight !== 0) ? [index] : [],
    );
    const lengths = trained.map((index) => (batch[index] as Datum).tokens.length);
    const parts = planMicroBatches(lengths, this.microBatchTokens).map((group): Part => {
      const indices = group.map((n) => trained[n] as number);
      const data = indices.map((index) => batch[index] as Datum);
      const selection = selectTokens(data.map(({ tokens, weights }) => ({ tokens, mask: weights })));
      return { indices, selection, report: this.#accumulate(data, selection, loss, temperature) };
    });
    const result = await readReports(parts, batch);
    this.#lossIsFinite &&= Number.isFinite(result.loss);
    return result;
  }

  async optimStep(params: OptimParams): Promise<OptimResult> {
    const gradients = this.#gradients;
    const lossIsFinite = this.#lossIsFinite;
    this.#gradients = {};
    this.#lossIsFinite = true;
    const parts = Object.values(gradients);
    if (parts.length === 0) return { gradNorm: 0, stepped: false };

    const gradNorm = await globalNorm(parts);
    const stepped = lossIsFinite && Number.isFinite(gradNorm);
    if (stepped) this.#adamW(gradients, gradNorm, params);
    tf.dispose(gradients);
    return { gradNorm, stepped };
  }

  async reference(): Promise<LogprobScorer> {
    const frozen = cloneModel(this.model);
    const { microBatchTokens } = this;
    return {
      logprobs: (sequences, temperature = 1) => scoreModel(frozen, sequences, temperature, microBatchTokens),
      dispose: () => disposeModel(frozen),
    };
  }

  async save(): Promise<EngineState> {
    return {
      policyVersion: this.policyVersion,
      weights: await snapshotVariables(this.#weights),
      firstMoments: await snapshotVariables(this.#firstMoments),
      secondMoments: await snapshotVariables(this.#secondMoments),
    };
  }

  async load(state: EngineState): Promise<void> {
    const { policyVersion, weights, firstMoments, secondMoments } = state;
    const hasMoments = firstMoments.size > 0;
    requireFit(this.#weights, weights);
    if (hasMoments) [firstMoments, secondMoments].forEach((moments) => requireFit(this.#weights, moments));

    this.dispose();
    restoreVariables(this.#weights, weights);
    this.policyVersion = policyVersion;
    if (!hasMoments) return;
    this.#createMoments();
    restoreVariables(this.#firstMoments, firstMoments);
    restoreVariables(this.#secondMoments, secondMoments);
  }

  dispose(): void {
    tf.dispose([...this.#firstMoments.values(), ...this.#secondMoments.values()]);
    tf.dispose(this.#gradients);
    this.#firstMoments.clear();
    this.#secondMoments.clear();
    this.#gradients = {};
    this.#lossIsFinite = true;
  }

  #limits(): BatchLimits {
    return { maxLength: this.maxLength, vocabSize: this.model.config.vocabSize };
  }

  /** Forward and backward of one micro-batch. Returns `[1 + 3N]`: loss, then log-probability, entropy and hit of each target. */
  #accumulate(
    data: readonly Datum[],
    selection: TokenSelection,
    loss: LossSpec,
    temperature: number,
  ): Tensor {
    let report: Tensor | undefined;
    const { value, grads } = tf.variableGrads(() => {
      const sequences = data.map(({ tokens, weights }) => ({ tokens, mask: weights }));
      const targets = tf.tensor1d(selection.targets, 'int32');
      const logits = selectedLogits(this.model, sequences, selection);
      const { logprobs, entropy } = selectedLogprobs(logits, targets, temperature);
      const value = lossOf(loss, { logprobs, ...lossStreams(data, selection) });
      const hits = tf.cast(tf.equal(tf.argMax(logits, 1), targets), 'float32');
      report = tf.keep(tf.concat([tf.reshape(value, [1]), logprobs, entropy, hits]));
      return value;
    }, [...this.#weights.values()]);
    value.dispose();
    this.#addGradients(grads);
    return report as Tensor;
  }

  #addGradients(fresh: tf.NamedTensorMap): void {
    for (const [name, gradient] of Object.entries(fresh)) {
      const previous = this.#gradients[name];
      this.#gradients[name] = previous === undefined ? gradient : tf.add(previous, gradient);
      if (previous !== undefined) tf.dispose([previous, gradient]);
    }
  }

  #adamW(gradients: tf.NamedTensorMap, gradNorm: number, params: OptimParams): void {
    this.#createMoments();
    this.policyVersion += 1;
    const maxGradNorm = params.maxGradNorm ?? 1;
    for (const [name, weight] of this.#weights) {
      const gradient = gradients[weight.name];
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
    for (const [name, weight] of this.#weights) {
      for (const moments of [this.#firstMoments, this.#secondMoments]) {
        const zeros = tf.zeros(weight.shape);
        moments.set(name, tf.variable(zeros, false));
        zeros.dispose();
      }
    }
  }
}

/** Log-probabilities in micro-batches of about `tokenBudget` tokens. */
function scoreModel(
  model: Model,
  sequences: readonly MaskedSequence[],
  temperature: number,
  tokenBudget: number,
): Promise<Float32Array[]> {
  const longest = sequences.reduce((most, { tokens }) => Math.max(most, tokens.length), 1);
  return scoreSequences(model, sequences, {
    temperature,
    microBatch: Math.max(1, Math.floor(tokenBudget / longest)),
  });
}

/** The data's streams at the selected tokens, as tensors `[N]`. */
function lossStreams(
  data: readonly Datum[],
  { rows, positions }: TokenSelection,
): Omit<LossStreams, 'logprobs'> {
  const gather = (name: 'weights' | 'advantages' | 'oldLogprobs' | 'refLogprobs'): Tensor =>
    tf.tensor1d(Float32Array.from(rows, (row, n) => data[row]?.[name]?.[positions[n] as number] as number));
  const [first] = data;
  return {
    weights: gather('weights'),
    ...(first?.advantages && { advantages: gather('advantages') }),
    ...(first?.oldLogprobs && { oldLogprobs: gather('oldLogprobs') }),
    ...(first?.refLogprobs && { refLogprobs: gather('refLogprobs') }),
  };
}

/** Brings all reports to the host, frees them, and sorts their numbers back into streams aligned with the batch. */
async function readReports(parts: readonly Part[], batch: readonly Datum[]): Promise<ForwardBackwardResult> {
  const logprobs = batch.map(({ tokens }) => new Float32Array(tokens.length));
  const entropies = batch.map(({ tokens }) => new Float32Array(tokens.length));
  const hits = batch.map(({ tokens }) => new Uint8Array(tokens.length));
  let loss = 0;
  for (const { indices, selection, report } of parts) {
    const values = await report.data<'float32'>();
    report.dispose();
    loss += values[0] as number;
    const count = selection.targets.length;
    [logprobs, entropies, hits].forEach((streams, part) =>
      selection.rows.forEach((row, n) => {
        const stream = streams[indices[row] as number] as Float32Array | Uint8Array;
        stream[selection.positions[n] as number] = values[1 + part * count + n] as number;
      }),
    );
  }
  return { loss, logprobs, entropies, hits };
}
