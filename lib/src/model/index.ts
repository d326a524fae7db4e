export type {
  Adapter,
  LoraConfig,
  Model,
  ModelConfig,
  RopeScaling,
  Sample,
  SamplingParams,
} from './types.js';
export { configFromJSON, configToJSON } from './config.js';
export { presets } from './presets.js';
export {
  adapterShapes,
  addAdapter,
  changesNothing,
  disposeAdapter,
  mergeAdapter,
  withAdapter,
  type AdapterOptions,
} from './adapter.js';
export { adapterConfigFromJSON, adapterConfigToJSON } from './adapter-config.js';
export {
  cloneAdapter,
  cloneModel,
  copyWeights,
  createModel,
  disposeModel,
  modelFrom,
  parameterCount,
  trainableWeights,
  weight,
  weightShapes,
} from './weights.js';
export { forward, outputLogits } from './transformer.js';
export { outputScores, scoreValues, selectedValues, withScalarHead } from './scalar.js';
export {
  padSelected,
  scoreDistributions,
  scoreSequences,
  selectedLogits,
  selectTokens,
  sequenceLogprobs,
  type TokenSelection,
} from './logprobs.js';
export { selectPositions, type MaskedSequence, type PositionSelection } from './selection.js';
export { generate, sampleKeys, type GenerateOptions, type SampleKey } from './generate.js';
export {
  parseSafetensors,
  serializeSafetensors,
  type NamedTensor,
  type SafetensorsFile,
} from './safetensors.js';
