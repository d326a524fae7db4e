/**
 * Derivatives of the stock ops, registered. The tfjs core package defines the tape but registers no derivative; these
 * are the ones that models and losses need. Kernel, input and attribute names are tfjs's.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { GradConfig, Tensor } from '@tensorflow/tfjs-core';
import { requireIndices } from './checks.js';
import {
  binary,
  flat,
  flatBinary,
  fromInput,
  fromOutput,
  keptShape,
  shaping,
  unbroadcast,
} from './derivatives.js';
import { fusedOr } from './dispatch.js';

function unaryGradients(): GradConfig[] {
  const inputName = (kernelName: string): string =>
    kernelName === 'Softmax' || kernelName === 'LogSoftmax' ? 'logits' : 'x';
  return [
    ...Object.entries({ ...fromInput, ...shaping }).map(([kernelName, derivative]): GradConfig => ({
      kernelName,
      inputsToSave: ['x'],
      gradFunc: (dy, [x], attributes) => ({ x: () => derivative(dy as Tensor, x as Tensor, attributes) }),
    })),
    ...Object.entries(fromOutput).map(([kernelName, derivative]): GradConfig => ({
      kernelName,
      outputsToSave: [true],
      gradFunc: (dy, [y], attributes) => ({
        [inputName(kernelName)]: () => derivative(dy as Tensor, y as Tensor, attributes),
      }),
    })),
    ...flat.map((kernelName): GradConfig => ({
      kernelName,
      gradFunc: (dy) => ({ x: () => tf.zeros((dy as Tensor).shape) }),
    })),
  ];
}

function binaryGradients(): GradConfig[] {
  return [
    ...Object.entries(binary).map(([kernelName, [byA, byB]]): GradConfig => ({
      kernelName,
      inputsToSave: ['a', 'b'],
      gradFunc: (dy, [a, b]) => ({
        a: () => unbroadcast(byA(dy as Tensor, a as Tensor, b as Tensor), (a as Tensor).shape),
        b: () => unbroadcast(byB(dy as Tensor, a as Tensor, b as Tensor), (b as Tensor).shape),
      }),
    })),
    ...flatBinary.map((kernelName): GradConfig => ({
      kernelName,
      inputsToSave: ['a', 'b'],
      gradFunc: (_, [a, b]) => ({
        a: () => tf.zeros((a as Tensor).shape),
        b: () => tf.zeros((b as Tensor).shape),
      }),
    })),
  ];
}

const batchMatMul: GradConfig = {
  kernelName: 'BatchMatMul',
  inputsToSave: ['a', 'b'],
  gradFunc: (dy, [a, b], { transposeA, transposeB }) => {
    const [g, left, right] = [dy as Tensor, a as Tensor, b as Tensor];
    const [tA, tB] = [Boolean(transposeA), Boolean(transposeB)];
    return {
      a: () => unbroadcast(tA ? tf.matMul(right, g, tB, true) : tf.matMul(g, right, false, !tB), left.shape),
      b: () => unbroadcast(tB ? tf.matMul(g, left, true, tA) : tf.matMul(left, g, !tA, false), right.shape),
    };
  },
};

/** y = x Wᵀ + start. */
const linear: GradConfig = {
  kernelName: 'Linear',
  inputsToSave: ['x', 'weight', 'start'],
  gradFunc: (dy, [x, weight, start]) => {
    const g = dy as Tensor;
    return {
      x: () => tf.matMul(g, weight as Tensor),
      weight: () => tf.matMul(g, x as Tensor, true),
      start: () => unbroadcast(g, (start as Tensor).shape),
    };
  },
};

const select: GradConfig = {
  kernelName: 'Select',
  inputsToSave: ['condition'],
  gradFunc: (dy, [condition]) => {
    const [g, mask] = [dy as Tensor, condition as Tensor];
    return {
      condition: () => tf.zeros(mask.shape),
      t: () => tf.where(mask, g, tf.zerosLike(g)),
      e: () => tf.where(mask, tf.zerosLike(g), g),
    };
  },
};

