/** Registers our kernels with the wasm back end. */
import * as tf from '@tensorflow/tfjs-core';
import type { KernelFunc, TensorInfo } from '@tensorflow/tfjs-core';
import { registerFusedGradients } from '../fused-gradients.js';
import { fusedKernels } from './fused.js';
import { loadKernels, share } from './heap.js';
import { multiply } from './matmul.js';

/** Stock kernels that ours replace. */
const replacements: Record<string, KernelFunc> = {
  BatchMatMul: ({ inputs, attrs }) =>
    multiply({
      a: inputs['a'] as TensorInfo,
      b: inputs['b'] as TensorInfo,
      transposeA: Boolean(attrs?.['transposeA']),
      transposeB: Boolean(attrs?.['transposeB']),
    }),
  // The stock kernel copies; the tape clones every tensor it saves.
  Identity: ({ inputs }) => share(inputs['x'] as TensorInfo),
};

function replaceKernel(kernelName: string, kernelFunc: KernelFunc): void {
  if (tf.getKernel(kernelName, 'wasm') as unknown) tf.unregisterKernel(kernelName, 'wasm');
  tf.registerKernel({ kernelName, backendName: 'wasm', kernelFunc });
}

let installed = false;

/** Puts our kernels into the running wasm back end; does nothing the second time. */
export async function installWasmKernels(): Promise<void> {
  await loadKernels();
  if (installed) return;
  installed = true;
  for (const [name, kernel] of Object.entries({ ...replacements, ...fusedKernels }))
    replaceKernel(name, kernel);
  registerFusedGradients();
}
