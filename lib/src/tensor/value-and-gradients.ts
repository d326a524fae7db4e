/**
 * The backward pass over tfjs's tape. tfjs's own frees nothing before it has reached the beginning, so that all activations and
 * all of their gradients are alive at once; this one lets go of each as soon as nothing before it needs it. Same sums in the same order.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { NamedTensorMap, Tensor, Variable } from '@tensorflow/tfjs-core';
import { shaping } from './derivatives.js';

/** An op that was recorded. */
interface TapeNode {
  readonly kernelName: string;
  readonly inputs: NamedTensorMap;
  readonly outputs: readonly Tensor[];
  /** What the derivative reads; kept until someone disposes it. */
  readonly saved: readonly Tensor[];
  readonly gradient?: (dys: readonly Tensor[]) => Record<string, () => Tensor>;
}

/** tfjs's engine, as far as it is needed. */
interface Recorder {
  readonly state: { activeTape: TapeNode[] | null };
  startTape(): void;
  endTape(): void;
}

/** Derivatives that look at the shapes of what was saved and never at the values. */
const readsShapes = new Set([...Object.keys(shaping), 'Add', 'Sub', 'ExpandDims', 'Concat']);

/**
 * The scalar `f()` and its gradients with respect to those of `variables` that it depends on. The caller disposes all of them.
 * Not to be used inside another gradient. Throws when an op on the way has no derivative.
 */
export function valueAndGradients(
  f: () => Tensor,
  variables: readonly Variable[],
): { readonly value: Tensor; readonly gradients: ReadonlyMap<Variable, Tensor> } {
  const { value, tape } = record(f);
  const reached = reachedFrom(variables, tape);
  const gradients = new Map([[value.id, tf.keep(tf.onesLike(value))]]);
  try {
    for (let node = tape.pop(); node !== undefined; node = tape.pop()) {
      try {
        goBack(node, reached, gradients);
      } finally {
        release(node);
      }
    }
  } catch (error) {
    tape.forEach(release);
    tf.dispose([value, ...gradients.values()]);
    throw error;
  }
  const entries = variables.flatMap((variable) => {
    const gradient = gradients.get(variable.id);
    return gradient === undefined ? [] : [[variable, gradient] as const];
  });
  return { value, gradients: new Map(entries) };
}

function record(f: () => Tensor): { value: Tensor; tape: TapeNode[] } {
  const recorder = tf.engine() as unknown as Recorder;
  const tape: TapeNode[] = [];
  tape.push = (node: TapeNode): number => {
    if (readsShapes.has(node.kernelName)) release(node);
    tape[tape.length] = node;
    return tape.length;
  };
  recorder.startTape();
  recorder.state.activeTape = tape;
  try {
    return { value: tf.tidy(f), tape };
  } catch (error) {
    tape.forEach(release);
    throw error;
  } finally {
    recorder.endTape();
    recorder.state.activeTape = null;
  }
}

function release({ saved }: TapeNode): void {
  for (const tensor of saved) tensor.dispose();
}

/** Ids of everything that depends on a variable. */
function reachedFrom(variables: readonly Variable[], tape: readonly TapeNode[]): ReadonlySet<number> {
  const reached = new Set(variables.map(({ id }) => id));
  for (const { inputs, outputs } of tape)
    if (Object.values(inputs).some(({ id }) => reached.has(id)))
      for (const { id } of outputs) reached.add(id);
  return reached;
}

/** Turns the gradients of a node's outputs, which are disposed, into those of its inputs. */
function goBack(node: TapeNode, reached: ReadonlySet<number>, gradients: Map<number, Tensor>): void {
  if (!node.outputs.some(({ id }) => gradients.has(id))) return;
  const inputs = Object.entries(node.inputs).filter(([, { id }]) => reached.has(id));
  if (inputs.length > 0) {
    if (node.gradient === undefined)
      throw new Error(`${node.kernelName} has no derivative; compute it outside the loss, or register one.`);
    const differentiate = node.gradient;
    tf.tidy(() => {
      // tfjs itself would bring zeros from JavaScript, of tens of megabytes where nobody reads them.
      const dys = node.outputs.map(({ id, shape }) => gradients.get(id) ?? tf.fill(shape, 0));
      const derivatives = differentiate(dys);
      for (const [name, { id }] of inputs) {
        const dx = (derivatives[name] as () => Tensor)();
        const before = gradients.get(id);
        // A clone: a derivative may hand on the tensor that it was given.
        gradients.set(id, tf.keep(before === undefined ? tf.clone(dx) : tf.add(before, dx)));
        before?.dispose();
      }
    });
  }
  for (const { id } of node.outputs) {
    gradients.get(id)?.dispose();
    gradients.delete(id);
  }
}
