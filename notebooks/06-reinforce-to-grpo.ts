// %% [markdown]
// # 06 · From REINFORCE to GRPO
//
// **Question.** How does a model learn from nothing but a number for each of its replies, and what does every part of the algorithms with the famous names do?
//
// **Before.** Notebook [05](05-sft.ipynb): what a log-probability is, and how one step of training goes. The book's chapter is [Reinforcement learning for language models](../chapters/06-reinforcement-learning.md).
//
// **Time.** About a minute on two cores.
//
// **After.** You can write REINFORCE, RLOO, PPO's clip, GRPO and DAPO as loops of some twenty lines; say of each line what it is for, and of each famous claim whether it shows here; and use a KL penalty without mixing up its four questions.

// %%
import * as tf from '@tensorflow/tfjs-core';
import * as pt from 'posttrain';
import { type Point, short, trailingMean } from 'posttrain/display';
import { check, exercise, progress, saveResults, setup, show, table } from 'posttrain/notebook';

// %%
const { fast, seed } = await setup({ seed: 7 });
const seeds = fast ? [1, 2] : [1, 2, 3, 4, 5];
const maxSteps = fast ? 8 : 60;

// %% [markdown]
// ## A policy gradient that can be known exactly
//
// In reinforcement learning the model is called a **policy**, $\pi$: it acts, here by writing a reply $y$, and gets a **reward** $r(y)$. Nobody shows it a good reply. What we want to climb is the expected reward, $J = \sum_y \pi(y)\, r(y)$. With $\nabla$ for the gradient, the change with every weight at once, it goes up fastest along
//
// $$\nabla J = \sum_y \pi(y)\, r(y)\, \nabla \log \pi(y)$$
//
// and that is good news: it is a *mean over what the policy says*. So sample replies, and for each one move in the direction that makes it likelier, as far as its reward says. That is the whole idea, and everything below is about its noise.
//
// To see the noise we take a language model so small that all of its replies can be listed: three tokens (an end and two letters), at most four tokens a reply, so 31 replies. Four questions, from easy to hard. With all replies at hand the sum above is no estimate: it is the exact gradient, and we can hold every estimate against it.

// %%
const stop = 0;
const questions: readonly { readonly prompt: Int32Array; readonly right: readonly number[] }[] = [
  { prompt: Int32Array.of(stop, 1, 1), right: [1] },
  { prompt: Int32Array.of(stop, 1, 2), right: [2] },
  { prompt: Int32Array.of(stop, 2, 1), right: [1, 2] },
  { prompt: Int32Array.of(stop, 2, 2), right: [2, 1] },
];

/** All replies: they end with the stop token, or after four letters. */
function allReplies(begun: readonly number[] = []): number[][] {
  return [stop, 1, 2].flatMap((token) => {
    const reply = [...begun, token];
    return token === stop || reply.length === 4 ? [reply] : allReplies(reply);
  });
}

/** 1 for a reply that begins with what is right, else 0. */
const verdict = (reply: readonly number[], question: number): number =>
  Number(questions[question]!.right.every((token, t) => reply[t] === token));

// %%
interface Known {
  readonly question: number;
  readonly reply: readonly number[];
  readonly probability: number;
}

// %%
const smallest = {
  ...pt.presets.nano(3),
  ...{ hiddenSize: 16, intermediateSize: 32, numHiddenLayers: 1, maxPositionEmbeddings: 8 },
  ...{ numAttentionHeads: 2, numKeyValueHeads: 2, headDim: 8 },
};

// %%
/** Every reply to every question, and the scalar products of their gradients ∇log π: `[N, N]`. */
async function listEverything(from: number) {
  const model = pt.createModel(smallest, from);
  const weights = [...model.weights.values()];
  const known: Known[] = [];
  const rows: tf.Tensor[] = [];
  for (const [question, { prompt }] of questions.entries())
    for (const reply of allReplies()) {
      const tokens = Int32Array.of(...prompt, ...reply);
      const mask = new Uint8Array(tokens.length).fill(1, prompt.length);
      const logprob = () => tf.sum(pt.sequenceLogprobs(model, [{ tokens, mask }]).logprobs);
      const { value, gradients } = pt.valueAndGradients(logprob, weights);
      rows.push(
        tf.tidy(() => tf.concat(weights.map((w) => tf.reshape(gradients.get(w) ?? tf.zerosLike(w), [-1])))),
      );
      known.push({ question, reply, probability: Math.exp(value.dataSync()[0]!) });
      tf.dispose([value, ...gradients.values()]);
    }
  const products = tf.tidy(() =>
    tf.matMul(tf.stack(rows), tf.stack(rows), false, true).arraySync(),
  ) as number[][];
  tf.dispose(rows);
  return { model, known, products };
}

// %% [markdown]
// These scalar products (multiply number by number, add up) are all we need. Any estimate is a sum $\sum_i c_i \nabla \log \pi(y_i)$ with some number $c_i$ for each reply, and so is the exact gradient. Lengths and angles of such sums follow from the products alone.
//
// First: is the formula above true? We compare it with the gradient that automatic differentiation, which follows a program backwards step by step, finds for $J$ itself.

// %%
const tinyPolicy = await listEverything(seed);
const product = (products: readonly (readonly number[])[], a: Float64Array, b: Float64Array): number =>
  products.reduce(
    (sum, row, i) => (a[i] === 0 ? sum : sum + a[i]! * row.reduce((s, x, j) => s + x * b[j]!, 0)),
    0,
  );

/** The coefficients of the exact gradient of the mean reward over the questions. */
const exactly = (known: readonly Known[]): Float64Array =>
  Float64Array.from(
    known,
    ({ question, reply, probability }) => (probability * verdict(reply, question)) / 4,
  );

// %%
/** The squared length of ∇J, by automatic differentiation. */
function lengthByAutodiff({ model, known }: typeof tinyPolicy): number {
  const right = known.filter(({ question, reply }) => verdict(reply, question) === 1);
  const expected = () =>
    tf.addN(
      right.map(({ question, reply }) => {
        const { prompt } = questions[question]!;
        const tokens = Int32Array.of(...prompt, ...reply);
        const mask = new Uint8Array(tokens.length).fill(1, prompt.length);
        return tf.div(tf.exp(tf.sum(pt.sequenceLogprobs(model, [{ tokens, mask }]).logprobs)), 4);
      }),
    );
  const { value, gradients } = pt.valueAndGradients(expected, [...model.weights.values()]);
  const squares = tf.tidy(
    () => tf.addN([...gradients.values()].map((g) => tf.sum(tf.square(g)))).dataSync()[0]!,
  );
  tf.dispose([value, ...gradients.values()]);
  return squares;
}

const exact = exactly(tinyPolicy.known);
const bothWays = [product(tinyPolicy.products, exact, exact), lengthByAutodiff(tinyPolicy)] as const;

// %%
table(
  [0, 1, 2, 3].map((question) => {
    const own = tinyPolicy.known.filter((each) => each.question === question);
    const success = own.reduce(
      (sum, { probability, reply }) => sum + probability * verdict(reply, question),
      0,
    );
    return {
      question,
      replies: own.length,
      'right begin with': questions[question]!.right.join(' '),
      'chance of a right one': success,
    };
  }),
);
check(
  'the policy gradient theorem holds',
  Math.abs(bothWays[0] / bothWays[1] - 1) < 1e-3,
  bothWays.map(short).join(' and '),
);

// %% [markdown]
// ## How noisy is it?
//
// Now forget that we know everything. Take eight sampled replies to each question and estimate the gradient from these 32. What is put in front of $\nabla \log \pi(y_i)$ is called the **advantage**, and it is all that the first algorithms differ in. Read the table as a *ladder* that is climbed rung by rung:
//
// | name | advantage of a reply |
// |---|---|
// | REINFORCE | its reward |
// | − mean of the batch | its reward, less the mean reward of all 32 |
// | RLOO (leave one out) | its reward, less the mean of the *other* seven to the same question |
// | group mean (Dr. GRPO) | its reward, less the mean of all eight to the same question |
// | GRPO | as before, divided by the standard deviation of the eight, and by the length of the reply |
//
// What is subtracted is called a **baseline**. It does not change the expected gradient, because $\sum_y \pi(y) \nabla \log \pi(y) = 0$: the probabilities always add up to 1, whatever the weights.
//
// **Predict, then run:** which is the noisiest, and which the quietest?

