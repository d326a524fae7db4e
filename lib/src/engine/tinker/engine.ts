import { z } from 'zod';
import type { LossSpec } from '../../losses/index.js';
import type { MaskedSequence, Sample, SampleKey, SamplingParams } from '../../model/index.js';
import { type BatchLimits, checkBatch, checkSequences } from '../check-batch.js';
import { forwardBackwardCustom } from '../custom-loss.js';
import { isTrained, sequencesOf } from '../micro-step.js';
import { completeOptimParams } from '../optimizer.js';
import type {
  Datum,
  DistributionScorer,
  Engine,
  EngineState,
  ForwardBackwardResult,
  OptimParams,
  OptimResult,
} from '../types.js';
import { type Submitted, type TinkerClient, tinkerClient, type TinkerServer } from './client.js';
import { lossOfLogprobs, lossValue, requireComputable, requireTemperatureOne, serverLoss } from './losses.js';
import { type ModelOptions, openModel, submitPass, type TinkerModel, withAdvice } from './model.js';
import { createSampler, type Sampler } from './sampler.js';
import { alignedLogprobs, isFiniteDatum, optimStepOutput, wireDatum } from './wire.js';

export interface TinkerEngineOptions extends TinkerServer, ModelOptions {
  /** Longest sequence, prompt and reply together. Scoring by a reference takes one token more: stay one below what the server holds. */
  readonly maxLength: number;
}

/**
 * The engine of a model on a server that speaks Tinker's REST protocol: Thinking Machines' hosted service, or SkyRL's `skyrl.tinker.api`
 * on a machine of your own. Trainers run on it as they run on a local one.
 * ```ts
 * const engine = await createTinkerEngine({ baseUrl: 'http://localhost:8000', apiKey: 'tml-any', baseModel: 'Qwen/Qwen3-0.6B', maxLength: 2047 });
 * for await (const { metrics } of sft({ engine, rows })) console.log(metrics);
 * ```
 * The server trains a LoRA adapter. It computes `cross_entropy`, and `policy_gradient` without `beta` and `delta` (as `cross_entropy`,
 * `importance_sampling` or `ppo`); every other loss of log-probabilities is differentiated here and sent as the weights of a
 * cross-entropy, for one forward pass more (see `forwardBackwardCustom`). Calls need not be awaited before the next: they reach the
 * server in the order they were made in. What cannot be had, and is an error: a temperature other than 1 in training, whole distributions
 * (`generalized_jsd`), Muon. SkyRL does not read `maxGradNorm`.
 *
 * A state that is saved stays on the server; `EngineState` holds its path. After a server was restarted, `load` goes on from there.
 * `dispose` ends the session, which is kept alive until then, and Node with it.
 *
 * Held to a local server that does what the SDK and SkyRL's source document. Neither the hosted service nor SkyRL was ever run.
 * @throws ServiceError when the server refuses, UnansweredError when it does not answer.
 */
export async function createTinkerEngine(options: TinkerEngineOptions): Promise<Engine> {
  const client = tinkerClient(options, options.baseModel);
  return new TinkerEngine(client, await openModel(client, options), options);
}

class TinkerEngine implements Engine {
  readonly maxLength: number;
  readonly #limits: BatchLimits;
  /** Resolves when the server has all that was asked so far. Once a request was refused, all later ones are: it may miss what they build on. */
  #turn: Promise<unknown> = Promise.resolve();
  #policyVersion = 0;
  #sampler: { readonly policyVersion: number; readonly sampler: Sampler } | undefined;
  /** Whether the server holds a gradient since the last step. */
  #hasGradient = false;
  #lossIsFinite = true;

  constructor(
    private readonly client: TinkerClient,
    private model: TinkerModel,
    private readonly options: TinkerEngineOptions,
  ) {
    this.maxLength = options.maxLength;
    // which ids there are only the server knows
    this.#limits = { maxLength: options.maxLength, vocabSize: Infinity };
  }

  get policyVersion(): number {
    return this.#policyVersion;
  }

  async sample(
    prompts: readonly Int32Array[],
    params: SamplingParams,
    keys: readonly SampleKey[],
  ): Promise<Sample[]> {
    const sampler = await this.#samplerOfNow();
    return Promise.all(prompts.map((prompt, n) => sampler.sample(prompt, params, keys[n] as SampleKey)));
  }

