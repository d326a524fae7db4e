export { gemm, gemmScratch } from './gemm';
export { attention, attentionGradient, attentionGradientScratch, attentionScratch } from './attention';
export { decodeAttention, decodeScratch } from './decode-attention';
export { rmsNorm, rmsNormGradient } from './rms-norm';
export { rotary } from './rotary';
export { swiglu, swigluGradient } from './swiglu';
export { selectedLogprobs, selectedLogprobsGradient } from './selected-logprobs';
export { embedding, embeddingGradient } from './embedding';
export { adamW, sumOfSquares } from './optimizer';
