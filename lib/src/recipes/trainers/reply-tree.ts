/** Everything a policy can say, when that is little: exact probabilities, and exact gradients to hold estimates against. */
import * as tf from '@tensorflow/tfjs-core';
import { sequenceLogprobs, trainableWeights, type Model } from '../../model/index.js';
import { valueAndGradients } from '../../tensor/index.js';

/** A whole reply; its log-probability is the sum of its tokens'. */
export interface Reply {
  /** Includes the stop token, unless the reply was cut. */
  readonly tokens: Int32Array;
  /** Which token of the tree each of them is. */
  readonly path: readonly number[];
  readonly probability: number;
}

/**
 * All replies to all prompts. Gradients are written as one coefficient for each token of the tree, `Σₙ cₙ ∇log πₙ`: a reply's
 * gradient, an estimate from samples and the exact policy gradient are all of this form.
 */
export interface ReplyTree {
  /** `[prompts][replies]` */
  readonly replies: readonly (readonly Reply[])[];
  /** Number of tokens, N: one for each prompt, beginning of a reply and next token. */
  readonly size: number;
  /** Scalar product of the gradients with coefficients `[N]`. */
  product(a: ArrayLike<number>, b: ArrayLike<number>): number;
}

export interface ReplyLimits {
  readonly vocabSize: number;
  readonly stopToken: number;
  readonly maxCompletionLength: number;
}

/** All replies of up to `maxCompletionLength` tokens; meant for vocabularies of a handful. Those without the stop token were cut. */
export function allReplies({ vocabSize, stopToken, maxCompletionLength }: ReplyLimits): Int32Array[] {
  const grow = (beginning: readonly number[]): Int32Array[] =>
    Array.from({ length: vocabSize }, (_, token) => [...beginning, token]).flatMap((tokens) =>
      tokens.at(-1) === stopToken || tokens.length === maxCompletionLength
        ? [Int32Array.from(tokens)]
        : grow(tokens),
    );
  return grow([]);
}

export async function growReplyTree(
  model: Model,
  prompts: readonly Int32Array[],
  replies: readonly Int32Array[],
): Promise<ReplyTree> {
  const nodes = new Map<string, { readonly index: number; readonly logprob: number }>();
  const gradients: Float32Array[] = [];
  const grown: Reply[][] = [];
  for (const prompt of prompts) {
    const known: Reply[] = [];
    for (const tokens of replies) {
      const path: number[] = [];
      let replyLogprob = 0;
      for (let length = 1; length <= tokens.length; length += 1) {
        const sequence = [...prompt, ...tokens.subarray(0, length)];
        const key = sequence.join(' ');
        let node = nodes.get(key);
        if (node === undefined) {
          const { logprob, gradient } = await lastToken(model, sequence);
          node = { index: gradients.push(gradient) - 1, logprob };
          nodes.set(key, node);
        }
        path.push(node.index);
        replyLogprob += node.logprob;
      }
      known.push({ tokens, path, probability: Math.exp(replyLogprob) });
    }
    grown.push(known);
  }
  return { replies: grown, size: gradients.length, product: productOf(gradients) };
}

/** Log-probability of the last token and its gradient with respect to all weights. */
async function lastToken(
  model: Model,
  tokens: readonly number[],
): Promise<{ readonly logprob: number; readonly gradient: Float32Array }> {
  const mask = tokens.map((_, t) => Number(t === tokens.length - 1));
  const weights = [...trainableWeights(model).values()];
  const { value, gradients } = valueAndGradients(
    () => tf.sum(sequenceLogprobs(model, [{ tokens, mask }]).logprobs),
    weights,
  );
  const parts = await Promise.all(
    weights.map((weight) => gradients.get(weight)?.data<'float32'>() ?? new Float32Array(weight.size)),
  );
  const [logprob] = await value.data<'float32'>();
  tf.dispose([value, ...gradients.values()]);
  return { logprob: logprob as number, gradient: Float32Array.from(parts.flatMap((part) => [...part])) };
}

/** Products of all pairs of gradients decide every other product. */
function productOf(gradients: readonly Float32Array[]): ReplyTree['product'] {
  const size = gradients.length;
  const pairs = new Float64Array(size * size);
  gradients.forEach((a, i) =>
    gradients.forEach((b, j) => {
      if (j < i) return;
      pairs[i * size + j] = pairs[j * size + i] = a.reduce(
        (sum, value, d) => sum + value * (b[d] as number),
        0,
      );
    }),
  );
  return (a, b) => {
    let sum = 0;
    for (let i = 0; i < size; i += 1) {
      if (a[i] === 0) continue;
      let row = 0;
      for (let j = 0; j < size; j += 1) row += (pairs[i * size + j] as number) * (b[j] as number);
      sum += (a[i] as number) * row;
    }
    return sum;
  };
}