// %%
type Rewards = readonly (readonly number[])[];
type Estimator = (rewards: Rewards, lengths: Rewards) => readonly (readonly number[])[];
const minus = (rewards: readonly number[], baseline: number): number[] => rewards.map((r) => r - baseline);

const estimators: Readonly<Record<string, Estimator>> = {
  REINFORCE: (rewards) => rewards,
  '− mean of the batch': (rewards) => rewards.map((group) => minus(group, pt.mean(rewards.flat()))),
  RLOO: (rewards) => pt.leaveOneOutAdvantages(rewards),
  'group mean (Dr. GRPO)': (rewards) => rewards.map((group) => minus(group, pt.mean(group))),
  GRPO: (rewards, lengths) =>
    pt.groupAdvantages(rewards).advantages.map((group, q) => group.map((a, i) => a / lengths[q]![i]!)),
};

/** Eight replies to each question, as places in the list of all. */
function sampleReplies(known: readonly Known[], random: pt.RandomStream): number[][] {
  return questions.map((_, question) => {
    const own = known.flatMap((each, i) => (each.question === question ? [i] : []));
    return Array.from({ length: 8 }, () => {
      let left = random.uniform();
      return own.find((i) => (left -= known[i]!.probability) < 0) ?? own.at(-1)!;
    });
  });
}

// %%
/** Noise and direction of an estimator; `offset` is added to all rewards of a question, as by a judge who marks from another start. */
function quality({ known, products }: typeof tinyPolicy, estimator: Estimator, offset: number, from: number) {
  const estimates = fast ? 200 : 2000;
  const mean = new Float64Array(known.length);
  let squares = 0;
  for (let n = 0; n < estimates; n += 1) {
    const drawn = sampleReplies(known, pt.randomStream(from, 'estimate', n));
    const rewards = drawn.map((group, q) => group.map((i) => verdict(known[i]!.reply, q) + offset * q));
    const advantages = estimator(
      rewards,
      drawn.map((group) => group.map((i) => known[i]!.reply.length)),
    );
    const flat = drawn.flatMap((group, q) => group.map((i, s) => ({ i, c: advantages[q]![s]! / 32 })));
    for (const { i, c } of flat) {
      mean[i]! += c / estimates;
      for (const { i: j, c: other } of flat) squares += (c * other * products[i]![j]!) / estimates;
    }
  }
  const sure = exactly(known);
  const [length, both] = [product(products, mean, mean), product(products, mean, sure)];
  const cosine = both / Math.sqrt(length * product(products, sure, sure));
  return { noise: (squares - length) / length, angle: (Math.acos(Math.min(1, cosine)) * 180) / Math.PI };
}

// %%
type Interval = { readonly value: number; readonly low: number; readonly high: number };
function overSeeds(values: readonly number[]): Interval {
  const { mean, low = mean, high = mean } = pt.overSeeds(values);
  return { value: mean, low, high };
}

const policies: (typeof tinyPolicy)[] = [];
for (const from of seeds) policies.push(await listEverything(from));
const plainest = policies.map((policy, n) => quality(policy, estimators['REINFORCE']!, 0, seeds[n]!));
const ladder = Object.entries(estimators).map(([name, estimator]) => {
  const measured = (offset: number) =>
    policies.map((policy, n) => quality(policy, estimator, offset, seeds[n]!));
  const [plain, marked] = [measured(0), measured(1)];
  const relative = (all: typeof plain): Interval =>
    overSeeds(all.map(({ noise }, n) => noise / plainest[n]!.noise));
  const angle = overSeeds(plain.map((each) => each.angle));
  return { name, relative: relative(plain), 'relative of marks': relative(marked), angle };
});
type Row = (typeof ladder)[number];

// %%
for (const [key, what] of [
  ['relative', 'rewards 0 or 1'],
  ['relative of marks', 'each question marked from another start'],
] as const)
  show({
    type: 'dots',
    title: `Noise of one estimate: ${what}`,
    description: `Variance over squared length of the mean, REINFORCE with rewards 0 or 1 being 1: ${ladder.map((row) => `${row.name} ${short(row[key].value)}`).join(', ')}.`,
    xLabel: 'relative variance, 95 % interval over policies',
    width: 620,
    dots: ladder.map((row) => ({ name: row.name, ...row[key] })),
  });
table(
  ladder.map(({ name, angle }) => ({ estimator: name, 'degrees from the exact gradient': angle.value })),
  {
    caption: 'Direction of the mean of all estimates',
  },
);

// %%
const [, batch, loo, group, published] = ladder as [Row, Row, Row, Row, Row];
check(
  'RLOO and the group mean are as noisy as each other',
  Math.abs(loo.relative.value / group.relative.value - 1) < 1e-6,
);
if (!fast) {
  check('a baseline makes REINFORCE quieter', batch.relative.high < 1 && loo.relative.high < 1);
  check(
    'where questions are marked apart the batch mean is noisy',
    batch['relative of marks'].low > 1.5 * loo['relative of marks'].high,
  );
  check('GRPO points elsewhere', published.angle.low > group.angle.high);
}

// %% [markdown]
// What came out, over {{06:seeds}} policies; in the figures the noise of REINFORCE with rewards 0 or 1 is 1, and further left is quieter:
//
// - A baseline takes away between a third and a half of the noise: {{06:noise.batch|interval}} is left with the batch mean, {{06:noise.rloo|interval}} with the group's own.
// - RLOO and the group mean are one estimate, up to its size: $r - \text{mean} = \tfrac{7}{8}(r - \text{mean of the others})$, reply by reply.
// - Where the judge marks each question from another start, the batch mean mistakes a hard question for a bad reply and is at {{06:marks.batch|interval}}; the group's own mean does not notice ({{06:marks.rloo|interval}}). Real rewards are like that. It is the reason for groups.
// - The first four point where the exact gradient points; the degree or so is what is left of the noise. GRPO is {{06:angle.grpo|interval}} degrees off, however many samples it gets: the deviation lets very easy and very hard questions count more, the length lets long wrong replies off lightly. That it looks so quiet ({{06:noise.grpo|interval}}) is part of the bargain. It is a *bias*; whether it hurts is another matter.
//
// Do not take the order of the rungs for granted. `npm run experiment -- variance-ladder` has another mix of easy and hard questions, and there the mean of the batch is *quieter* than that of the others in the group ({{variance-ladder:arms[− mean of the batch].variance|fixed2}} against {{variance-ladder:arms.RLOO.variance|fixed2}}), as long as all are marked from the same start: a mean of seven is noisy itself.
//
// ## A world to learn in
//
// Now whole trainings. The preference world of [notebook 05](05-sft.ipynb) has 27 words; a request names topics, and the reward likes words about them, courtesy, a reason, and brevity. A tiny policy has learned from people by SFT, and that is where every run begins.

// %%
const words = pt.wordTokenizer(pt.preferenceWords);
const gold = pt.preferenceEnvironment();
const tasks = pt.preferenceTasks('train');
const maxCompletionLength = 16;
const tinyConfig = {
  ...pt.presets.nano(words.vocabSize),
  ...{ hiddenSize: 32, intermediateSize: 64, numHiddenLayers: 1, maxPositionEmbeddings: 64 },
  ...{ numAttentionHeads: 2, numKeyValueHeads: 2, headDim: 16 },
};

/** A policy that answers as people do. */
async function taughtByPeople(): Promise<pt.Model> {
  const model = pt.createModel(tinyConfig, seed);
  const engine = pt.createLocalEngine(model);
  const rows = Array.from({ length: 32 }, (_, n) =>
    tasks.map((task, index) => ({
      prompt: pt.renderPrompt(words, [{ role: 'user', content: pt.requestOf(task) }]),
      completion: pt.renderCompletion(words, pt.writeReply(task, pt.randomStream(seed, 'reply', n, index))),
    })),
  ).flat();
  for await (const step of pt.sft({ engine, rows, config: { maxSteps: 240, learningRate: 1e-2 } })) void step;
  engine.dispose();
  return model;
}
const start = await taughtByPeople();

