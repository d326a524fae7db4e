/** Log-probability and entropy of selected tokens on WebGPU: a workgroup a row, nothing as large as the logits in between. */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { sizeOf } from '../kernel.js';
import { like, makeOutput } from './device.js';
import { launch, launchEach, type Program, reads, readsInts, REDUCTIONS, writes } from './launch.js';

/** By their bits, as WGSL lets a compiler assume that there is no -Infinity and no NaN. */
const SPECIAL_VALUES = `
  fn isExcluded(logit: f32) -> bool { return bitcast<u32>(logit) == 0xff800000u; }
  fn isNaN(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }`;

const forward: Program = {
  name: 'SelectedLogprobs',
  declarations: REDUCTIONS + SPECIAL_VALUES,
  body: `
    let first = group * size.vocab;
    var most = -3.0e38;
    var invalid = 0.0;
    for (var i = lane; i < size.vocab; i += WIDTH) {
      if (isNaN(logits[first + i])) { invalid = 1.0; }
      if (!isExcluded(logits[first + i])) { most = max(most, logits[first + i] * size.sharpness); }
    }
    let largest = largestOfLanes(most, lane);
    var sum = 0.0;
    var weighted = 0.0;
    for (var i = lane; i < size.vocab; i += WIDTH) {
      if (isExcluded(logits[first + i])) { continue; }
      let shifted = logits[first + i] * size.sharpness - largest;
      sum += exp(shifted);
      weighted += exp(shifted) * shifted;
    }
    sum = sumOfLanes(sum, lane);
    invalid = sumOfLanes(invalid, lane);
    weighted = sumOfLanes(weighted, lane);
    if (lane == 0u) {
      let chosen = logits[first + u32(targets[group])];
      // NaN must come out, so that it is noticed; no arithmetic need hand it on.
      var bits = 0x7fc00000u;
      let nan = bitcast<f32>(bits);
      let logSum = log(sum);
      logprobs[group] = select(chosen * size.sharpness - largest - logSum, nan, invalid > 0.0);
      entropy[group] = select(logSum - weighted / sum, nan, invalid > 0.0);
      lse[group] = select(largest + logSum, nan, invalid > 0.0);
    }`,
};

export function selectedLogprobs(
  logits: TensorInfo,
  targets: TensorInfo,
  temperature: number,
): [logprobs: TensorInfo, entropy: TensorInfo, lse: TensorInfo] {
  const [rows, vocab] = logits.shape as [number, number];
  const [logprobs, entropy, lse] = [makeOutput([rows]), makeOutput([rows]), makeOutput([rows])];
  launch(
    forward,
    rows,
    {
      logits: reads(logits),
      targets: readsInts(targets),
      logprobs: writes(logprobs),
      entropy: writes(entropy),
      lse: writes(lse),
    },
    { counts: { vocab }, floats: { sharpness: 1 / temperature } },
  );
  return [logprobs, entropy, lse];
}

export function selectedLogprobsGradient(
  inputs: Record<'dy' | 'logits' | 'targets' | 'lse', TensorInfo>,
  temperature: number,
): TensorInfo {
  const { dy, logits, targets, lse } = inputs;
  const dLogits = like(logits);
  launchEach(
    'SelectedLogprobsGradient',
    `
    let row = i / size.vocab;
    let isChosen = i % size.vocab == u32(targets[row]);
    let excluded = bitcast<u32>(logits[i]) == 0xff800000u;
    let probability = select(exp(logits[i] * size.sharpness - lse[row]), 0.0, excluded);
    dLogits[i] = dy[row] * size.sharpness * (select(0.0, 1.0, isChosen) - probability);`,
    sizeOf(logits),
    {
      dy: reads(dy),
      logits: reads(logits),
      targets: readsInts(targets),
      lse: reads(lse),
      dLogits: writes(dLogits),
    },
    { counts: { vocab: logits.shape[1] as number }, floats: { sharpness: 1 / temperature } },
  );
  return dLogits;
}
