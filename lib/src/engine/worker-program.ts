/** What every worker does: a copy of the model computes what it is asked for, with the weights it is sent. */
import * as tf from '@tensorflow/tfjs-core';
import {
  generate,
  modelFrom,
  type Model,
  scoreDistributions,
  scoreSequences,
  scoreValues,
  trainableWeights,
  withAdapter,
} from '../model/index.js';
import { initBackend } from '../tensor/index.js';
import { assignFlat, flatten } from './flat-weights.js';
import { microStep, type MicroStep } from './micro-step.js';
import { scalarStep } from './scalar.js';
import type {
  WorkerReply,
  WorkerRequest,
  WorkerResults,
  WorkerSetup,
  WorkerTask,
} from './worker-protocol.js';

/** Makes back end and model ready; the function returned answers one request after the other and never rejects. */
export function startProgram(setup: WorkerSetup): (request: WorkerRequest) => Promise<WorkerReply> {
  const prepared = prepareModel(setup);
  // a back end that does not start is told to those who ask for work
  prepared.catch(() => undefined);
  let version: number | undefined;
  return async ({ weights, task }) => {
    try {
      const model = await prepared;
      if (version === undefined && weights.base) assignFlat(model.weights, new Float32Array(weights.base));
      if (weights.version !== version) assignFlat(trainableWeights(model), new Float32Array(weights.buffer));
      version = weights.version;
      const value = await compute(model, task);
      return { value };
    } catch (error) {
      return { error: plainError(error) };
    }
  };
}

async function prepareModel({ config, lora, backend }: WorkerSetup): Promise<Model> {
  await initBackend(backend);
  const zeros = (_: string, shape: readonly number[]): Float32Array =>
    new Float32Array(shape.reduce((a, b) => a * b, 1));
  const model = modelFrom(config, zeros);
  return lora ? withAdapter(model, lora, zeros) : model;
}

async function compute(model: Model, task: WorkerTask): Promise<WorkerResults[WorkerTask['verb']]> {
  switch (task.verb) {
    case 'sample':
      return generate(model, task.prompts, task.params, task.keys);
    case 'logprobs':
      return scoreSequences(model, task.sequences, {
        temperature: task.temperature,
        microBatch: task.sequences.length,
      });
    case 'distributions':
      return scoreDistributions(model, task.sequences, task.sequences.length);
    case 'values':
      return scoreValues(model, task.sequences, { microBatch: task.sequences.length });
    case 'microStep':
      return handOver(model, microStep(model, task.data, task.loss, task.temperature), task.gradients);
    case 'scalarStep':
      return handOver(model, scalarStep(model, task.data, task.loss), task.gradients);
  }
}

/** Writes the gradients to where they are wanted; returns the report as numbers, and frees both. */
async function handOver(
  model: Model,
  { gradients, report }: MicroStep,
  destination: SharedArrayBuffer,
): Promise<Float32Array> {
  await flatten(trainableWeights(model), gradients, new Float32Array(destination));
  const values = Float32Array.from(await report.data<'float32'>());
  tf.dispose([report, ...gradients.values()]);
  return values;
}

function plainError(error: unknown): { name: string; message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
