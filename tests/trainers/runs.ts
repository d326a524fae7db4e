/** Runs of a trainer on the tiny model: whole ones, and one that is stopped and goes on. */
import * as tf from '@tensorflow/tfjs-core';
import { createLocalEngine, decodeCheckpoint, encodeCheckpoint, type Engine } from 'posttrain/engine';
import { disposeModel } from 'posttrain/model';
import type { Metrics } from 'posttrain/trainers';
import { bits, tinyModel } from '../engine/tiny.js';

/** An engine for as long as `use` takes. */
export async function withEngine<R>(use: (engine: Engine) => Promise<R>, seed?: number): Promise<R> {
  const model = tinyModel(seed);
  const engine = createLocalEngine(model);
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

/** A run from beginning to end. */
export const straightRun = <State>(start: (engine: Engine) => AsyncIterable<Step<State>>): Promise<Outcome> =>
  withEngine(async (engine) => {
    const steps = await collect(start(engine));
    return { metrics: steps.map(({ metrics }) => metrics), bits: bits(await engine.save()) };
  });

/**
 * The same run stopped after two steps by its signal, and gone on with from a checkpoint by an engine that had other weights.
 * @param resume takes the steps that are left
 */
export async function interruptedRun<State>(
  start: (engine: Engine, signal: AbortSignal) => AsyncIterable<Step<State>>,
  resume: (engine: Engine, state: State) => Promise<Step<State>[]>,
): Promise<Outcome> {
  const { bytes, metrics } = await withEngine(async (engine) => {
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
  return withEngine(async (engine) => {
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
