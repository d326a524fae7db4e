/** The program of a worker thread: a copy of the model that computes what it is asked for, with the weights it is sent. */
import { parentPort, workerData } from 'node:worker_threads';
import * as tf from '@tensorflow/tfjs-core';
import {
  generate,
  modelFrom,
  type Model,
  scoreSequences,
  trainableWeights,
  withAdapter,
} from '../model/index.js';
import { type BackendName, initBackend } from '../tensor/index.js';
import { assignFlat, flatSize, flatten } from './flat-weights.js';
import { microStep } from './micro-step.js';
import type {
  WorkerReply,
  WorkerRequest,
  WorkerResults,
  WorkerSetup,
  WorkerTask,
} from './worker-protocol.js';

const { config, lora, backend } = workerData as WorkerSetup;
await initBackend({ backend: backend as BackendName });
const zeros = (_: string, shape: readonly number[]): Float32Array =>
  new Float32Array(shape.reduce((a, b) => a * b, 1));
const plain = modelFrom(config, zeros);
const model = lora ? withAdapter(plain, lora, zeros) : plain;
const trained = trainableWeights(model);
let version: number | undefined;

parentPort?.on('message', ({ weights, task }: WorkerRequest) => {
  if (version === undefined && weights.base) assignFlat(model.weights, new Float32Array(weights.base));
  if (weights.version !== version) assignFlat(trained, new Float32Array(weights.buffer));
  version = weights.version;
  compute(model, task).then(
    (value) => parentPort?.postMessage({ value } satisfies WorkerReply, buffersOf(value)),
    (error: unknown) => parentPort?.postMessage({ error: plainError(error) } satisfies WorkerReply),
  );
});

async function compute(model: Model, task: WorkerTask): Promise<WorkerResults[WorkerTask['verb']]> {
  switch (task.verb) {
    case 'sample':
      return generate(model, task.prompts, task.params, task.keys);
    case 'logprobs':
      return scoreSequences(model, task.sequences, {
        temperature: task.temperature,
        microBatch: task.sequences.length,
      });
    case 'microStep': {
      const { gradients, report } = microStep(model, task.data, task.loss, task.temperature);
      const flat = new Float32Array(flatSize(trained));
      await flatten(trained, gradients, flat);
      const values = Float32Array.from(await report.data<'float32'>());
      tf.dispose([report, ...gradients.values()]);
      return { report: values, gradients: flat };
    }
  }
}

/** What is handed over instead of copied. */
function buffersOf(value: WorkerResults[WorkerTask['verb']]): ArrayBuffer[] {
  return 'gradients' in value ? [value.gradients.buffer as ArrayBuffer] : [];
}

function plainError(error: unknown): { name: string; message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
