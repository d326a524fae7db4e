/** Registers our kernels with the WebGPU back end. */
import * as tf from '@tensorflow/tfjs-core';
import { registerFusedGradients } from '../fused-gradients.js';
import { readChangesAfresh } from './device.js';
import { fusedKernels } from './fused.js';

let installed = false;

/** Puts our kernels into the running WebGPU back end; does nothing the second time. */
export function installWebgpuKernels(): void {
  readChangesAfresh();
  if (installed) return;
  installed = true;
  for (const [kernelName, kernelFunc] of Object.entries(fusedKernels))
    tf.registerKernel({ kernelName, backendName: 'webgpu', kernelFunc });
  registerFusedGradients();
}
