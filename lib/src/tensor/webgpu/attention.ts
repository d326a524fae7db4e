/** Causal attention on WebGPU without a table of scores: FlashAttention's algorithm 1. */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import {
  at,
  type AttentionInputs,
  attentionProgram,
  FOR_EACH_BLOCK_OF_KEYS,
  FOR_EACH_SEEN_KEY,
  type Layout,
  layoutOf,
  LOAD_KEYS,
  sizesOf,
} from './attention-layout.js';
import { like, makeOutput } from './device.js';
import { launch, type Program, reads, readsInts, writes } from './launch.js';

const forward = (layout: Layout): Program =>
  attentionProgram(
    'CausalAttention',
    layout,
    `
    let here = ${at('min(position, size.length - 1u)', 'heads', 'head')};
    var query: Vector;
    var mixture: Vector;
    if (isReal) {
      for (var i = 0u; i < ELEMENTS; i++) { query[i] = q[here + i] * size.scale; }
    }
    var largest = -1e30;
    var sum = 0.0;
    ${FOR_EACH_BLOCK_OF_KEYS} {
      ${LOAD_KEYS}
      ${FOR_EACH_SEEN_KEY} {
        var score = 0.0;
        for (var i = 0u; i < ELEMENTS; i++) { score += product(query[i], left[j * ELEMENTS + i]); }
        let larger = max(largest, score);
        let kept = exp(largest - larger);
        let weight = exp(score - larger);
        largest = larger;
        sum = sum * kept + weight;
        for (var i = 0u; i < ELEMENTS; i++) {
          mixture[i] = mixture[i] * kept + weight * right[j * ELEMENTS + i];
        }
      }
    }
    if (position < size.length) {
      let share = select(0.0, 1.0 / sum, isReal);
      for (var i = 0u; i < ELEMENTS; i++) { attended[here + i] = mixture[i] * share; }
      lse[(batch * size.heads + head) * size.length + position] = select(0.0, largest + log(sum), isReal);
    }`,
  );

export function causalAttention(inputs: AttentionInputs): [attended: TensorInfo, lse: TensorInfo] {
  const { q, k, v, starts } = inputs;
  const { batch, headDim, counts, floats } = sizesOf(inputs);
  const layout = layoutOf(headDim);
  const [attended, lse] = [like(q), makeOutput([batch, counts.heads, counts.length])];
  launch(
    forward(layout),
    batch * counts.heads * counts.tiles,
    {
      q: reads(q, layout.element),
      k: reads(k, layout.element),
      v: reads(v, layout.element),
      starts: readsInts(starts),
      attended: writes(attended, layout.element),
      lse: writes(lse),
    },
    { counts: { ...counts, tileHeads: counts.heads }, floats },
  );
  return [attended, lse];
}