  async logprobs(sequences: readonly MaskedSequence[], temperature = 1): Promise<Float32Array[]> {
    requireTemperatureOne(temperature);
    checkSequences(sequences, this.#limits);
    return this.#inTurn(() => this.#submitForward(sequences));
  }

  async distributions(): Promise<Float32Array[]> {
    throw new Error(
      'A server tells the log-probabilities of single tokens, not whole distributions. Use a local teacher.',
    );
  }

  async forwardBackward(
    batch: readonly Datum[],
    loss: LossSpec,
    temperature = 1,
  ): Promise<ForwardBackwardResult> {
    requireTemperatureOne(temperature);
    checkBatch(batch, this.#limits);
    requireComputable(loss, batch);
    return this.#inTurn(() => this.#submitForwardBackward(batch, loss));
  }

  async optimStep(params: OptimParams): Promise<OptimResult> {
    if (params.optim === 'muon')
      throw new Error('optim is muon, and Tinker’s protocol has AdamW alone. Use adamw, or train locally.');
    return this.#inTurn(() => this.#submitOptimStep(params));
  }

  async reference(): Promise<DistributionScorer> {
    const sampler = await this.#samplerOfNow();
    return {
      logprobs: (sequences, temperature = 1) => {
        requireTemperatureOne(temperature);
        checkSequences(sequences, this.#limits);
        return Promise.all(sequences.map((sequence) => sampler.logprobs(sequence)));
      },
      distributions: () => this.distributions(),
      dispose: () => undefined,
    };
  }

  async save(): Promise<EngineState> {
    const none: EngineState['weights'] = new Map();
    const { policyVersion, path } = await this.#inTurn(async () => {
      const policyVersion = this.#policyVersion;
      const named = (number: number): object => ({ path: `posttrain-${number}` });
      const saved = await this.model.submitSave('save_weights', named, z.object({ path: z.string() }));
      return async () => ({ policyVersion, path: (await saved()).path });
    });
    return { policyVersion, path, weights: none, firstMoments: none, secondMoments: none };
  }

  /** Into a new model of a new session, whose first request it has to be: so it mends what a restart broke, too. */
  async load({ path, policyVersion }: EngineState): Promise<void> {
    if (path === undefined)
      throw new Error(
        'The state holds weights, not the path of weights on a server: it was saved by a local engine. Load it there.',
      );
    const model = await openModel(this.client, this.options);
    try {
      const loaded = await model.submit(
        'load_weights',
        { type: 'load_weights', path, optimizer: true },
        z.object({}),
      );
      await loaded();
    } catch (error) {
      model.close();
      throw error;
    }
    this.model.close();
    this.model = model;
    this.#turn = Promise.resolve();
    this.#policyVersion = policyVersion;
    this.#sampler = undefined;
    this.#forgetGradient();
  }

  dispose(): void {
    this.client.abort();
    this.model.close();
  }

  /** Submits when everything before is submitted, and waits for the result while others are. */
  async #inTurn<T>(submit: () => Promise<Submitted<T>>): Promise<T> {
    const mine = this.#turn.then(submit);
    this.#turn = mine;
    // whoever comes next is told; when nobody comes, it is no news
    mine.catch(() => undefined);
    try {
      return await (
        await mine
      )();
    } catch (error) {
      throw withAdvice(error);
    }
  }

