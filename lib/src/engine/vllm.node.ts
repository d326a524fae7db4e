/** Trained here, sampled there: an engine whose replies come from a vLLM server that is given every new adapter. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LossSpec } from '../losses/index.js';
import { saveAdapter } from '../model/adapter-checkpoint.node.js';
import type { MaskedSequence, Model, Sample, SampleKey, SamplingParams } from '../model/index.js';
import type { VLLMServer } from '../remote/index.js';
import type {
  Datum,
  DistributionScorer,
  Engine,
  EngineState,
  ForwardBackwardResult,
  OptimParams,
  OptimResult,
} from './types.js';
import { type Sampler, vllmSampler } from './vllm.js';

export interface VLLMEngineOptions {
  /** Trains `model`. The caller owns it. */
  readonly engine: Engine;
  /** With an adapter; its base weights are those that the server was started with. */
  readonly model: Model;
  readonly server: VLLMServer;
  /** Folder for adapters on their way, which the server sees under the same path. */
  readonly dir: string;
  /** Begins the names of the adapters. Default: a new one, so that runs on one server do not meet. */
  readonly name?: string;
}

/** An engine that takes leave of its server. */
export interface VLLMEngine extends Engine {
  /** Takes the last adapter off the server, and its folder away. The engine that trains goes on. */
  close(): Promise<void>;
}

/**
 * `engine`, but it samples on the server. Before the first sample of a policy version its adapter is written to `dir`, loaded into the server
 * under a fresh name, and the one before is unloaded: the server samples from what was trained, and from nothing older.
 *
 * ```ts
 * const server = await openVLLM({ baseUrl: 'http://localhost:8000/v1', model: 'Qwen/Qwen3-0.6B' });
 * const engine = sampleOnVLLM({ engine: createLocalEngine(policy), model: policy, server, dir: 'adapters' });
 * const config = { logprobTolerance: 0.5, vllmImportanceSamplingCorrection: true };
 * for await (const step of grpo({ engine, tokenizer, env, tasks, config })) console.log(step.metrics);
 * await engine.close();
 * ```
 * A server in bfloat16 computes other log-probabilities than float32 here: `logprobTolerance` must allow for it, and
 * `sampling/sampling_logp_difference/mean` says by how much; GRPO’s `vllmImportanceSamplingCorrection` corrects for it.
 *
 * Never run against a real server (see `openVLLM`).
 * @throws Error when the model has no adapter
 */
export function sampleOnVLLM(options: VLLMEngineOptions): VLLMEngine {
  if (options.model.adapter === undefined) {
    throw new Error(
      'The model has no adapter, and a running vLLM takes no other weights; give it one (addAdapter).',
    );
  }
  return new TrainedHereSampledThere(options);
}

class TrainedHereSampledThere implements VLLMEngine {
  readonly maxLength: number;
  readonly #name: string;
  #publications = 0;
  /** The sampler of the present policy; absent = the server does not have it yet. */
  #sampler: Promise<Sampler> | undefined;
  #samplerVersion = 0;
  /** What the server holds of ours. */
  #adapter: { readonly name: string; readonly folder: string } | undefined;

  constructor(private readonly options: VLLMEngineOptions) {
    const { engine, server, name = `posttrain-${randomUUID().slice(0, 8)}` } = options;
    this.maxLength = Math.min(engine.maxLength, server.maxLength);
    this.#name = name;
  }

  get policyVersion(): number {
    return this.options.engine.policyVersion;
  }

  async sample(
    prompts: readonly Int32Array[],
    params: SamplingParams,
    keys: readonly SampleKey[],
  ): Promise<Sample[]> {
    const sampler = await this.#present();
    return sampler.sample(prompts, params, keys);
  }

  logprobs(sequences: readonly MaskedSequence[], temperature?: number): Promise<Float32Array[]> {
    return this.options.engine.logprobs(sequences, temperature);
  }

  distributions(sequences: readonly MaskedSequence[]): Promise<Float32Array[]> {
    return this.options.engine.distributions(sequences);
  }

  forwardBackward(
    batch: readonly Datum[],
    loss: LossSpec,
    temperature?: number,
  ): Promise<ForwardBackwardResult> {
    return this.options.engine.forwardBackward(batch, loss, temperature);
  }

  optimStep(params: OptimParams): Promise<OptimResult> {
    return this.options.engine.optimStep(params);
  }

  reference(): Promise<DistributionScorer> {
    return this.options.engine.reference();
  }

  save(): Promise<EngineState> {
    return this.options.engine.save();
  }

  async load(state: EngineState): Promise<void> {
    await this.options.engine.load(state);
    // other weights, perhaps under the same version
    this.#sampler = undefined;
  }

  dispose(): void {
    this.options.engine.dispose();
  }

  async close(): Promise<void> {
    this.#sampler = undefined;
    await this.#retract();
  }

  /** Many may ask at once; the adapter is written and loaded for the first. */
  async #present(): Promise<Sampler> {
    if (this.#samplerVersion !== this.policyVersion) this.#sampler = undefined;
    this.#samplerVersion = this.policyVersion;
    this.#sampler ??= this.#publish();
    try {
      return await this.#sampler;
    } catch (error) {
      this.#sampler = undefined;
      throw error;
    }
  }

  /** Fresh names, because a server may go on with what it has computed for an old one. */
  async #publish(): Promise<Sampler> {
    const { model, server, dir } = this.options;
    const { policyVersion } = this;
    await this.#retract();
    this.#publications += 1;
    const name = `${this.#name}-p${this.#publications}-v${policyVersion}`;
    const folder = resolve(join(dir, name));
    await saveAdapter(folder, model, { baseModelNameOrPath: server.model });
    try {
      await server.loadAdapter(name, folder);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    this.#adapter = { name, folder };
    return vllmSampler(server, { adapter: name, policyVersion });
  }

  /** Before the next is loaded: a server that has room for one adapter could not unload what the next had driven out. */
  async #retract(): Promise<void> {
    if (this.#adapter === undefined) return;
    const { name, folder } = this.#adapter;
    await this.options.server.unloadAdapter(name);
    rmSync(folder, { recursive: true, force: true });
    this.#adapter = undefined;
  }
}