const extreme = (kernelName: string): GradConfig => ({
  kernelName,
  inputsToSave: ['x'],
  outputsToSave: [true],
  gradFunc: (dy, [x, y], { reductionIndices, axis }) => ({
    x: () => {
      const input = x as Tensor;
      const { shape } = keptShape(input, reductionIndices ?? axis);
      const isExtreme = tf.equal(input, tf.reshape(y as Tensor, shape));
      return tf.mul(tf.cast(isExtreme, 'float32'), tf.reshape(dy as Tensor, shape));
    },
  }),
});

const expandDims: GradConfig = {
  kernelName: 'ExpandDims',
  inputsToSave: ['input'],
  gradFunc: (dy, [input]) => ({ input: () => tf.reshape(dy as Tensor, (input as Tensor).shape) }),
};

const gather: GradConfig = {
  kernelName: 'GatherV2',
  inputsToSave: ['x', 'indices'],
  gradFunc: (dy, [x, indices], { axis }) => ({
    x: () => {
      const [g, table, ids] = [dy as Tensor, x as Tensor, indices as Tensor];
      if (axis !== 0) throw new Error(`gather has a gradient along axis 0 only, not ${axis as number}`);
      requireIndices('indices', ids, table.shape[0] as number);
      const rows = tf.reshape(g, [ids.size, ...table.shape.slice(1)]);
      const flat = tf.reshape(ids, [-1]) as tf.Tensor1D;
      const matrix = tf.reshape(table, [table.shape[0] as number, -1]);
      // tfjs's wasm has no UnsortedSegmentSum; the gradient of an embedding is the same sum.
      const [sums] = fusedOr<Tensor[]>(
        'EmbeddingGradient',
        { dy: rows, table: matrix, ids: flat },
        {},
        () => [tf.unsortedSegmentSum(rows, flat, table.shape[0] as number)],
      );
      return tf.reshape(sums as Tensor, table.shape);
    },
    indices: () => tf.zeros((indices as Tensor).shape),
  }),
};

const concat: GradConfig = {
  kernelName: 'Concat',
  saveAllInputs: true,
  gradFunc: (dy, saved, { axis }) => {
    const along = tf.util.parseAxisParam(axis as number, (saved[0] as Tensor).shape)[0] as number;
    let offset = 0;
    return Object.fromEntries(
      saved.map((part, i) => {
        const begin = part.shape.map((_, j) => (j === along ? offset : 0));
        offset += part.shape[along] as number;
        return [i, () => tf.slice(dy as Tensor, begin, part.shape)];
      }),
    );
  },
};

const split: GradConfig = {
  kernelName: 'SplitV',
  gradFunc: (dy, _, { axis }) => ({ x: () => tf.concat(dy as Tensor[], axis as number) }),
};

const stack: GradConfig = {
  kernelName: 'Pack',
  saveAllInputs: true,
  gradFunc: (dy, saved, { axis }) => {
    const parts = tf.unstack(dy as Tensor, axis as number);
    return Object.fromEntries(saved.map((_, i) => [i, () => parts[i] as Tensor]));
  },
};

const unstack: GradConfig = {
  kernelName: 'Unpack',
  gradFunc: (dy, _, { axis }) => ({ value: () => tf.stack(dy as Tensor[], axis as number) }),
};

const addN: GradConfig = {
  kernelName: 'AddN',
  saveAllInputs: true,
  gradFunc: (dy, saved) => Object.fromEntries(saved.map((_, i) => [i, () => tf.clone(dy as Tensor)])),
};

/** What is not one formula: several inputs or outputs, indices, products. */
const others: GradConfig[] = [
  batchMatMul,
  linear,
  select,
  extreme('Max'),
  extreme('Min'),
  expandDims,
  gather,
  concat,
  split,
  stack,
  unstack,
  addN,
];

const gradients: readonly GradConfig[] = [...unaryGradients(), ...binaryGradients(), ...others];

/** Registers all that the program has not brought itself; does nothing the second time. */
export function registerGradients(): void {
  for (const config of gradients)
    if (!(tf.getGradient(config.kernelName) as unknown)) tf.registerGradient(config);
}

/** Loads a package that brings tfjs's derivatives with it, and keeps those there were: tfjs's do not know broadcast products. */
export function keepGradients(load: () => void): void {
  registerGradients();
  const kept = gradients.map(({ kernelName }) => tf.getGradient(kernelName));
  load();
  for (const config of kept) tf.registerGradient(config);
}