  /** The present policy as a sampler; saved again only after a step. */
  async #samplerOfNow(): Promise<Sampler> {
    return this.#inTurn(async () => {
      const policyVersion = this.#policyVersion;
      if (this.#sampler?.policyVersion !== policyVersion) {
        const route = 'save_weights_for_sampler';
        const numbered = (number: number): object => ({ type: route, sampling_session_seq_id: number });
        const output = z.object({ sampling_session_id: z.string() });
        const saved = await this.model.submitSave(route, numbered, output);
        const { sampling_session_id } = await saved();
        this.#sampler = { policyVersion, sampler: createSampler(this.client, sampling_session_id) };
      }
      const { sampler } = this.#sampler;
      return () => Promise.resolve(sampler);
    });
  }

  async #submitForward(sequences: readonly MaskedSequence[]): Promise<Submitted<Float32Array[]>> {
    const data = sequences.map(({ tokens, mask }) => wireDatum(tokens, { weights: mask }));
    const outputs = await submitPass(this.model, 'forward', data, { loss_fn: 'cross_entropy' });
    return async () =>
      (await outputs()).map(({ logprobs }, row) =>
        alignedLogprobs(logprobs, (sequences[row] as MaskedSequence).mask),
      );
  }

  async #submitForwardBackward(
    batch: readonly Datum[],
    spec: LossSpec,
  ): Promise<Submitted<ForwardBackwardResult>> {
    const trained = batch.filter(isTrained);
    if (trained.length === 0) return () => Promise.resolve(resultOf(batch, 0));
    const submitted = await this.#submitTrained(trained, spec);
    return async () => {
      const { loss, logprobs } = await submitted();
      const streams = new Map(trained.map((datum, row) => [datum, logprobs[row]]));
      return resultOf(batch, loss, (datum) => streams.get(datum));
    };
  }

  /** What cannot be said in JSON is not sent, and refuses the step. */
  async #submitTrained(data: readonly Datum[], spec: LossSpec): Promise<Submitted<ForwardBackwardResult>> {
    if (!data.every(isFiniteDatum)) {
      this.#lossIsFinite = false;
      return () => Promise.resolve(resultOf(data, NaN));
    }
    const builtIn = serverLoss(spec, data);
    if (builtIn === undefined) {
      const result = await this.#differentiated(data, spec);
      return () => Promise.resolve(result);
    }
    const { encode, ...loss } = builtIn;
    this.#hasGradient = true;
    const outputs = await submitPass(this.model, 'forward_backward', data.map(encode), loss);
    return async () => {
      const logprobs = (await outputs()).map((output, row) =>
        alignedLogprobs(output.logprobs, (data[row] as Datum).weights),
      );
      const value = await lossValue(spec, data, logprobs);
      if (!Number.isFinite(value)) this.#lossIsFinite = false;
      return { ...resultOf(data, value), logprobs };
    };
  }

  /** A loss that the server does not have, all of it in one turn. */
  #differentiated(data: readonly Datum[], spec: LossSpec): Promise<ForwardBackwardResult> {
    const sequences = sequencesOf(data);
    const inThisTurn = {
      logprobs: async () => (await this.#submitForward(sequences))(),
      forwardBackward: async (weighted: readonly Datum[], loss: LossSpec) =>
        (await this.#submitTrained(weighted, loss))(),
    };
    return forwardBackwardCustom(inThisTurn, sequences, lossOfLogprobs(spec, data));
  }

  async #submitOptimStep(params: OptimParams): Promise<Submitted<OptimResult>> {
    const { learningRate, adamBeta1, adamBeta2, adamEpsilon, weightDecay, maxGradNorm } =
      completeOptimParams(params);
    const [hasGradient, lossIsFinite] = [this.#hasGradient, this.#lossIsFinite];
    if (!lossIsFinite && hasGradient)
      throw new Error(
        'The loss was not finite, and the gradient that the server holds cannot be taken back. Load the last saved state.',
      );
    this.#forgetGradient();
    if (!hasGradient) return () => Promise.resolve({ gradNorm: lossIsFinite ? 0 : NaN, stepped: false });
    const adam_params = {
      learning_rate: learningRate,
      beta1: adamBeta1,
      beta2: adamBeta2,
      eps: adamEpsilon,
      weight_decay: weightDecay,
      grad_clip_norm: maxGradNorm,
    };
    const result = await this.model.submit('optim_step', { adam_params }, optimStepOutput);
    this.#policyVersion += 1;
    return async () => {
      const gradNorm = (await result()).metrics?.['skyrl.ai/grad_norm'];
      // `null` stands for what JSON cannot say
      return { gradNorm: gradNorm === null ? NaN : gradNorm, stepped: true };
    };
  }

  #forgetGradient(): void {
    this.#hasGradient = false;
    this.#lossIsFinite = true;
  }
}

/** @param logprobsOf where there are any; 0 elsewhere */
function resultOf(
  batch: readonly Datum[],
  loss: number,
  logprobsOf: (datum: Datum) => Float32Array | undefined = () => undefined,
): ForwardBackwardResult {
  const logprobs = batch.map((datum) => logprobsOf(datum) ?? new Float32Array(datum.tokens.length));
  return { loss, logprobs, entropies: undefined, hits: undefined };
}