// %% [markdown]
// Every loop below needs four things: to *try* (sample replies and have them judged), to spread a number over the tokens of a reply, to know how likely each token was when it was sampled, and to take one step down a gradient. The world keeps a diary of what was tried: the mean reward, and how undecided the policy was (its *entropy*; more of it below).

// %%
interface Attempt extends pt.MaskedSequence {
  readonly length: number;
  readonly logprobs: readonly number[];
  readonly reward: number;
}
interface World {
  readonly env: pt.Environment<pt.PreferenceTask>;
  readonly seed: number;
  readonly maxSteps: number;
  /** Mean reward and entropy of each sampling. */
  readonly diary: { reward: number; entropy: number }[];
}
/** `from`: the first task; `earlier`: how many were tried in this step before. */
interface Tries {
  readonly step: number;
  readonly from: number;
  readonly prompts: number;
  readonly each: number;
  readonly earlier?: number;
}
type Loop = (model: pt.Model, world: World, optimizer: tf.Optimizer) => Promise<void>;

const hasSignal = (attempts: readonly Attempt[]): boolean =>
  attempts.some(({ reward }) => reward !== attempts[0]?.reward);

// %%
/** Samples and judges replies: `[prompts][each]`. */
async function attempt(
  model: pt.Model,
  world: World,
  { step, from, prompts, each, earlier = 0 }: Tries,
): Promise<Attempt[][]> {
  const { env, seed: own, diary } = world;
  const sample: pt.Engine['sample'] = (...given) => pt.generate(model, ...given);
  const groups = await pt.rollout({
    ...{ engine: { sample, policyVersion: 0, maxLength: 64 }, tokenizer: words, env },
    ...{ numGenerations: each, seed: own, step, maxCompletionLength, firstPromptIndex: earlier },
    tasks: Array.from({ length: prompts }, (_, n) => tasks[(from + n) % tasks.length]!),
  });
  const tried = groups.map(({ episodes }) =>
    episodes.map(({ trajectories, reward }): Attempt => {
      const { tokens, actionMask: mask, logprobs } = trajectories[0]!;
      const chosen = [...logprobs].filter((_, t) => mask[t] === 1);
      return { tokens, mask, length: chosen.length, logprobs: chosen, reward: reward! };
    }),
  );
  const all = tried.flat();
  const entropy = -pt.mean(all.flatMap(({ logprobs }) => logprobs));
  diary.push({ reward: pt.mean(all.map(({ reward }) => reward)), entropy });
  return tried;
}

// %%
/** Each reply's number at each of its tokens: `[N]`, in the order of `sequenceLogprobs`. */
const perToken = (samples: readonly Attempt[], values: readonly number[]): tf.Tensor =>
  tf.tensor1d(samples.flatMap(({ length }, n) => Array.from({ length }, () => values[n]!)));

/** Log-probability of each token when it was sampled: `[N]`. */
const whenSampled = (samples: readonly Attempt[]): tf.Tensor =>
  tf.tensor1d(samples.flatMap(({ logprobs }) => logprobs));

/** One step down the gradient of `loss`. */
function descend(model: pt.Model, optimizer: tf.Optimizer, loss: () => tf.Tensor): void {
  optimizer.minimize(() => loss() as tf.Scalar, false, [...model.weights.values()]);
}

// %% [markdown]
// ## One idea at a time
//
// ### 1. REINFORCE
//
// Try, judge, and make what was tried likelier, the more the better it was (Williams 1992). The log-probability of a reply is the sum over its tokens; the number it is divided by is part of the learning rate.

// %%
const reinforce: Loop = async (model, world, optimizer) => {
  for (let step = 0; step < world.maxSteps; step += 1) {
    const samples = (await attempt(model, world, { step, from: step * 32, prompts: 32, each: 1 })).flat();
    const rewards = samples.map(({ reward }) => reward);
    descend(model, optimizer, () => {
      const { logprobs } = pt.sequenceLogprobs(model, samples);
      const loss = tf.neg(tf.mul(logprobs, perToken(samples, rewards)));
      return tf.div(tf.sum(loss), samples.length * maxCompletionLength);
    });
  }
};

// %% [markdown]
// ### 2. A baseline
//
// What counts is how much better a reply was than the others of the step. New: `advantages`.

// %%
const withBaseline: Loop = async (model, world, optimizer) => {
  for (let step = 0; step < world.maxSteps; step += 1) {
    const samples = (await attempt(model, world, { step, from: step * 32, prompts: 32, each: 1 })).flat();
    const rewards = samples.map(({ reward }) => reward);
    const advantages = minus(rewards, pt.mean(rewards));
    descend(model, optimizer, () => {
      const { logprobs } = pt.sequenceLogprobs(model, samples);
      const loss = tf.neg(tf.mul(logprobs, perToken(samples, advantages)));
      return tf.div(tf.sum(loss), samples.length * maxCompletionLength);
    });
  }
};

// %% [markdown]
// ### 3. Groups: RLOO
//
// A reply competes with other replies to the *same* request, so a hard request no longer makes its replies look bad. Eight requests with four replies each cost what 32 requests did. New: `groups`, and the mean of the others as baseline (Ahmadian et al. 2024).

// %%
const rloo: Loop = async (model, world, optimizer) => {
  for (let step = 0; step < world.maxSteps; step += 1) {
    const groups = await attempt(model, world, { step, from: step * 8, prompts: 8, each: 4 });
    const samples = groups.flat();
    const advantages = groups.flatMap((attempts) => {
      const total = attempts.reduce((sum, { reward }) => sum + reward, 0);
      return attempts.map(({ reward }) => reward - (total - reward) / (attempts.length - 1));
    });
    descend(model, optimizer, () => {
      const { logprobs } = pt.sequenceLogprobs(model, samples);
      const loss = tf.neg(tf.mul(logprobs, perToken(samples, advantages)));
      return tf.div(tf.sum(loss), samples.length * maxCompletionLength);
    });
  }
};

// %% [markdown]
// ### 4. The clip
//
// Samples are dear, so use them more than once. At the second step the policy is no longer the one that sampled. The **ratio** of the two probabilities corrects for it, and a token whose ratio has moved far enough in the direction of its advantage is let go (PPO, Schulman et al. 2017). New: two iterations, `ratio`, `clipped`.

// %%
const clip: Loop = async (model, world, optimizer) => {
  for (let step = 0; step < world.maxSteps; step += 1) {
    const groups = await attempt(model, world, { step, from: step * 8, prompts: 8, each: 4 });
    const samples = groups.flat();
    const advantages = pt.leaveOneOutAdvantages(groups.map(rewardsOf)).flat();
    for (let iteration = 0; iteration < 2; iteration += 1)
      descend(model, optimizer, () => {
        const { logprobs } = pt.sequenceLogprobs(model, samples);
        const advantage = perToken(samples, advantages);
        const ratio = tf.exp(tf.sub(logprobs, whenSampled(samples)));
        const clipped = tf.clipByValue(ratio, 0.8, 1.2);
        const loss = tf.neg(tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage)));
        return tf.div(tf.sum(loss), samples.length * maxCompletionLength);
      });
  }
};
const rewardsOf = (attempts: readonly Attempt[]): number[] => attempts.map(({ reward }) => reward);

// %% [markdown]
// ### 5. A penalty for leaving home
//
// A reward never says everything, and what the policy could do before is worth keeping. So a copy of the start is kept as **reference**, and distance from it costs. New: `reference`, `d`, `penalty`. (The form of the penalty is explained below.)

// %%
const penalised: Loop = async (model, world, optimizer) => {
  const reference = pt.cloneModel(model);
  for (let step = 0; step < world.maxSteps; step += 1) {
    const groups = await attempt(model, world, { step, from: step * 8, prompts: 8, each: 4 });
    const samples = groups.flat();
    const advantages = pt.leaveOneOutAdvantages(groups.map(rewardsOf)).flat();
    for (let iteration = 0; iteration < 2; iteration += 1)
      descend(model, optimizer, () => {
        const { logprobs } = pt.sequenceLogprobs(model, samples);
        const advantage = perToken(samples, advantages);
        const ratio = tf.exp(tf.sub(logprobs, whenSampled(samples)));
        const clipped = tf.clipByValue(ratio, 0.8, 1.2);
        const loss = tf.neg(tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage)));
        const d = tf.sub(pt.sequenceLogprobs(reference, samples).logprobs, logprobs);
        const penalty = tf.mul(tf.sub(tf.sub(tf.exp(d), d), 1), 0.04);
        return tf.div(tf.sum(tf.add(loss, penalty)), samples.length * maxCompletionLength);
      });
  }
  pt.disposeModel(reference);
};

