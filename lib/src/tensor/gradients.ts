/**
 * Derivatives of the stock ops. The tfjs core package defines the tape but registers no derivative; these are the
 * ones that models and losses need. Kernel, input and attribute names are tfjs's.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { NamedAttrMap, Tensor } from '@tensorflow/tfjs-core';
import { requireIndices } from './checks.js';
import { fusedOr } from './dispatch.js';

/** Sums a gradient over the axes along which an operand was broadcast. */
function unbroadcast(gradient: Tensor, shape: number[]): Tensor {
  const axes = tf.broadcast_util.getReductionAxes(shape, gradient.shape);
  return tf.reshape(axes.length > 0 ? tf.sum(gradient, axes) : gradient, shape);
}

/** `y = f(x)`: derivative from dy and whichever of x and y it needs. */
type Unary = (dy: Tensor, value: Tensor, attributes: NamedAttrMap) => Tensor;

const fromInput: Record<string, Unary> = {
  Abs: (dy, x) => tf.mul(dy, tf.sign(x)),
  Cast: (dy) => tf.cast(dy, 'float32'),
  ClipByValue: (dy, x, { clipValueMin, clipValueMax }) =>
    tf.where(
      tf.logicalAnd(tf.greaterEqual(x, clipValueMin as number), tf.lessEqual(x, clipValueMax as number)),
      dy,
      tf.zerosLike(dy),
    ),
  Cos: (dy, x) => tf.mul(dy, tf.neg(tf.sin(x))),
  Identity: (dy) => tf.clone(dy),
  Log: (dy, x) => tf.div(dy, x),
  Log1p: (dy, x) => tf.div(dy, tf.add(x, 1)),
  Neg: (dy) => tf.neg(dy),
  Relu: (dy, x) => tf.mul(dy, tf.step(x)),
  Rsqrt: (dy, x) => tf.mul(dy, tf.div(-0.5, tf.mul(x, tf.sqrt(x)))),
  Sin: (dy, x) => tf.mul(dy, tf.cos(x)),
  Softplus: (dy, x) => tf.mul(dy, tf.sigmoid(x)),
  Sqrt: (dy, x) => tf.div(dy, tf.mul(2, tf.sqrt(x))),
  Square: (dy, x) => tf.mul(dy, tf.mul(2, x)),
};

const fromOutput: Record<string, Unary> = {
  Exp: (dy, y) => tf.mul(dy, y),
  Expm1: (dy, y) => tf.mul(dy, tf.add(y, 1)),
  Sigmoid: (dy, y) => tf.mul(dy, tf.mul(y, tf.sub(1, y))),
  Tanh: (dy, y) => tf.mul(dy, tf.sub(1, tf.square(y))),
  Softmax: (dy, y, { dim }) => {
    const weighted = tf.mul(dy, y);
    return tf.sub(weighted, tf.mul(tf.sum(weighted, dim as number, true), y));
  },
  LogSoftmax: (dy, y, { axis }) => tf.sub(dy, tf.mul(tf.sum(dy, axis as number, true), tf.exp(y))),
};

/** Piecewise constant functions: the derivative is 0 wherever there is one. */
const flat = [
  'Ceil',
  'Floor',
  'Round',
  'Sign',
  'Step',
  'OnesLike',
  'ZerosLike',
  'IsNan',
  'IsFinite',
  'LogicalNot',
];
const flatBinary = [
  'Equal',
  'NotEqual',
  'Greater',
  'GreaterEqual',
  'Less',
  'LessEqual',
  'LogicalAnd',
  'LogicalOr',
];

/** Derivatives with respect to a and b, before undoing a broadcast. */
type Binary = readonly [
  (dy: Tensor, a: Tensor, b: Tensor) => Tensor,
  (dy: Tensor, a: Tensor, b: Tensor) => Tensor,
];

