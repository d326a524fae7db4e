/** What TensorFlow's operations give, before they have run: the part of its shape functions that models, losses and optimizers need. */
import * as tf from '@tensorflow/tfjs-core';

/** What is known of a tensor without its values. `dtype` is a number of TensorFlow's enumeration. */
export interface Spec {
  readonly shape: readonly number[];
  readonly dtype: number;
}

/** An input; `values` where they are at hand without computing anything. */
export interface Operand extends Spec {
  readonly values: () => ArrayLike<number> | undefined;
}

type Shape = readonly number[];
type Attribute = (name: string) => unknown;

/** What an operation gives; `undefined` where that is not known before it has run. Throws where shapes do not go together. */
export type OutputRule = (inputs: readonly Operand[], attribute: Attribute) => Spec[] | undefined;

const { assertAndGetBroadcastShape, computeOutAndReduceShapes, computeOutShape, expandShapeToKeepDim } =
  tf.backend_util;
const { inferFromImplicitShape, parseAxisParam, sizeFromShape } = tf.util;

/** `DT_BOOL` of TensorFlow's types.proto. */
const BOOL = 10;

const like = ({ dtype }: Spec, shape: Shape): Spec[] => [{ shape, dtype }];
const broadcast = (inputs: readonly Spec[]): Shape =>
  inputs.map(({ shape }) => [...shape]).reduce((a, b) => assertAndGetBroadcastShape(a, b));

const sameAsFirst: OutputRule = ([x]) => [x!];
const broadcasting: OutputRule = (inputs) => like(inputs[0]!, broadcast(inputs));
const comparing: OutputRule = (inputs) => [{ shape: broadcast(inputs), dtype: BOOL }];

/** A rule that needs the values of some inputs, such as axes or a shape; no rule where they are not known. */
function knowing(
  positions: readonly number[],
  rule: (values: number[][], inputs: readonly Operand[], attribute: Attribute) => Spec[] | undefined,
): OutputRule {
  return (inputs, attribute) => {
    const values = positions.map((position) => inputs.at(position)!.values());
    if (values.includes(undefined)) return undefined;
    return rule(
      values.map((numbers) => Array.from(numbers!)),
      inputs,
      attribute,
    );
  };
}

/** Of the type of the first input; the shape from all shapes and the values of the last input. */
const shaped = (rule: (values: number[], shapes: readonly number[][]) => Shape): OutputRule =>
  knowing([-1], ([values], inputs) => {
    const shapes = inputs.map(({ shape }) => [...shape]);
    return like(inputs[0]!, rule(values!, shapes));
  });

const reducing = knowing([-1], ([axes], [x], attribute) => {
  const along = parseAxisParam(axes!, [...x!.shape]);
  const [shape] = computeOutAndReduceShapes([...x!.shape], along);
  return like(x!, attribute('keep_dims') ? expandShapeToKeepDim(shape, along) : shape);
});

/** Products of matrices, or of batches of them. */
const multiplying =
  (transposeFirst: string, transposeSecond: string): OutputRule =>
  ([a, b], attribute) => {
    const rows = a!.shape.at(attribute(transposeFirst) ? -1 : -2)!;
    const columns = b!.shape.at(attribute(transposeSecond) ? -2 : -1)!;
    const batch = assertAndGetBroadcastShape(a!.shape.slice(0, -2), b!.shape.slice(0, -2));
    return like(a!, [...batch, rows, columns]);
  };

const forAll = (names: string, rule: OutputRule): [string, OutputRule][] =>
  names.split(' ').map((name) => [name, rule]);

/** The rules that there are, by the name of the operation. */
export const outputRules: ReadonlyMap<string, OutputRule> = new Map<string, OutputRule>([
  ...forAll(
    'Exp Log LogSoftmax Neg OnesLike Rsqrt Sigmoid Softmax Softplus Sqrt Square ZerosLike Roll',
    sameAsFirst,
  ),
  // The one that changes an input: a graph leaves it out unless what it gives is used.
  ['InplaceUpdate', sameAsFirst],
  ...forAll('Add Maximum Minimum Mul MulNoNan RealDiv SigmoidGrad Sub', broadcasting),
  ...forAll('Equal Greater GreaterEqual Less LessEqual LogicalAnd NotEqual', comparing),
  ...forAll('Max Mean Sum', reducing),
  ['MatMul', multiplying('transpose_a', 'transpose_b')],
  ['BatchMatMulV2', multiplying('adj_x', 'adj_y')],
  ['Select', ([, x]) => [x!]],
  ['SelectV2', (inputs) => like(inputs[1]!, broadcast(inputs))],
  ['Cast', ([x], attribute) => [{ shape: x!.shape, dtype: attribute('DstT') as number }]],
  ['L2Loss', ([x]) => like(x!, [])],
  ['SparseSoftmaxCrossEntropyWithLogits', ([x, labels]) => [...like(x!, labels!.shape), x!]],
  [
    'ArgMax',
    knowing([-1], ([axis], [x], attribute) => [
      { shape: x!.shape.toSpliced(axis![0]!, 1), dtype: attribute('output_type') as number },
    ]),
  ],
  [
    'ConcatV2',
    shaped((axes, shapes) => {
      const [axis] = parseAxisParam(axes, shapes[0]!);
      return computeOutShape(shapes.slice(0, -1), axis!);
    }),
  ],
  ['Fill', knowing([0], ([shape], [, value]) => like(value!, shape!))],
  [
    'GatherV2',
    knowing([-1], ([axis], [x, indices], attribute) =>
      attribute('batch_dims') === 0
        ? like(x!, x!.shape.toSpliced(axis![0]!, 1, ...indices!.shape))
        : undefined,
    ),
  ],
  ['Reshape', shaped((shape, [x]) => inferFromImplicitShape(shape, sizeFromShape(x!)))],
  [
    'SplitV',
    knowing([-2, -1], ([sizes, axis], [x]) =>
      sizes!.flatMap((size) => like(x!, x!.shape.with(axis![0]!, size))),
    ),
  ],
  ['Tile', shaped((times, [x]) => x!.map((size, i) => size * times[i]!))],
  ['Transpose', shaped((order, [x]) => order.map((i) => x![i]!))],
  ['UnsortedSegmentSum', shaped(([count], [x, ids]) => [count!, ...x!.slice(ids!.length)])],
]);