// %% [markdown]
// ### 6. GRPO
//
// As it was published (Shao et al. 2024), with the two divisions of the ladder: by the deviation of the group, and by the length of the reply. PPO needs a *critic*, a second model that learns what reward to expect; here the group says it. One model beside the policy, the reference: this is why it became popular. New: `relativeToGroup`, `shares`.

// %%
function relativeToGroup(attempts: readonly Attempt[]): number[] {
  const rewards = rewardsOf(attempts);
  const scale = pt.standardDeviation(rewards) + 1e-4;
  return rewards.map((reward) => (reward - pt.mean(rewards)) / scale);
}

// %%
const grpo: Loop = async (model, world, optimizer) => {
  const reference = pt.cloneModel(model);
  for (let step = 0; step < world.maxSteps; step += 1) {
    const groups = await attempt(model, world, { step, from: step * 8, prompts: 8, each: 4 });
    const samples = groups.flat();
    const advantages = groups.flatMap(relativeToGroup);
    const shares = samples.map(({ length }) => 1 / (samples.length * length));
    for (let iteration = 0; iteration < 2; iteration += 1)
      descend(model, optimizer, () => {
        const { logprobs } = pt.sequenceLogprobs(model, samples);
        const advantage = perToken(samples, advantages);
        const ratio = tf.exp(tf.sub(logprobs, whenSampled(samples)));
        const clipped = tf.clipByValue(ratio, 0.8, 1.2);
        const loss = tf.neg(tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage)));
        const d = tf.sub(pt.sequenceLogprobs(reference, samples).logprobs, logprobs);
        const penalty = tf.mul(tf.sub(tf.sub(tf.exp(d), d), 1), 0.04);
        return tf.sum(tf.mul(tf.add(loss, penalty), perToken(samples, shares)));
      });
  }
  pt.disposeModel(reference);
};

// %% [markdown]
// ### 7. DAPO
//
// Four changes to GRPO for long chains of thought (Yu et al. 2025), and no penalty: a policy that learns to reason is meant to leave its start. New: more room above than below (`1.28`), one mean over all tokens, and further requests in place of groups without signal. (The fourth, about overlong replies, comes later.)

// %%
const dapo: Loop = async (model, world, optimizer) => {
  for (let step = 0, asked = 0; step < world.maxSteps; step += 1) {
    const groups: Attempt[][] = [];
    const first = asked;
    for (let round = 0; round < 6 && groups.length < 8; round += 1) {
      const tries = { step, from: asked, prompts: 8 - groups.length, each: 4, earlier: asked - first };
      groups.push(...(await attempt(model, world, tries)).filter(hasSignal));
      asked += tries.prompts;
    }
    const samples = groups.flat();
    if (samples.length === 0) continue;
    const advantages = groups.flatMap(relativeToGroup);
    for (let iteration = 0; iteration < 2; iteration += 1)
      descend(model, optimizer, () => {
        const { logprobs } = pt.sequenceLogprobs(model, samples);
        const advantage = perToken(samples, advantages);
        const ratio = tf.exp(tf.sub(logprobs, whenSampled(samples)));
        const clipped = tf.clipByValue(ratio, 0.8, 1.28);
        return tf.mean(tf.neg(tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage))));
      });
  }
};

// %% [markdown]
// ## The same step as the library's
//
// The trainer `grpo` is all of these, by its settings. From the same start, with the same samples, each loop must arrive at the same weights. Adam's last parameter is 1 here, so that a step is proportional to the gradient and a wrong factor would show. Rewards are 0 or 1 for this, so that some groups carry no signal.

// %%
/** A reply is worth 1 when its gold reward reaches `bar`, else 0. */
const allOrNothing = (bar: number): pt.Environment<pt.PreferenceTask> => ({
  name: 'all-or-nothing',
  start: (task) => {
    const episode = gold.start(task);
    const judge = (result: pt.StepResult) => ({ ...result, reward: Number(result.reward >= bar) });
    return {
      initialObservation: () => episode.initialObservation(),
      step: (reply) => judge(episode.step(reply)),
    };
  },
});
const newWorld = (own: number, steps: number, env = gold): World => ({
  env,
  seed: own,
  maxSteps: steps,
  diary: [],
});

const grouped = { promptsPerStep: 8, numGenerations: 4 };

// %%
const inLoops: readonly (readonly [name: string, loop: Loop, config: Partial<pt.GRPOConfig>])[] = [
  ['REINFORCE', reinforce, { ...pt.grpoPresets.reinforce, promptsPerStep: 32, baseline: 'none' }],
  ['with a baseline', withBaseline, { ...pt.grpoPresets.reinforce, promptsPerStep: 32 }],
  ['RLOO', rloo, { ...pt.grpoPresets.rloo, ...grouped, beta: 0 }],
  ['with a clip', clip, { ...pt.grpoPresets.rloo, ...grouped, beta: 0, numIterations: 2 }],
  ['with a penalty', penalised, { ...pt.grpoPresets.rloo, ...grouped, beta: 0.04, numIterations: 2 }],
  ['GRPO', grpo, { ...pt.grpoPresets.grpo, ...grouped, numIterations: 2 }],
  [
    'DAPO',
    dapo,
    { ...grouped, numIterations: 2, epsilonHigh: 0.28, lossType: 'dapo', filterZeroStdGroups: 'resample' },
  ],
];

// %%
const plainAdam = { learningRate: 0.1, adamBeta1: 0.9, adamBeta2: 0.95, adamEpsilon: 1 };
const once = {
  warmupSteps: 0,
  maxGradNorm: 1e9,
  maxSteps: 1,
  maxClippedRatio: 1,
  shuffleDataset: false,
  maxCompletionLength,
};

// %%
/** The largest difference between the weights after one step of a loop and of the library. */
async function distanceToLibrary(loop: Loop, config: Partial<pt.GRPOConfig>): Promise<number> {
  const [own, theirs] = [pt.cloneModel(start), pt.cloneModel(start)];
  const env = allOrNothing(0.9);
  const optimizer = tf.train.adam(0.1, 0.9, 0.95, 1);
  await loop(own, newWorld(seed, 1, env), optimizer);
  const engine = pt.createLocalEngine(theirs);
  const options = {
    engine,
    tokenizer: words,
    env,
    tasks,
    config: { ...config, ...plainAdam, ...once, seed },
  };
  for await (const step of pt.grpo(options)) void step;
  const distances = tf.tidy(() =>
    [...own.weights].map(([name, w]) => tf.max(tf.abs(tf.sub(w, pt.weight(theirs, name)))).dataSync()[0]!),
  );
  optimizer.dispose();
  engine.dispose();
  [own, theirs].forEach(pt.disposeModel);
  return Math.max(...distances);
}

// %%
for (const [name, loop, config] of inLoops) {
  const distance = await distanceToLibrary(loop, config);
  check(
    `${name}: the loop takes the library’s step`,
    distance < 1e-6,
    `weights differ by at most ${short(distance)}`,
  );
}

// %% [markdown]
// ## What they learn
//
// Every loop now gets {{06:seeds}} seeds, sixty steps, 32 replies a step (DAPO more where groups have no signal), and the same learning rate.
//
// **Predict, then run:** in the ladder a baseline took away a good part of the noise. What does that make of the curve?

// %%
/** Lets a loop train a copy of the start; gives its diary, and the mean reward on unseen requests. */
async function train(loop: Loop, own: number, { steps = maxSteps, env = gold } = {}) {
  const model = pt.cloneModel(start);
  const optimizer = tf.train.adam(3e-3, 0.9, 0.95, 1e-8);
  const world = newWorld(own, steps, env);
  await loop(model, world, optimizer);
  const engine = pt.createLocalEngine(model);
  const unseen = {
    tokenizer: words,
    env: gold,
    tasks: pt.preferenceTasks('test'),
    seed,
    maxCompletionLength,
  };
  const [result] = await pt.evaluate({ engine, ...unseen, numGenerations: 8 });
  engine.dispose();
  optimizer.dispose();
  pt.disposeModel(model);
  return { diary: world.diary, reward: result!.reward };
}
type Run = Awaited<ReturnType<typeof train>>;