const binary: Record<string, Binary> = {
  Add: [(dy) => dy, (dy) => dy],
  Sub: [(dy) => dy, (dy) => tf.neg(dy)],
  Multiply: [(dy, _, b) => tf.mul(dy, b), (dy, a) => tf.mul(dy, a)],
  RealDiv: [(dy, _, b) => tf.div(dy, b), (dy, a, b) => tf.neg(tf.div(tf.mul(dy, a), tf.square(b)))],
  Maximum: [
    (dy, a, b) => tf.where(tf.greaterEqual(a, b), dy, tf.zerosLike(dy)),
    (dy, a, b) => tf.where(tf.less(a, b), dy, tf.zerosLike(dy)),
  ],
  Minimum: [
    (dy, a, b) => tf.where(tf.lessEqual(a, b), dy, tf.zerosLike(dy)),
    (dy, a, b) => tf.where(tf.greater(a, b), dy, tf.zerosLike(dy)),
  ],
  SquaredDifference: [
    (dy, a, b) => tf.mul(dy, tf.mul(2, tf.sub(a, b))),
    (dy, a, b) => tf.mul(dy, tf.mul(2, tf.sub(b, a))),
  ],
  Pow: [
    (dy, a, b) => tf.mul(dy, tf.mul(b, tf.pow(a, tf.sub(b, 1)))),
    (dy, a, b) =>
      tf.mul(dy, tf.mul(tf.pow(a, b), tf.where(tf.greater(a, 0), tf.log(tf.maximum(a, 0)), tf.zerosLike(a)))),
  ],
};

/** A gradient of the one input `x` that needs only its shape. */
type Shaping = (dy: Tensor, x: Tensor, attributes: NamedAttrMap) => Tensor;

/** The sizes of `x` with the reduced axes kept as 1. */
function keptShape(x: Tensor, axis: unknown): { shape: number[]; axes: number[] } {
  const axes = tf.util.parseAxisParam(axis as number | number[], x.shape);
  return { shape: x.shape.map((size, i) => (axes.includes(i) ? 1 : size)), axes };
}

const shaping: Record<string, Shaping> = {
  Reshape: (dy, x) => tf.reshape(dy, x.shape),
  Transpose: (dy, _, { perm }) => tf.transpose(dy, tf.backend_util.getUndoAxesPermutation(perm as number[])),
  BroadcastTo: (dy, x) => unbroadcast(dy, x.shape),
  Sum: (dy, x, { axis }) => tf.broadcastTo(tf.reshape(dy, keptShape(x, axis).shape), x.shape),
  Mean: (dy, x, { axis }) => {
    const { shape, axes } = keptShape(x, axis);
    const count = axes.reduce((product, i) => product * (x.shape[i] as number), 1);
    return tf.div(tf.broadcastTo(tf.reshape(dy, shape), x.shape), count);
  },
  Slice: (dy, x, { begin, size }) => {
    // `begin` may be one number, or shorter than the shape.
    const [starts, sizes] = tf.slice_util.parseSliceParams(x, begin as number[], size as number[]) as [
      number[],
      number[],
    ];
    return tf.pad(
      dy,
      starts.map((start, i) => [start, (x.shape[i] as number) - start - (sizes[i] as number)]),
    );
  },
  PadV2: (dy, x, { paddings }) =>
    tf.slice(
      dy,
      (paddings as number[][]).map(([before]) => before as number),
      x.shape,
    ),
  Tile: (dy, x, { reps }) => {
    // [a, b] tiled (m, n) is [m, a, n, b] flattened: sum over m and n.
    const split = x.shape.flatMap((size, i) => [(reps as number[])[i] as number, size]);
    return tf.reshape(
      tf.sum(
        tf.reshape(dy, split),
        x.shape.map((_, i) => 2 * i),
      ),
      x.shape,
    );
  },
};

/** Registers a gradient unless the program has brought its own. */
function register(config: Parameters<typeof tf.registerGradient>[0]): void {
  if (!(tf.getGradient(config.kernelName) as unknown)) tf.registerGradient(config);
}

