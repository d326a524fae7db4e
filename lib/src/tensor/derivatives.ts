/** The formulas: derivatives of the stock ops that have one input, or two that are broadcast. Names are tfjs's. */
import * as tf from '@tensorflow/tfjs-core';
import type { NamedAttrMap, Tensor } from '@tensorflow/tfjs-core';

/** Sums a gradient over the axes along which an operand was broadcast. */
export function unbroadcast(gradient: Tensor, shape: number[]): Tensor {
  const axes = tf.broadcast_util.getReductionAxes(shape, gradient.shape);
  return tf.reshape(axes.length > 0 ? tf.sum(gradient, axes) : gradient, shape);
}

/** `y = f(x)`: derivative from dy and whichever of x and y it needs. */
type Unary = (dy: Tensor, value: Tensor, attributes: NamedAttrMap) => Tensor;

export const fromInput: Record<string, Unary> = {
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

export const fromOutput: Record<string, Unary> = {
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
export const flat: readonly string[] = [
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
export const flatBinary: readonly string[] = [
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

export const binary: Record<string, Binary> = {
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
export function keptShape(x: Tensor, axis: unknown): { shape: number[]; axes: number[] } {
  const axes = tf.util.parseAxisParam(axis as number | number[], x.shape);
  return { shape: x.shape.map((size, i) => (axes.includes(i) ? 1 : size)), axes };
}

export const shaping: Record<string, Shaping> = {
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
    // [a, b] tiled (m, n) is [m, a, n, b] flattened: sum over m and n. Where one is 1 its axis is left out: GPUs have few.
    const split: number[] = [];
    const repeated: number[] = [];
    x.shape.forEach((size, i) => {
      const count = (reps as number[])[i] as number;
      if (count !== 1) repeated.push(split.push(count) - 1);
      split.push(size);
    });
    return tf.reshape(repeated.length > 0 ? tf.sum(tf.reshape(dy, split), repeated) : dy, x.shape);
  },
};