const runs = new Map<string, Run[]>(inLoops.map(([name]) => [name, []]));
const plan = inLoops.flatMap(([name, loop]) => seeds.map((own) => ({ name, loop, own })));

// %%
async function trainAll(): Promise<void> {
  for await (const { name, loop, own } of progress(plan, { total: plan.length, label: 'trainings' }))
    runs.get(name)!.push(await train(loop, own));
}
await trainAll();

// %%
/** Mean over seeds with their range, each curve a mean of five steps. */
function curve(all: readonly Run[], key: 'reward' | 'entropy'): Point[] {
  const smooth = all.map(({ diary }) =>
    trailingMean(
      diary.map((entry, i) => ({ x: i + 1, y: entry[key] })),
      5,
    ),
  );
  return smooth[0]!.map(({ x }, i) => {
    const values = smooth.flatMap((points) => points[i]?.y ?? []);
    return { x, y: pt.mean(values), low: Math.min(...values), high: Math.max(...values) };
  });
}
const drawn = ['REINFORCE', 'with a baseline', 'RLOO', 'with a clip', 'GRPO'];
const final = (name: string): Interval => overSeeds(runs.get(name)!.map(({ reward }) => reward));

// %%
for (const [key, title, yLabel] of [
  ['reward', 'Reward of the samples', 'reward'],
  ['entropy', 'Entropy', 'nats per token'],
] as const)
  show({
    type: 'lines',
    title,
    description: `${title} over ${maxSteps} steps for ${drawn.join(', ')}; mean and range over seeds.`,
    xLabel: 'step',
    yLabel,
    width: 620,
    series: drawn.map((name) => ({ name, points: curve(runs.get(name)!, key) })),
  });
