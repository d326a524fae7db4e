/** Runs of a trainer on the tiny model: whole ones, and one that is stopped and goes on. */
import * as tf from '@tensorflow/tfjs-core';
import {
  createLocalEngine,
  createScalarEngine,
  decodeCheckpoint,
  encodeCheckpoint,
  type Engine,
  type ScalarEngine,
} from 'posttrain/engine';
import { disposeModel, type Model, withScalarHead } from 'posttrain/model';
import type { Metrics } from 'posttrain/trainers';
import { bits, tinyModel } from '../engine/tiny.js';

/** An engine for as long as `use` takes. */
export const withEngine = <R>(use: (engine: Engine) => Promise<R>, seed?: number): Promise<R> =>
  withModel(tinyModel(seed), createLocalEngine, use);

/** The engine of a new reward model or critic. */
export function withScalarEngine<R>(use: (engine: ScalarEngine) => Promise<R>, seed?: number): Promise<R> {
  const language = tinyModel(seed);
  const model = withScalarHead(language);
  disposeModel(language);
  return withModel(model, createScalarEngine, use);
}

async function withModel<E extends { dispose(): void }, R>(
  model: Model,
  create: (model: Model) => E,
  use: (engine: E) => Promise<R>,
): Promise<R> {
  const engine = create(model);
  try {
    return await use(engine);
  } finally {
    engine.dispose();
    disposeModel(model);
  }
}

export async function collect<Step>(steps: AsyncIterable<Step>): Promise<Step[]> {
  const collected: Step[] = [];
  for await (const step of steps) collected.push(step);
  return collected;
}

interface Step<State> {
  readonly step: number;
  readonly metrics: Metrics;
  readonly state: State;
}

/** What two runs must share to count as the same. */
export interface Outcome {
  readonly metrics: readonly Metrics[];
  /** Of the weights at the end. */
  readonly bits: unknown;
}

/** Opens an engine for as long as `use` takes, with weights of its own from each seed. */
type Open<E> = <R>(use: (engine: E) => Promise<R>, seed?: number) => Promise<R>;
type Resumable = Pick<Engine, 'save' | 'load'>;

/** A run from beginning to end. */
export function straightRun<State, E extends Resumable = Engine>(
  start: (engine: E) => AsyncIterable<Step<State>>,
  open: Open<E> = withEngine as unknown as Open<E>,
): Promise<Outcome> {
  return open(async (engine) => {
    const steps = await collect(start(engine));
    return { metrics: steps.map(({ metrics }) => metrics), bits: bits(await engine.save()) };
  });
}

/**
 * The same run stopped after two steps by its signal, and gone on with from a checkpoint by an engine that had other weights.
 * @param resume takes the steps that are left
 */
export async function interruptedRun<State, E extends Resumable = Engine>(
  start: (engine: E, signal: AbortSignal) => AsyncIterable<Step<State>>,
  resume: (engine: E, state: State) => Promise<Step<State>[]>,
  open: Open<E> = withEngine as unknown as Open<E>,
): Promise<Outcome> {
  const { bytes, metrics } = await open(async (engine) => {
    const stop = new AbortController();
    const steps: Step<State>[] = [];
    for await (const step of start(engine, stop.signal)) {
      steps.push(step);
      if (step.step === 2) stop.abort();
    }
    const trainer = (steps.at(-1) as Step<State>).state;
    return {
      bytes: encodeCheckpoint({ engine: await engine.save(), trainer }),
      metrics: steps.map((step) => step.metrics),
    };
  });
  const { engine: saved, trainer } = decodeCheckpoint<State>(bytes);
  return open(async (engine) => {
    await engine.load(saved);
    const steps = await resume(engine, trainer);
    return {
      metrics: [...metrics, ...steps.map((step) => step.metrics)],
      bits: bits(await engine.save()),
    };
  }, 99);
}

/** How many tensors are alive at each step of a run. */
export async function liveTensors(steps: AsyncIterable<{ readonly step: number }>): Promise<number[]> {
  const counts: number[] = [];
  for await (const { step } of steps) counts[step - 1] = tf.memory().numTensors;
  return counts;
}
