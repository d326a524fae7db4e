/** The smallest language model worth a policy gradient: four prompts, two letters, replies of up to four tokens, all of them known. */
import { createLocalEngine } from '../../engine/index.js';
import { createModel, disposeModel, type ModelConfig } from '../../model/index.js';
import { allReplies, growReplyTree, type Reply, type ReplyLimits, type ReplyTree } from './reply-tree.js';

const STOP = 0;
const LETTERS = [1, 2] as const;
export const LIMITS: ReplyLimits = { vocabSize: 3, stopToken: STOP, maxCompletionLength: 4 };

export interface BanditPrompt {
  /** A mark of where the text begins, without which `1 1` and `1 1 1` would look alike, and two letters; right replies begin with the first. */
  readonly tokens: Int32Array;
  /** The share of replies that are. */
  readonly right: number;
}

/** Easy to hard. */
export const PROMPTS: readonly BanditPrompt[] = [
  { tokens: Int32Array.of(STOP, 1, 1), right: 0.9 },
  { tokens: Int32Array.of(STOP, 1, 2), right: 0.6 },
  { tokens: Int32Array.of(STOP, 2, 1), right: 0.3 },
  { tokens: Int32Array.of(STOP, 2, 2), right: 0.1 },
];
/** Of the wrong replies, those without a letter; and after each letter, the end. */
const STOP_SHARE = 0.3;

const policyConfig: ModelConfig = {
  modelType: 'llama',
  vocabSize: LIMITS.vocabSize,
  hiddenSize: 16,
  intermediateSize: 32,
  numHiddenLayers: 2,
  numAttentionHeads: 2,
  numKeyValueHeads: 2,
  headDim: 8,
  maxPositionEmbeddings: 8,
  ropeTheta: 10_000,
  rmsNormEps: 1e-6,
  tieWordEmbeddings: true,
};

/** A policy that says what was asked of it, and everything it can say. */
export async function policyTree(seed: number, steps: number): Promise<ReplyTree> {
  const model = createModel(policyConfig, seed);
  const engine = createLocalEngine(model);
  const replies = allReplies(LIMITS);
  const data = PROMPTS.flatMap(({ tokens: prompt, right }) =>
    replies.map((reply) => {
      const weights = new Float32Array(prompt.length + reply.length);
      weights.fill(wantedProbability(reply, prompt, right) / PROMPTS.length, prompt.length);
      return { tokens: Int32Array.of(...prompt, ...reply), weights };
    }),
  );
  try {
    for (let step = 0; step < steps; step += 1) {
      await engine.forwardBackward(data, { name: 'cross_entropy' });
      await engine.optimStep({ learningRate: 0.01 * (1 - step / steps) });
    }
    return await growReplyTree(
      model,
      PROMPTS.map(({ tokens }) => tokens),
      replies,
    );
  } finally {
    engine.dispose();
    disposeModel(model);
  }
}

/** What the policy learns to do: the share of right replies, and lengths that depend on neither letter. */
function wantedProbability(reply: Int32Array, prompt: Int32Array, right: number): number {
  const first =
    reply[0] === prompt[1] ? right : (1 - right) * (reply[0] === STOP ? STOP_SHARE : 1 - STOP_SHARE);
  return reply
    .subarray(1)
    .reduce(
      (product, token) => product * (token === STOP ? STOP_SHARE : (1 - STOP_SHARE) / LETTERS.length),
      first,
    );
}

/** Reward of a reply to the prompt of that number. */
export type Reward = (reply: Reply, prompt: number) => number;

/** 1 for a right reply, 0 for any other. */
export const verdict: Reward = ({ tokens }, prompt) => (tokens[0] === PROMPTS[prompt]?.tokens[1] ? 1 : 0);

/** The same from a judge who starts from another mark for each prompt: the gradient is the same, for only differences count. */
export const mark: Reward = (reply, prompt) => prompt + verdict(reply, prompt);

/** `Σ` over all replies of probability · value · gradient, mean over the prompts: `[N]`. */
export function expectation(tree: ReplyTree, value: Reward): Float64Array {
  const coefficients = new Float64Array(tree.size);
  tree.replies.forEach((replies, prompt) =>
    replies.forEach((reply) => {
      const share = (reply.probability * value(reply, prompt)) / tree.replies.length;
      for (const token of reply.path) coefficients[token] = (coefficients[token] as number) + share;
    }),
  );
  return coefficients;
}

/** The policy gradient theorem, in full. */
export function exactGradient(tree: ReplyTree): Float64Array {
  return expectation(tree, verdict);
}

export function successRate(replies: readonly Reply[], prompt: number): number {
  return replies.reduce((sum, reply) => sum + reply.probability * verdict(reply, prompt), 0);
}

/** Gradient of the mean length of the replies that earn the verdict `wanted`, mean over the prompts. */
export function lengthGradient(tree: ReplyTree, wanted: 0 | 1): Float64Array {
  const lengths = tree.replies.map((replies, prompt) => {
    const chosen = replies.filter((reply) => verdict(reply, prompt) === wanted);
    const share = chosen.reduce((sum, { probability }) => sum + probability, 0);
    const mean =
      chosen.reduce((sum, { probability, tokens }) => sum + probability * tokens.length, 0) / share;
    return { share, mean };
  });
  return expectation(tree, (reply, prompt) => {
    const { share, mean } = lengths[prompt] as { readonly share: number; readonly mean: number };
    return verdict(reply, prompt) === wanted ? (reply.tokens.length - mean) / share : 0;
  });
}

/**
 * The constant baseline of a prompt that leaves the least variance, `E[r ‖∇log π‖²] / E[‖∇log π‖²]` (Greensmith et al. 2004,
 * "Variance Reduction Techniques for Gradient Estimates in Reinforcement Learning"): a mean of rewards in which loud replies count more.
 */
export function quietestBaseline(tree: ReplyTree, prompt: number): number {
  const indicator = new Float64Array(tree.size);
  let [rewards, total] = [0, 0];
  for (const reply of tree.replies[prompt] as readonly Reply[]) {
    for (const token of reply.path) indicator[token] = 1;
    const loudness = reply.probability * tree.product(indicator, indicator);
    for (const token of reply.path) indicator[token] = 0;
    rewards += loudness * verdict(reply, prompt);
    total += loudness;
  }
  return rewards / total;
}
