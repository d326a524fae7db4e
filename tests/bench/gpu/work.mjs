// What is measured: three sizes of model, how much each trains on and samples; and all of it tiny, to see that the script works.
import { presets } from 'posttrain/model';

/** SmolLM2-135M (Hugging Face, Apache-2.0), its shape only. */
const smolLM2 = {
  modelType: 'llama',
  vocabSize: 49152,
  hiddenSize: 576,
  intermediateSize: 1536,
  numHiddenLayers: 30,
  numAttentionHeads: 9,
  numKeyValueHeads: 3,
  headDim: 64,
  maxPositionEmbeddings: 2048,
  ropeTheta: 100_000,
  rmsNormEps: 1e-5,
  tieWordEmbeddings: true,
};

const full = [
  { name: 'nano', config: presets.nano(1536), train: [16, 128], sample: [64, 32, 128] },
  { name: 'small', config: presets.small(4096), train: [16, 256], sample: [64, 32, 128] },
  {
    name: '135M',
    config: smolLM2,
    lora: { r: 16, loraAlpha: 32, seed: 1 },
    train: [4, 512],
    sample: [32, 32, 64],
  },
];

/** Same layers and code paths, seconds on a device in software. */
const tiny = full.map(({ config, ...work }) => ({
  ...work,
  name: `${work.name}, tiny`,
  config: { ...config, vocabSize: 256, numHiddenLayers: 1 },
  train: [2, 16],
  sample: [2, 4, 4],
}));

export const workFor = (isTiny) => (isTiny ? tiny : full);

/** Weights of the right size, quickly: a training run draws them better. */
export function someWeights(name, shape) {
  const size = shape.reduce((product, n) => product * n, 1);
  if (name.endsWith('norm.weight')) return new Float32Array(size).fill(1);
  const scale = Math.sqrt(12 / shape.at(-1));
  let state = 1;
  return Float32Array.from({ length: size }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return scale * (state / 2 ** 32 - 0.5);
  });
}
