/** SwiGLU on WebGPU, an invocation an element. */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { sizeOf } from '../kernel.js';
import { like } from './device.js';
import { launchEach, reads, writes } from './launch.js';

/** From exp(-|x|), which never overflows. */
const SIGMOID = `
  let decay = exp(-abs(gate[i]));
  let sigmoid = select(decay, 1.0, gate[i] >= 0.0) / (1.0 + decay);`;

export function swiglu(gate: TensorInfo, up: TensorInfo): TensorInfo {
  const product = like(gate);
  const bindings = { gate: reads(gate), up: reads(up), product: writes(product) };
  launchEach('SwiGLU', `${SIGMOID} product[i] = gate[i] * sigmoid * up[i];`, sizeOf(gate), bindings);
  return product;
}

export function swigluGradient(
  dy: TensorInfo,
  gate: TensorInfo,
  up: TensorInfo,
): [dGate: TensorInfo, dUp: TensorInfo] {
  const [dGate, dUp] = [like(gate), like(up)];
  launchEach(
    'SwiGLUGradient',
    `${SIGMOID}
    dUp[i] = dy[i] * gate[i] * sigmoid;
    dGate[i] = dy[i] * up[i] * sigmoid * (1.0 + gate[i] * (1.0 - sigmoid));`,
    sizeOf(gate),
    { dy: reads(dy), gate: reads(gate), up: reads(up), dGate: writes(dGate), dUp: writes(dUp) },
  );
  return [dGate, dUp];
}
