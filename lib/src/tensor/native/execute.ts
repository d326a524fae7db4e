/** TensorFlow's own operations, by their names; the binding offers them beside those that tfjs knows. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { OpAttribute } from './graph.js';

type Attribute = boolean | number | 'float32' | 'int32';

/** What the `tensorflow` back end has beside the interface of all back ends. */
interface NativeBackend {
  readonly binding: Readonly<
    Record<'TF_ATTR_BOOL' | 'TF_ATTR_INT' | 'TF_ATTR_TYPE' | 'TF_FLOAT' | 'TF_INT32', number>
  >;
  executeMultipleOutputs(op: string, attributes: OpAttribute[], inputs: Tensor[], outputs: number): Tensor[];
}

/** Runs an operation with several outputs. Integers among the attributes are sizes; types are named as in tfjs. */
export function executeAll(
  op: string,
  inputs: readonly Tensor[],
  attributes: Readonly<Record<string, Attribute>>,
  outputs: number,
): Tensor[] {
  const backend = tf.backend() as unknown as NativeBackend;
  const { binding } = backend;
  const types = { float32: binding.TF_FLOAT, int32: binding.TF_INT32 };
  const typed = (value: Attribute): Omit<OpAttribute, 'name'> => {
    if (typeof value === 'boolean') return { type: binding.TF_ATTR_BOOL, value };
    if (typeof value === 'number') return { type: binding.TF_ATTR_INT, value };
    return { type: binding.TF_ATTR_TYPE, value: types[value] };
  };
  return backend.executeMultipleOutputs(
    op,
    Object.entries(attributes).map(([name, value]) => ({ name, ...typed(value) })),
    [...inputs],
    outputs,
  );
}

/** Runs an operation with one output. */
export function execute(
  op: string,
  inputs: readonly Tensor[],
  attributes: Readonly<Record<string, Attribute>> = { T: 'float32' },
): Tensor {
  return executeAll(op, inputs, attributes, 1)[0] as Tensor;
}

/** `where` that broadcasts; tfjs's own first tiles its arguments. */
export function select(condition: Tensor, whenTrue: Tensor, whenFalse: Tensor): Tensor {
  return execute('SelectV2', [condition, whenTrue, whenFalse]);
}