const told = ({ value, low, high }: Interval): string =>
  `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
table(
  [...runs.keys()].map((name) => ({
    loop: name,
    'reward on unseen requests': told(final(name)),
    entropy: curve(runs.get(name)!, 'entropy').at(-1)!.y,
  })),
  { caption: 'After training; mean and 95 % interval over seeds' },
);

// %%
if (!fast) {
  const learned = (name: string, than: string): boolean => final(name).value > final(than).value;
  check(
    'everyone with a baseline learns more than REINFORCE',
    drawn.slice(1).every((name) => learned(name, 'REINFORCE')),
  );
}

// %% [markdown]
// Everyone learns. REINFORCE ends at {{06:reward.reinforce|interval}} on unseen requests; with the baseline it is {{06:reward.baseline|interval}}. That one line is the largest difference of the whole ladder.
//
// After it the intervals overlap, and the groups that looked so good in the ladder gain nothing over the batch mean: RLOO {{06:reward.rloo|interval}}, with a clip {{06:reward.clip|interval}} (it takes two steps on each batch, so it has also moved twice as often), with the penalty {{06:reward.penalty|interval}}, GRPO {{06:reward.grpo|interval}}, DAPO {{06:reward.dapo|interval}}. Whoever tells you that one of them is best has more seeds than this, or a different task. The [README's table](../README.md#which-algorithm) of algorithms on the diagram task says the same of all but PPO.
//
// The second figure goes the other way. **Entropy**, the mean of $-\log \pi$ over what is said, falls for everyone: to prefer is to give up variety. At 0 a group would hold one reply many times, and there would be nothing left to compare. Watch it in every run.
//
// ## KL: four questions
//
// The **Kullback–Leibler divergence** says how far one distribution is from another: $\mathrm{KL}(p\,\|\,q) = \sum_y p(y) \log \frac{p(y)}{q(y)}$, never negative, 0 only where they are the same. In post-training it keeps a policy near a reference. Much confusion about it goes away with four questions.
//
// ### Which direction?
//
// It is not symmetric. A policy of one hill shall come near a target with two. *Forward*, $\mathrm{KL}(\text{target}\,\|\,\pi)$, punishes a policy that gives nothing where the target has something. *Reverse*, $\mathrm{KL}(\pi\,\|\,\text{target})$, punishes one that says what the target never would.
//
// **Predict, then run:** where does the best hill lie for each?

// %%
const places = Array.from({ length: 41 }, (_, i) => i - 20);
const normalised = (values: readonly number[]): number[] => {
  const total = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => value / total);
};
const hill = (mean: number, width: number): number[] =>
  normalised(places.map((x) => Math.exp(-((x - mean) ** 2) / (2 * width ** 2)) + 1e-12));
const kl = (p: readonly number[], q: readonly number[]): number =>
  p.reduce((sum, share, i) => sum + (share > 0 ? share * Math.log(share / q[i]!) : 0), 0);

const target = normalised(hill(-9, 2).map((left, i) => 0.6 * left + 0.4 * hill(9, 2)[i]!));
function bestHill(distance: (policy: number[]) => number): number[] {
  const candidates = places.flatMap((mean) => [1, 1.5, 2, 3, 5, 8, 12, 20].map((width) => hill(mean, width)));
  return candidates.reduce((a, b) => (distance(b) < distance(a) ? b : a));
}
const forward = bestHill((policy) => kl(target, policy));
const reverse = bestHill((policy) => kl(policy, target));
const atPlaces = (values: readonly number[]): Point[] => values.map((y, i) => ({ x: places[i]!, y }));

// %%
show({
  type: 'lines',
  title: 'The nearest single hill',
  description: 'Forward KL spreads one wide hill over both of the target; reverse KL sits on the higher one.',
  xLabel: 'place',
  yLabel: 'probability',
  width: 620,
  series: [
    { name: 'target', points: atPlaces(target) },
    { name: 'forward', points: atPlaces(forward) },
    { name: 'reverse', points: atPlaces(reverse) },
  ],
});
const between = (policy: readonly number[]): number =>
  places.reduce((sum, x, i) => sum + (Math.abs(x) <= 3 ? policy[i]! : 0), 0);
check(
  'forward KL puts mass between the hills, reverse does not',
  between(forward) > 0.1 && between(reverse) < 0.02,
);

// %% [markdown]
// Forward covers, reverse chooses. SFT is the forward kind: it maximises the likelihood of examples, so it must give something to all of them. A penalty in RL is the reverse kind, $\mathrm{KL}(\pi\,\|\,\pi_\text{ref})$: the policy may drop most of what the reference could say, but must not say what the reference would not.
//
// ### Which estimator?
//
// A reply's exact KL would need the whole distribution at every place. We have the sampled tokens, drawn from $\pi$, and for each $d = \log \pi_\text{ref} - \log \pi$. Three estimators are in use (Schulman 2020):
//
// $$k_1 = -d, \qquad k_2 = \tfrac12 d^2, \qquad k_3 = e^d - d - 1$$

// %%
const softmax = (logits: readonly number[]): number[] => normalised(logits.map(Math.exp));
const logitsOf = (from: number, spread: number): number[] => {
  const random = pt.randomStream(from, 'logits');
  return Array.from({ length: 27 }, () => spread * random.normal());
};
const estimatorsOfKL = {
  k1: (d: number) => -d,
  k2: (d: number) => d ** 2 / 2,
  k3: (d: number) => Math.exp(d) - d - 1,
};

/** Mean and deviation of an estimator under the policy, exactly, and how often it is negative. */
function momentsOf(policy: readonly number[], reference: readonly number[], k: (d: number) => number) {
  const values = policy.map((p, i) => k(Math.log(reference[i]!) - Math.log(p)));
  const mean = values.reduce((sum, value, i) => sum + policy[i]! * value, 0);
  const variance = values.reduce((sum, value, i) => sum + policy[i]! * (value - mean) ** 2, 0);
  return {
    mean,
    deviation: Math.sqrt(variance),
    'below 0': policy.reduce((sum, p, i) => sum + (values[i]! < 0 ? p : 0), 0),
  };
}

const home = softmax(logitsOf(1, 1));

// %%
const moved = (by: number): number[] =>
  softmax(logitsOf(1, 1).map((logit, i) => logit + by * logitsOf(2, 1)[i]!));
for (const [where, policy] of [
  ['near', moved(0.1)],
  ['far', moved(1)],
] as const)
  table(
    Object.entries(estimatorsOfKL).map(([estimator, k]) => ({ estimator, ...momentsOf(policy, home, k) })),
    { caption: `A policy ${where}: exact KL ${short(kl(policy, home))} nats` },
  );
const near = momentsOf(moved(0.1), home, estimatorsOfKL.k1);
const nearK3 = momentsOf(moved(0.1), home, estimatorsOfKL.k3);
check(
  'k1 and k3 are right on average',
  [near, nearK3].every(({ mean }) => Math.abs(mean - kl(moved(0.1), home)) < 1e-9),
);
check(
  'k3 is never negative and, near home, far less noisy',
  nearK3['below 0'] === 0 && nearK3.deviation < near.deviation / 5,
);

// %% [markdown]
// $k_1$ is right on average and wild: the last column says how often it is negative, though no KL can be. $k_2$ is a little off. $k_3$ is right on average, too, never negative, and quiet near home. As a *meter* it is the best of the three. Not always: $e^d$ explodes for a token that the reference likes and the policy has dropped, and one such token can outweigh all others. So the library bounds it.
//
// ### In the reward or in the loss?
//
// A meter is one thing, a force another. InstructGPT and PPO subtract the penalty from the *reward*, so it goes through the advantage. GRPO adds it to the *loss*, and differentiates it. Do both pull towards the same place? We can compute the expected pull exactly, on 27 tokens with one *logit* each, the number from which `softmax` makes its probability. For a number $w(y)$ in front of $\nabla \log \pi(y)$ it is $\sum_y \pi(y)\, w(y)\, \nabla \log \pi(y)$.

// %%
/** The expected gradient of a penalty with respect to the logits, when each sample's ∇log π carries the weight w. */
function pull(policy: readonly number[], weight: (d: number) => number): number[] {
  const weights = policy.map((p, i) => weight(Math.log(home[i]!) - Math.log(p)));
  const mean = weights.reduce((sum, w, i) => sum + policy[i]! * w, 0);
  return policy.map((p, i) => p * (weights[i]! - mean));
}

/** The gradient of a divergence with respect to the logits, by differences. */
function slope(logits: readonly number[], divergence: (policy: number[]) => number): number[] {
  const at = (i: number, by: number): number =>
    divergence(softmax(logits.map((logit, j) => (i === j ? logit + by : logit))));
  return logits.map((_, i) => (at(i, 1e-5) - at(i, -1e-5)) / 2e-5);
}
const cosine = (a: readonly number[], b: readonly number[]): number => {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, v, i) => sum + v * y[i]!, 0);
  const size = Math.sqrt(dot(a, a) * dot(b, b));
  return size < 1e-12 ? 0 : dot(a, b) / size;
};

const awayLogits = logitsOf(1, 1).map((logit, i) => logit + logitsOf(2, 1)[i]!);
const away = softmax(awayLogits);
const slopes = {
  reverse: slope(awayLogits, (p) => kl(p, home)),
  forward: slope(awayLogits, (p) => kl(home, p)),
};

// %%
// what stands before ∇log π: in the reward k itself, in the loss its derivative with respect to log π
const pulls = {
  'k1 in the reward': pull(away, (d) => -d),
  'k1 in the loss': pull(away, () => 1),
  'k2 in the loss': pull(away, (d) => -d),
  'k3 in the loss': pull(away, (d) => 1 - Math.exp(d)),
};
table(
  Object.entries(pulls).map(([penalty, gradient]) => ({
    penalty,
    'size of the pull': Math.hypot(...gradient),
    'cosine with ∇ reverse KL': cosine(gradient, slopes.reverse),
    'cosine with ∇ forward KL': cosine(gradient, slopes.forward),
  })),
  {
    caption: `Expected pull towards home from ${short(kl(away, home))} nats away; cosine 1 is the same direction`,
  },
);
const distanceOf = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((v, i) => Math.abs(v - b[i]!)));
check(
  'k1 in the reward pulls down the reverse KL',
  distanceOf(pulls['k1 in the reward'], slopes.reverse) < 1e-6,
);
check('k3 in the loss pulls down the forward KL', distanceOf(pulls['k3 in the loss'], slopes.forward) < 1e-6);

// %%
check('k1 in the loss does not pull at all', Math.hypot(...pulls['k1 in the loss']) < 1e-9);

// %% [markdown]
// This is worth a second look. The best meter is another force than it measures: $k_3$ in the loss, as in GRPO, pulls along the gradient of the *forward* KL. $k_1$ in the reward pulls along the reverse one, as PPO means it; $k_2$ in the loss does the same. And $k_1$ in the loss does nothing on average: its expected gradient is 0. Near home the three that pull hardly differ, for there both directions agree. "KL belongs in the reward" is true of InstructGPT and PPO, and "into the loss" of GRPO. Say which you mean, and differentiate what you mean.
//
// ### Against which reference?
//
// There are three policies about. The one that *sampled* is what the ratio and the clip look at: they hold back one step, and forget it at the next. The *reference* of the penalty is a frozen one, usually the start: it holds back the whole training. And it may be renewed now and then, which turns a leash into a limit of speed.
//
// Four trainings of the library's `grpo`: no penalty, a penalty to the start of two strengths β, and the stronger one with a reference that is renewed every ten steps.

// %%
/** Mean reward on unseen requests, and how far its replies are from the start: the sum of k1 over their tokens. */
async function standing(engine: pt.Engine, first: pt.DistributionScorer) {
  const unseen = {
    tokenizer: words,
    env: gold,
    tasks: pt.preferenceTasks('test'),
    seed,
    maxCompletionLength,
  };
  const [result] = await pt.evaluate({ engine, ...unseen, numGenerations: 8 });
  const said = result!.perTask.flatMap(({ episodes }) => episodes.flatMap((each) => each.trajectories));
  const atStart = await first.logprobs(said.map(({ tokens, actionMask: mask }) => ({ tokens, mask })));
  const total = (rows: readonly Float32Array[]): number => rows.reduce((sum, row) => sum + tokenSum(row), 0);
  const now = total(said.map(({ logprobs }) => logprobs));
  return { reward: result!.reward, klToStart: (now - total(atStart)) / said.length };
}
const tokenSum = (row: Float32Array): number => row.reduce((sum, value) => sum + value, 0);

// %%
/** Trains in stretches of ten steps; the reference is renewed before each of them, or stays the start. */
async function leashed(own: number, beta: number, renewed: boolean) {
  const model = pt.cloneModel(start);
  const engine = pt.createLocalEngine(model);
  const first = await engine.reference();
  const settings = { ...pt.grpoPresets.drGrpo, ...grouped, maxCompletionLength, beta, learningRate: 3e-3 };
  const world = { engine, tokenizer: words, env: gold, tasks };
  let reference = first;
  let state: pt.GRPOState | undefined;
  for (let end = 10; end <= (fast ? 10 : 40); end += 10) {
    const config = { ...settings, maxSteps: end, seed: own, maxClippedRatio: 1 };
    const going = { ...(beta > 0 && { reference }), ...(state && { state }) };
    for await (const step of pt.grpo({ ...world, config, ...going })) state = step.state;
    if (renewed) reference = await engine.reference();
  }
  const result = await standing(engine, first);
  [engine, first, reference].forEach((each) => each.dispose());
  pt.disposeModel(model);
  return result;
}

// %%
const leashes = {
  'no penalty': [0, false],
  'β = 0.1, to the start': [0.1, false],
  'β = 0.5, to the start': [0.5, false],
  'β = 0.5, renewed': [0.5, true],
} as const;
const leashRuns: { name: string; reward: Interval; klToStart: Interval }[] = [];
async function tryLeashes(): Promise<void> {
  for (const [name, [beta, renewed]] of Object.entries(leashes)) {
    const results: Awaited<ReturnType<typeof leashed>>[] = [];
    for (const own of seeds.slice(0, 3)) results.push(await leashed(own, beta, renewed));
    leashRuns.push({
      name,
      reward: overSeeds(results.map(({ reward }) => reward)),
      klToStart: overSeeds(results.map((r) => r.klToStart)),
    });
  }
}
await tryLeashes();

// %%
table(
  leashRuns.map(({ name, reward, klToStart }) => ({
    training: name,
    reward: told(reward),
    'KL to the start, nats a reply': told(klToStart),
  })),
  {
    caption: 'After forty steps; three seeds',
  },
);

// %% [markdown]
// Without a penalty the policy earns {{06:leash.none.reward|interval}} and ends {{06:leash.none.kl|interval}} nats a reply from its start. A weak one holds it at {{06:leash.weak.kl|interval}} nats for {{06:leash.weak.reward|interval}}, a strong one at {{06:leash.strong.kl|interval}} for {{06:leash.strong.reward|interval}}. With the reference renewed, the same strong penalty lets it go {{06:leash.renewed.kl|interval}} nats far, and it earns {{06:leash.renewed.reward|interval}}: it slows the policy down, and does not hold it.
//
// Here the reward is the true one, and the shorter the leash, the less reward. A penalty earns its keep where the reward is a stand-in that can be exploited: `npm run experiment -- rlhf` shows a policy whose true reward falls without one from {{rlhf:arms[PPO, β = 0].peak|fixed2}} to {{rlhf:arms[PPO, β = 0].gold|fixed2}}.
//
// ## What each piece of DAPO changes
//
// ### One mean over all tokens
//
// GRPO lets every reply have the same say, and shares it among its tokens. So in a long reply each token counts less. DAPO takes one mean over all tokens of the step. Two replies, of 10 and of 100 tokens:

// %%
const masks = [10, 100].map((length) => new Uint8Array(length).fill(1));
const shares = (lossType: pt.LossType): number[] =>
  pt.tokenWeights(masks, lossType, 100).map((weights) => weights[0]!);
table(
  (['grpo', 'dapo', 'dr_grpo'] as const).map((lossType) => {
    const [short10, long100] = shares(lossType) as [number, number];
    return {
      lossType,
      'a token of the short': short10,
      'a token of the long': long100,
      'long reply : short reply': (long100 * 100) / (short10 * 10),
    };
  }),
);
const [grpoShort, grpoLong] = shares('grpo') as [number, number];
const [dapoShort, dapoLong] = shares('dapo') as [number, number];
check('GRPO: 1 to 1 between replies', Math.abs((grpoLong * 100) / (grpoShort * 10) - 1) < 1e-5);
check('DAPO: 10 to 1, as they are long', Math.abs((dapoLong * 100) / (dapoShort * 10) - 10) < 1e-5);

// %% [markdown]
// ### Dynamic sampling
//
// A group whose replies all got the same reward has advantage 0 everywhere. It was sampled, judged, and teaches nothing: a **dead group**. With rewards of 0 or 1 that happens all the time, to requests that are too hard as well as to those that are too easy. DAPO asks further requests until the step is full. It pays with episodes, so the fair comparison is over episodes, not over steps.
//
// A reply is now worth 1 if its gold reward reaches 1.1, else 0: few do at first. Three seeds.

// %%
/** Trains a copy of the start with the library's `grpo`; the metrics of each step, and the episodes paid for until then. */
async function libraryRun(own: number, settings: Partial<pt.GRPOConfig>, env = gold) {
  const model = pt.cloneModel(start);
  const engine = pt.createLocalEngine(model);
  const usual = {
    ...grouped,
    maxCompletionLength,
    learningRate: 3e-3,
    maxClippedRatio: 1,
    maxSteps,
    seed: own,
  };
  let episodes = 0;
  const counted: typeof env = { name: env.name, start: (task) => ((episodes += 1), env.start(task)) };
  const steps: { readonly metrics: pt.Metrics; readonly episodes: number }[] = [];
  const options = { engine, tokenizer: words, env: counted, tasks, config: { ...usual, ...settings } };
  for await (const { metrics } of pt.grpo(options)) steps.push({ metrics, episodes });
  engine.dispose();
  pt.disposeModel(model);
  return steps;
}
type LibraryRun = Awaited<ReturnType<typeof libraryRun>>;

// %%
async function runsWith(
  settings: Partial<pt.GRPOConfig>,
  env = gold,
  some = seeds.slice(0, 3),
): Promise<LibraryRun[]> {
  const all: LibraryRun[] = [];
  for (const own of some) all.push(await libraryRun(own, settings, env));
  return all;
}
const lastOf = (all: readonly LibraryRun[], key: string): Interval =>
  overSeeds(all.map((run) => pt.mean(run.slice(-10).map(({ metrics }) => metrics[key] ?? 0))));

// %%
const strict = allOrNothing(1.1);
const sampling = {
  'all groups': await runsWith({}, strict),
  'dynamic sampling': await runsWith({ filterZeroStdGroups: 'resample' }, strict),
};
/** Mean over seeds of the success reached, against the mean number of episodes paid. */
const overEpisodes = (all: readonly LibraryRun[]): Point[] => {
  const smooth = all.map((run) =>
    trailingMean(
      run.map(({ metrics }, i) => ({ x: i, y: metrics['reward']! })),
      5,
    ),
  );
  return smooth[0]!.map((_, i) => {
    const values = smooth.map((points) => points[i]!.y);
    const x = pt.mean(all.map((run) => run[i]!.episodes));
    return { x, y: pt.mean(values), low: Math.min(...values), high: Math.max(...values) };
  });
};

// %%
show({
  type: 'lines',
  title: 'Rewards of 0 or 1: success over episodes',
  description:
    'Success of the samples over the episodes that were paid for, with and without dynamic sampling; mean and range over seeds.',
  xLabel: 'episodes',
  yLabel: 'share of replies worth 1',
  width: 620,
  series: Object.entries(sampling).map(([name, all]) => ({ name, points: overEpisodes(all) })),
});
const paid = (all: readonly LibraryRun[]): Interval => overSeeds(all.map((run) => run.at(-1)!.episodes));
/** Success of the last ten steps that at most so many episodes paid for. */
const within = (all: readonly LibraryRun[], most: number): Interval =>
  overSeeds(
    all.map((run) => {
      const steps = run.filter(({ episodes }) => episodes <= most).slice(-10);
      return pt.mean(steps.map(({ metrics }) => metrics['reward']!));
    }),
  );
const budget = paid(sampling['all groups']).value;
const atFirst = (all: readonly LibraryRun[], key: string): number =>
  pt.mean(all.map((run) => run[0]!.metrics[key]!));

// %%
table(
  Object.entries(sampling).map(([name, all]) => ({
    training: name,
    'dead groups at first': atFirst(all, 'frac_reward_zero_std'),
    'dead groups at last': lastOf(all, 'frac_reward_zero_std').value,
    'success at last': told(lastOf(all, 'reward')),
    episodes: paid(all).value,
    [`success within ${budget} episodes`]: told(within(all, budget)),
  })),
);

// %% [markdown]
// At first {{06:dynamic.deadAtFirst|percent0}} of the groups are dead. Step for step dynamic sampling is ahead in the mean, {{06:dynamic.resampled.success|interval}} against {{06:dynamic.plain.success|interval}}; but it has paid for {{06:dynamic.resampled.episodes|integer}} episodes instead of {{06:dynamic.plain.episodes|integer}}. After as many episodes as the other it stands at {{06:dynamic.atEqual|interval}}, and that is behind in the mean: the plain run has taken more steps by then, small as they were. What dynamic sampling saves is steps, which is worth a lot where a step is dear and an episode cheap. When you read "faster", ask: per step, or per episode?
//
// ### Clip higher
//
// With a range of 0.8 to 1.2 a token of probability 0.01 may grow to 0.012 in a step, one of 0.5 to 0.6. The rare one needs room, says DAPO, or the policy stops exploring; so the upper end becomes 1.28. The clip matters only where samples are used more than once: four times here.
//
// **Predict, then run:** which keeps the higher entropy?

// %%
const reused = { numIterations: 4, maxSteps: fast ? 6 : 40 };
const clips = {
  '0.8 to 1.2': await runsWith({ ...reused }, gold, seeds),
  '0.8 to 1.28': await runsWith({ ...reused, epsilonHigh: 0.28 }, gold, seeds),
  'no clip at all': await runsWith({ ...reused, epsilon: 0.999, epsilonHigh: 1e6 }, gold, seeds),
};
table(
  Object.entries(clips).map(([range, all]) => ({
    range,
    'entropy at last, nats': told(lastOf(all, 'entropy')),
    'reward at last': told(lastOf(all, 'reward')),
    'tokens clipped': lastOf(all, 'clip_ratio/region_mean').value,
  })),
  { caption: 'Mean of the last ten steps; 95 % interval over seeds' },
);

// %% [markdown]
// DAPO's authors saw the entropy of a model of 32 billion weights kept up by it. Here it is {{06:clip.narrow|interval}} nats with the narrow range and {{06:clip.higher|interval}} with the wider one: higher in the mean, and within each other's intervals. A claim about rare tokens wants a larger vocabulary than 27 words; we report what we have.
//
// What does show is what the clip itself is for. Without any, four steps on the same samples earn {{06:clip.rewardNone|interval}}, with it {{06:clip.rewardNarrow|interval}}.
//
// ### Overlong replies
//
// A reply that reaches the limit is cut. Its reward then judges the limit, not the thought. DAPO leaves cut replies out of the loss, and lets the reward fall over the last tokens before the limit, so that the policy hears of it in time (its *soft punishment*). Here the limit is 8 tokens, a little more than a reply takes at first, and the fall begins at 4 (three seeds).

// %%
const limit = { maxCompletionLength: 8 };
const lengths = {
  'a limit': await runsWith(limit),
  'cut replies left out': await runsWith({ ...limit, maskTruncatedCompletions: true }),
  'soft punishment, too': await runsWith({ ...limit, maskTruncatedCompletions: true, softPunishCache: 4 }),
};
table(
  Object.entries(lengths).map(([training, all]) => ({
    training,
    'cut at first': atFirst(all, 'completions/clipped_ratio'),
    'cut at last': told(lastOf(all, 'completions/clipped_ratio')),
    'tokens a reply': told(lastOf(all, 'completions/mean_length')),
    'gold reward': told(lastOf(all, 'rewards/gold/mean')),
  })),
);
const cutAtLast = (name: keyof typeof lengths): Interval =>
  lastOf(lengths[name], 'completions/clipped_ratio');
if (!fast)
  check(
    'with the soft punishment fewer replies are cut than with filtering alone',
    cutAtLast('soft punishment, too').value < cutAtLast('cut replies left out').value,
  );

// %% [markdown]
// The reward likes words, so the replies grow into the limit: hardly any is cut at first, {{06:length.limit.cut|percent0}} at last. Leaving cut replies out of the loss changes little here ({{06:length.filtered.cut|percent0}}, and the seeds disagree). With the soft punishment none is cut any more. It has its price. The replies have shrunk to {{06:length.punished.tokens|interval}} tokens, to where the fall begins, and their gold reward with them, to {{06:length.punished.gold|interval}} from {{06:length.limit.gold|interval}}. A fall over half of the limit says more about length than the reward says about words; DAPO lets it fall over a fifth.
//
// ## Exercise: the advantage of a group
//
// Write it once for all: rewards of groups in, advantages out, of the same shape. The kind says which:
//
// - `'leave_one_out'`: the reward, less the mean of the *other* rewards of its group;
// - `'group'`: the reward, less the mean of its group, divided by the group's standard deviation (over N − 1) plus 0.0001. A group whose deviation is below 0.001 has equal rewards up to rounding: its advantages are exactly 0.
//
// Why the last rule? `0.1 + 0.2` is not `0.3` for a computer. Divided by a deviation of next to nothing, that would become an advantage, made of nothing.

// %%
type Kind = 'leave_one_out' | 'group';
type AdvantagesOf = (groups: Rewards, kind: Kind) => number[][];
const rounded = [0.1 + 0.2, 0.3, 0.3, 0.3];
const hard: Readonly<Record<string, Rewards>> = {
  'one right of four': [[1, 0, 0, 0]],
  'groups on different scales': [
    [1, 0, 1, 0],
    [10, 0, 10, 0],
  ],
  'a group without signal': [
    [0, 0, 0],
    [1, 2, 3],
  ],
  'equal up to rounding': [rounded],
};

// %%
/** Compares with the library, on groups that are easy to get wrong. */
function examineAdvantages(advantagesOf: AdvantagesOf): void {
  for (const [name, groups] of Object.entries(hard))
    for (const kind of ['leave_one_out', 'group'] as const) {
      const known =
        kind === 'group' ? pt.groupAdvantages(groups).advantages : pt.leaveOneOutAdvantages(groups);
      const own = advantagesOf(groups, kind);
      const equal = own.length === known.length && own.every((g, i) => distanceOf(g, known[i]!) < 1e-9);
      check(`${name}, ${kind}`, equal, JSON.stringify(own));
    }
  const nothing = advantagesOf([rounded], 'group').flat();
  check('nothing is made of nothing', nothing.length === 4 && nothing.every((a) => a === 0), String(nothing));
}

// %% tags=["exercise"]
function advantagesOf(groups: Rewards, kind: Kind): number[][] {
  return groups.map((rewards) => {
    if (kind === 'leave_one_out') return rewards.map(() => 0); // TODO: less the mean of the others
    return rewards.map((reward) => reward - pt.mean(rewards)); // TODO: deviation, 0.0001, equal up to rounding
  });
}

await exercise({
  id: 'advantages',
  hint: 'The mean of the others follows from the sum of the group. `pt.standardDeviation` divides by N − 1; look at it before you divide by it.',
  cases: () => examineAdvantages(advantagesOf),
});

// %%
const names = ['reinforce', 'baseline', 'rloo', 'clip', 'penalty', 'grpo', 'dapo'] as const;
const tries = { plain: sampling['all groups'], resampled: sampling['dynamic sampling'] };
const results = {
  noise: { batch: batch.relative, rloo: loo.relative, grpo: published.relative },
  marks: { batch: batch['relative of marks'], rloo: loo['relative of marks'] },
  angle: { rloo: loo.angle, grpo: published.angle },
  reward: Object.fromEntries(inLoops.map(([name], i) => [names[i]!, final(name)])),
  leash: Object.fromEntries(
    leashRuns.map(({ reward, klToStart }, i) => [
      ['none', 'weak', 'strong', 'renewed'][i]!,
      { reward, kl: klToStart },
    ]),
  ),
  dynamic: {
    deadAtFirst: atFirst(tries.plain, 'frac_reward_zero_std'),
    plain: { success: lastOf(tries.plain, 'reward'), episodes: budget },
    resampled: { success: lastOf(tries.resampled, 'reward'), episodes: paid(tries.resampled).value },
    atEqual: within(tries.resampled, budget),
  },
};

// %%
const lengthOf = (name: keyof typeof lengths) => ({
  cut: cutAtLast(name).value,
  tokens: lastOf(lengths[name], 'completions/mean_length'),
  gold: lastOf(lengths[name], 'rewards/gold/mean'),
});
await saveResults('06', {
  ...results,
  seeds: seeds.length,
  clip: {
    narrow: lastOf(clips['0.8 to 1.2'], 'entropy'),
    higher: lastOf(clips['0.8 to 1.28'], 'entropy'),
    rewardNarrow: lastOf(clips['0.8 to 1.2'], 'reward'),
    rewardNone: lastOf(clips['no clip at all'], 'reward'),
  },
  length: {
    limit: lengthOf('a limit'),
    filtered: lengthOf('cut replies left out'),
    punished: lengthOf('soft punishment, too'),
  },
});

// %% [markdown]
// ## What to take away
//
// - A policy gradient is a mean over what the policy says, so it can be estimated from samples; everything after that is about the noise of the estimate.
// - A baseline takes noise away and changes nothing else. Groups are a baseline that survives questions of different difficulty.
// - The clip lets samples be used more than once. GRPO's two divisions are biases; DAPO and Dr. GRPO take one or both back.
// - Of a KL penalty ask four things: which direction, which estimator, in the reward or in the loss, against which reference.
// - A group whose rewards are all equal teaches nothing. Count such groups in every run.
//
// **Next:** [07 · On-policy distillation](07-on-policy-distillation.ipynb), where a teacher's opinion of every token takes the place of one number at the end.