function registerUnary(): void {
  const inputName = (kernelName: string): string =>
    kernelName === 'Softmax' || kernelName === 'LogSoftmax' ? 'logits' : 'x';
  for (const [kernelName, derivative] of Object.entries({ ...fromInput, ...shaping }))
    register({
      kernelName,
      inputsToSave: ['x'],
      gradFunc: (dy, [x], attributes) => ({ x: () => derivative(dy as Tensor, x as Tensor, attributes) }),
    });
  for (const [kernelName, derivative] of Object.entries(fromOutput))
    register({
      kernelName,
      outputsToSave: [true],
      gradFunc: (dy, [y], attributes) => ({
        [inputName(kernelName)]: () => derivative(dy as Tensor, y as Tensor, attributes),
      }),
    });
  for (const kernelName of flat)
    register({ kernelName, gradFunc: (dy) => ({ x: () => tf.zeros((dy as Tensor).shape) }) });
}

function registerBinary(): void {
  for (const [kernelName, [byA, byB]] of Object.entries(binary))
    register({
      kernelName,
      inputsToSave: ['a', 'b'],
      gradFunc: (dy, [a, b]) => ({
        a: () => unbroadcast(byA(dy as Tensor, a as Tensor, b as Tensor), (a as Tensor).shape),
        b: () => unbroadcast(byB(dy as Tensor, a as Tensor, b as Tensor), (b as Tensor).shape),
      }),
    });
  for (const kernelName of flatBinary)
    register({
      kernelName,
      inputsToSave: ['a', 'b'],
      gradFunc: (_, [a, b]) => ({
        a: () => tf.zeros((a as Tensor).shape),
        b: () => tf.zeros((b as Tensor).shape),
      }),
    });
}

function registerOthers(): void {
  register({
    kernelName: 'BatchMatMul',
    inputsToSave: ['a', 'b'],
    gradFunc: (dy, [a, b], { transposeA, transposeB }) => {
      const [g, left, right] = [dy as Tensor, a as Tensor, b as Tensor];
      const [tA, tB] = [Boolean(transposeA), Boolean(transposeB)];
      return {
        a: () =>
          unbroadcast(tA ? tf.matMul(right, g, tB, true) : tf.matMul(g, right, false, !tB), left.shape),
        b: () => unbroadcast(tB ? tf.matMul(g, left, true, tA) : tf.matMul(left, g, !tA, false), right.shape),
      };
    },
  });
  register({
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
  });
  for (const kernelName of ['Max', 'Min'])
    register({
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
  register({
    kernelName: 'ExpandDims',
    inputsToSave: ['input'],
    gradFunc: (dy, [input]) => ({ input: () => tf.reshape(dy as Tensor, (input as Tensor).shape) }),
  });
  register({
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
  });
  register({
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
  });
  register({
    kernelName: 'SplitV',
    gradFunc: (dy, _, { axis }) => ({ x: () => tf.concat(dy as Tensor[], axis as number) }),
  });
  register({
    kernelName: 'Pack',
    saveAllInputs: true,
    gradFunc: (dy, saved, { axis }) => {
      const parts = tf.unstack(dy as Tensor, axis as number);
      return Object.fromEntries(saved.map((_, i) => [i, () => parts[i] as Tensor]));
    },
  });
  register({
    kernelName: 'Unpack',
    gradFunc: (dy, _, { axis }) => ({ value: () => tf.stack(dy as Tensor[], axis as number) }),
  });
  register({
    kernelName: 'AddN',
    saveAllInputs: true,
    gradFunc: (dy, saved) => Object.fromEntries(saved.map((_, i) => [i, () => tf.clone(dy as Tensor)])),
  });
}

/** Registers all of them; does nothing the second time. */
export function registerGradients(): void {
  registerUnary();
  registerBinary();
  registerOthers();
}
