export { backendInUse, backendNames, initBackend } from './backend.js';
export type { BackendInfo, BackendName, BackendOptions } from './backend.js';
export { doctor, formatDoctorReport } from './doctor.js';
export type { DoctorReport } from './doctor.js';
export { randomStream, uniform } from './random.js';
export type { RandomStream } from './random.js';
export { stopGradient } from './stop-gradient.js';
export { requireRows } from './checks.js';
export { fusedOr, isFused } from './dispatch.js';
export { linear, matMul } from './linear.js';
export { packWeight } from './packed-weight.js';
export { copyValues } from './copy-values.js';
export { addLowRank } from './add-low-rank.js';
export { embedding } from './embedding.js';
export { rmsNorm } from './rms-norm.js';
export { layerNorm } from './layer-norm.js';
export { rotary, type RotaryTheta, type ScaledTheta } from './rotary.js';
export { causalAttention } from './causal-attention.js';
export { swiglu } from './swiglu.js';
export { reluSquared } from './relu-squared.js';
export { selectedLogprobs } from './selected-logprobs.js';
export type { SelectedLogprobs } from './selected-logprobs.js';
export { sampleTokens } from './sample-tokens.js';
export { drawToken } from './draw-token.js';
export type { Draw, DrawTokenOptions } from './draw-token.js';
export {
  createKVCache,
  decodeAttention,
  disposeKVCache,
  prefillKVCache,
  selectKVCacheRows,
} from './kv-cache.js';
export type { KVCache, KVPrefix } from './kv-cache.js';
export { adamWUpdate } from './adamw.js';
export type { AdamWOptions } from './adamw.js';
export { muonUpdate } from './muon.js';
export type { AdjustLrFn, MuonOptions } from './muon.js';
export { globalNorm } from './global-norm.js';
export { valueAndGradients } from './value-and-gradients.js';
export { asGraph } from './as-graph.js';
