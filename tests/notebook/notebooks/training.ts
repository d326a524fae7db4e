// %% [markdown]
// # A model is trained in a cell
//
// The smallest of everything: does a notebook see the library, train with it, and show what happens?

// %%
import * as pt from 'posttrain';
import { display, interruptSignal, isFast } from 'posttrain/notebook';

// %%
await pt.initBackend({ backend: 'wasm' });
const model = pt.createModel(
  {
    modelType: 'llama',
    vocabSize: 16,
    hiddenSize: 16,
    intermediateSize: 32,
    numHiddenLayers: 1,
    numAttentionHeads: 2,
    numKeyValueHeads: 1,
    headDim: 8,
    maxPositionEmbeddings: 64,
    ropeTheta: 10_000,
    rmsNormEps: 1e-6,
    tieWordEmbeddings: true,
  },
  7,
);
const rows: pt.SFTRow[] = [{ prompt: Int32Array.of(1, 2), completion: Int32Array.of(3, 4, 5) }];
const config = { maxSteps: isFast() ? 3 : 30, batchSize: 1, learningRate: 1e-2 };
const losses: number[] = [];

// %% [markdown]
// ## Training
//
// The loss falls, as there is one row to learn.

// %%
const shown = display({ 'text/plain': 'step 0' });
for await (const step of pt.sft({
  engine: pt.createLocalEngine(model),
  rows,
  config,
  signal: interruptSignal(),
})) {
  losses.push(step.metrics['loss']!);
  shown.update({ 'text/plain': `step ${step.step}`, 'text/html': `<b>step ${step.step}</b>` });
}

// %%
console.log(losses.length, 'steps');
losses.at(-1)! < losses[0]!;
