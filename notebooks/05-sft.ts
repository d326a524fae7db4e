// %% [markdown]
// # 05 · Supervised fine-tuning
//
// **Question.** A base model has read text and never answered anybody. What does it learn from worked examples, and when are examples enough?
//
// **Before.** Notebooks [02](02-environment.ipynb) (the environment that judges a drawing) and [04](04-teacher.ipynb) (the teacher whose drawings we learn from) help; neither is needed. The book's chapter is [Supervised fine-tuning](../chapters/05-sft.md).
//
// **Time.** About a minute and a half on two cores.
//
// **After.** You can say which tokens of an example are trained and what the loss is at each of them; write the training step yourself; tell over-fitting from learning, by two curves that disagree; and say what supervised fine-tuning can give and what it cannot.

// %%
import * as tf from '@tensorflow/tfjs-core';
import * as pt from 'posttrain';
import { percent, type Point, short } from 'posttrain/display';
import { createPooledEngine, loadPolicy } from 'posttrain/node';
import { check, diagram, exercise, interruptSignal, livePlot, progress } from 'posttrain/notebook';
import { saveResults, setup, show, table } from 'posttrain/notebook';

// %%
const { fast, seed } = await setup({ seed: 7 });
const seeds = fast ? [1, 2] : [1, 2, 3];
const steps = fast ? 12 : 160;
const batchSize = 16;

// %% [markdown]
// ## An example is a row of tokens
//
// A language model reads *tokens*, pieces of text with a number each. At every place it gives each of its 2,048 tokens a probability of being the next one. That is all it does, before and after training.
//
// **Supervised fine-tuning**, SFT for short, shows the model requests with good replies. A request and its reply are laid end to end: `<|user|>`, the request, `<|assistant|>`, the reply, `<|end|>`. The special tokens in angle brackets say who speaks; the last one is how a model learns to stop.
//
// The examples come from a scripted teacher. Two thirds of them are drawn well. In the rest everything is connected as it was asked for, and badly placed, as people's drawings often are. That is on purpose: it leaves something for reinforcement learning to improve.

// %%
const { model, tokenizer } = await loadPolicy('../data/base');
const engine = createPooledEngine(model, { workers: 2 });
const env = pt.diagramEnvironment({ scorer: pt.scoreDiagram });

async function drawnExamples(split: 'train' | 'id', count: number): Promise<pt.PromptCompletionRow[]> {
  const tasks = Array.from({ length: count }, (_, index) =>
    pt.generateTask({ seed, split, index, profile: 'curriculum' }),
  );
  const teachers = [
    { teacher: pt.scriptedTeacher({ numLayouts: 1, seed }), share: 0.65 },
    { teacher: pt.scriptedTeacher({ quality: 'mediocre', numLayouts: 1, seed }), share: 0.35, keep: 'all' },
  ] as const;
  const examples: pt.PromptCompletionRow[] = [];
  for await (const { rejection, turns } of pt.collect({ env, teachers, tasks, seed })) {
    const [turn] = turns;
    if (rejection !== null || turn === undefined) continue;
    const prompt = pt.renderPrompt(tokenizer, [{ role: 'user', content: turn.observation }]);
    examples.push({ prompt, completion: pt.renderCompletion(tokenizer, turn.completion) });
  }
  return examples;
}

const examples = await drawnExamples('train', steps * batchSize);
const unseenExamples = await drawnExamples('id', 48);

// %%
table([
  { examples: 'to learn from', rows: examples.length },
  { examples: 'held out', rows: unseenExamples.length },
]);

// %% [markdown]
// ## Which tokens count
//
// We want the model to answer, not to ask. So only the tokens of the reply are trained. The list of zeros and ones that says so is the **mask**.
//
// At each token that counts we note how surprised the model was by it: −log of the probability it gave to what came, in *nats*. Sure and right is 0. One chance in ten is 2.3. A blind guess among 2,048 tokens is 7.6.
//
// **Predict, then run:** the base has read English and other JSON. Where in the reply will it be surprised most?

// %%
interface Masked {
  readonly tokens: Int32Array;
  readonly mask: Uint8Array;
}

/** The whole row, with 1 at the tokens of the reply. */
function masked({ prompt, completion }: pt.PromptCompletionRow): Masked {
  const tokens = Int32Array.of(...prompt, ...completion);
  return { tokens, mask: new Uint8Array(tokens.length).fill(1, prompt.length) };
}

/** What each token of the reply costs, and `null` where nothing counts: `[T]`. */
async function surprises(row: pt.PromptCompletionRow): Promise<(number | null)[]> {
  const { tokens, mask } = masked(row);
  const [logprobs] = await engine.logprobs([{ tokens, mask }]);
  return Array.from(logprobs!, (logprob, t) => (mask[t] === 1 ? Math.max(0, -logprob) : null));
}

/** A row and its surprises, for `show`. */
async function strip(row: pt.PromptCompletionRow, title: string, description: string) {
  const values = (await surprises(row)).map((value) => (value === null ? null : Number(value.toFixed(2))));
  const text = (id: number): string => tokenizer.decode(Int32Array.of(id));
  const tokens = Array.from(masked(row).tokens, (id, t) => ({ text: text(id), value: values[t]! }));
  return { type: 'tokens', title, description, valueLabel: 'nats', darkestValue: 7.6, tokens } as const;
}

// %%
const example = unseenExamples.reduce((a, b) => (b.completion.length < a.completion.length ? b : a));
show(
  await strip(
    example,
    'The base reads a reply it has never seen the like of',
    'The request is grey and does not count. Nearly every token of the reply surprises the base more than a blind guess would.',
  ),
);

// %% [markdown]
// Nearly every token of the reply costs more than a blind guess, the frame ten nats and more. The exceptions are the later tokens of a name, which the base copies once it has begun, and the end. Grey tokens are there to be read: they are what the reply is conditioned on. Nothing asks the model to predict them.
//
// ## The loss, by hand
//
// The loss of SFT is the mean surprise over the tokens that count. With $m_t = 1$ where token $t$ counts and 0 elsewhere,
//
// $$L = -\frac{\sum_t m_t \log \pi(y_t \mid y_{<t})}{\sum_t m_t}$$
//
// where $\pi(y_t \mid y_{<t})$ is the probability that the model gives to token $y_t$ after all tokens before it. It is the loss of pre-training. What is new is the data, and the mask.

// %%
const costs = (await surprises(example)).filter((value) => value !== null);
const byHand = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
const byLibrary = await pt.evaluateLoss(engine, [example]);
table([
  { what: 'tokens of the row', value: example.prompt.length + example.completion.length },
  { what: 'of which count', value: costs.length },
  { what: 'their surprises, added up', value: byHand * costs.length },
  { what: 'loss: their mean', value: byHand },
  { what: 'loss, says the library', value: byLibrary },
  { what: 'loss of a blind guess', value: Math.log(tokenizer.vocabSize) },
]);
check('the loss by hand is the library’s', Math.abs(byHand - byLibrary) < 1e-4);
check('the base does worse than a blind guess', byHand > Math.log(tokenizer.vocabSize));

// %% [markdown]
// Worse than a blind guess: the base is not undecided, it expects something else. What?
//
// ## From the base to a model that answers
//
// It gets three requests and answers *greedily*: always with the likeliest token. (To *sample* is to draw each token as often as its probability says; that is temperature 1, and greedy is temperature 0.)

// %%
const unseenTasks = Array.from({ length: fast ? 6 : 40 }, (_, index) =>
  pt.generateTask({ seed, split: 'id', index: 1000 + index, profile: 'curriculum' }),
);
const requests = unseenTasks.slice(0, 3).map((task) => task.requests[0]!);

/** What the model draws for the three requests. */
async function drawings(): Promise<pt.DrawResult[]> {
  const drawn: pt.DrawResult[] = [];
  for (const request of requests) drawn.push(await pt.draw({ model, tokenizer, request, maxNewTokens: 160 }));
  return drawn;
}

/** How the model does on unseen requests, at temperature 0 (greedy) or 1 (as sampled in RL). */
async function examine(temperature: 0 | 1) {
  const settings = { engine, tokenizer, env, tasks: unseenTasks, maxCompletionLength: 160, seed };
  const [result] = await pt.evaluate({ ...settings, temperature, numGenerations: temperature === 0 ? 1 : 4 });
  return result!;
}

const before = { replies: await drawings(), sampled: await examine(1) };
table(requests.map((request, n) => ({ request, reply: before.replies[n]!.reply.slice(0, 60) })));
check('the base never answers in a way that can be read', before.sampled.parsed!.value === 0);

// %% [markdown]
// It answers with JSON of the kinds it has read, and it has learned to copy names. Not one reply can be read as a drawing. A reward would be the same for all of them, and there would be nothing for **reinforcement learning** (RL: try, and do more of what was paid) to prefer. This is why SFT comes first for a small model and a strict format. (A large base that already answers well enough now and then can do without; DeepSeek-R1-Zero did, and its makers still put a small SFT in front later, for legible answers.)
//
// Now we train. A **step** finds out for every weight of the model how the loss would change with it (that is the **gradient**) and moves all of them a little way downhill; the *learning rate* says how far. Each step takes {{05:nano.batch|integer}} examples, none of them twice.
//
// **Predict, then run:** which of the two lines will be lower at the end?

// %%
const curve: { step: number; training: number; heldOut: number | null }[] = [];

async function teach(): Promise<void> {
  const plot = livePlot({
    title: 'SFT of the base',
    description: 'The loss on the examples of each step, and on examples held out, fall together.',
    xLabel: 'step',
    yLabel: 'loss, nats per token',
    series: ['training', 'held out'],
  });
  const config = { maxSteps: steps, batchSize, learningRate: 4e-3, warmupSteps: 10, seed };
  const training = pt.sft({ engine, rows: examples, config, signal: interruptSignal() });
  for await (const { step, metrics } of progress(training, {
    total: steps,
    label: 'SFT',
    metrics: ['loss'],
  })) {
    const heldOut = step % 10 === 0 ? await pt.evaluateLoss(engine, unseenExamples) : null;
    curve.push({ step, training: metrics['loss']!, heldOut });
    plot.add(step, { training: metrics['loss']!, 'held out': heldOut });
  }
}
await teach();

// %%
show(
  await strip(
    example,
    'The same reply after SFT',
    'After SFT the frame of the action language costs next to nothing; what is left stands at labels and coordinates.',
  ),
);
const heldOutLoss = await pt.evaluateLoss(engine, unseenExamples);
check('the held-out loss has fallen', heldOutLoss < byLibrary / 2, `now ${heldOutLoss.toFixed(3)} nats`);

// %% [markdown]
// The same tokens, the same colours. The frame, `{"type":"create","shape":…`, is free now. What still costs something is the first letters of a label, which stands in the request and has to be found there, and where a box goes, which no request says.
//
// In the chart before, no example was seen twice, so the two lines lie on each other: there was nothing to learn by heart. Below we shall see what happens otherwise.

// %%
const after = { replies: await drawings(), greedy: await examine(0), sampled: await examine(1) };
diagram(
  after.replies.map(({ canvas }, n) => ({ canvas, caption: requests[n]! })),
  { description: 'Three unseen requests, drawn greedily after SFT: boxes with labels and arrows.' },
);
const report = (
  policy: string,
  { parsed, validActions, success, passAt, reward }: typeof before.sampled,
) => ({
  policy,
  readable: percent(parsed!.value, 0),
  'actions that run': percent(validActions!.value, 0),
  success: percent(success.value, 0),
  'one of 4 succeeds': passAt['4'] === undefined ? '' : percent(passAt['4'], 0),
  reward,
});
table([
  report('base, sampled', before.sampled),
  report('SFT, sampled', after.sampled),
  report('SFT, greedy', after.greedy),
]);
if (!fast) check('most replies can be read', after.sampled.parsed!.value > 0.7);

// %% [markdown]
// What SFT bought is the *language*: replies that can be read, and actions that run. *Success* is strict: every box and arrow of the request, no other, nothing overlapping. After {{05:nano.steps|integer}} short steps it is {{05:nano.sampled|percent0}} of the samples; `npm start` takes {{diagram:recipe.sft.maxSteps|integer}} steps of {{diagram:recipe.sft.batchSize|integer}} and comes to {{diagram:summary[1].success|percent0}}. (One seed and forty requests: these numbers show what happens and prove nothing. What is claimed below has three seeds, in a smaller world.)
//
// Look at the last two rows. Greedy drawings succeed more often than sampled ones ({{05:nano.greedy|percent0}}): the likeliest reply is better than a usual one. And of four samples one is good far more often than each is ({{05:nano.oneOfFour|percent0}}). The model *can* do more than it *does*. Choosing is left, and that is what notebook 06 is about.
//
// ## The step, by hand
//
// To take training apart, and to repeat it over seeds, we need something faster. The **preference world** has 27 words. A request names one to three topics; a reply speaks about them, and a known reward likes many words about the topics, some courtesy, a reason, and brevity. A model of eleven thousand weights learns it in a second. From here to the word about LoRA everything happens there.

// %%
const words = pt.wordTokenizer(pt.preferenceWords);
const preference = pt.preferenceEnvironment();
const tinyConfig = {
  ...pt.presets.nano(words.vocabSize),
  ...{ hiddenSize: 32, intermediateSize: 64, numHiddenLayers: 1, maxPositionEmbeddings: 64 },
  ...{ numAttentionHeads: 2, numKeyValueHeads: 2, headDim: 16 },
};
type Writer = (task: pt.PreferenceTask, random: pt.RandomStream) => string;

/** What a writer answers to every request of a split, `each` times. */
function written(split: 'train' | 'test', each: number, from: number, write: Writer = pt.writeReply) {
  const tasks = pt.preferenceTasks(split);
  return Array.from({ length: each }, (_, n) =>
    tasks.map((task, index) => ({ task, text: write(task, pt.randomStream(from, 'reply', n, index)) })),
  ).flat();
}

const rowOf = ({ task, text }: { task: pt.PreferenceTask; text: string }): pt.PromptCompletionRow => ({
  prompt: pt.renderPrompt(words, [{ role: 'user', content: pt.requestOf(task) }]),
  completion: pt.renderCompletion(words, text),
});

// %%
table(
  written('train', 1, 1)
    .slice(20, 25)
    .map(({ task, text }) => ({ request: pt.requestOf(task), reply: text })),
);

// %% [markdown]
// Here is SFT, whole. One batch of examples, one loss, one step down its gradient, taken by Adam, an optimizer that gives all weights about the same pace. `sequenceLogprobs` gives the log-probability of every token whose mask is 1; the minus of their mean is the loss from above.

// %%
async function plainSFT(
  student: pt.Model,
  rows: readonly pt.PromptCompletionRow[],
  plan: Plan,
): Promise<void> {
  const optimizer = tf.train.adam(plan.learningRate, 0.9, 0.95, plan.adamEpsilon);
  const order = pt.dataOrder(rows.length, plan.seed, true);
  const weights = [...student.weights.values()];
  for (let step = 0; step < plan.maxSteps; step += 1) {
    const batch = Array.from({ length: plan.batchSize }, (_, n) =>
      masked(rows[order(step * plan.batchSize + n)]!),
    );
    const loss = () => tf.neg(tf.mean(pt.sequenceLogprobs(student, batch).logprobs)) as tf.Scalar;
    optimizer.minimize(loss, false, weights);
  }
  optimizer.dispose();
}
type Plan = Pick<pt.SFTConfig, 'learningRate' | 'adamEpsilon' | 'seed' | 'batchSize'> & {
  readonly maxSteps: number;
};

// %% [markdown]
// Does the library do the same? Two copies of one model take three steps, one with each. Adam's last parameter is set to 1 for this, so that a step is about proportional to the gradient and a wrong factor would show.

// %%
const plan = { learningRate: 1, adamEpsilon: 1, seed, maxSteps: 3, batchSize: 16 };
const peopleRows = written('train', 4, seed).map(rowOf);

async function distanceOfSteps(): Promise<number> {
  const [own, theirs] = [pt.createModel(tinyConfig, seed), pt.createModel(tinyConfig, seed)];
  await plainSFT(own, peopleRows, plan);
  const config = { ...plan, lrSchedulerType: 'constant', warmupSteps: 0, maxGradNorm: 1e9 } as const;
  const tinyEngine = pt.createLocalEngine(theirs);
  for await (const step of pt.sft({ engine: tinyEngine, rows: peopleRows, config })) void step;
  const distance = tf.tidy(() =>
    [...own.weights].map(([name, w]) => tf.max(tf.abs(tf.sub(w, pt.weight(theirs, name)))).dataSync()[0]!),
  );
  tinyEngine.dispose();
  [own, theirs].forEach(pt.disposeModel);
  return Math.max(...distance);
}

const apart = await distanceOfSteps();
check('after three steps no weight differs', apart < 1e-5, `at most ${short(apart)}`);

// %% [markdown]
// ## What the mask is for
//
// Leave the mask out, and the model is trained to write requests as well. What does that change? Our guess before running: it learns to ask, which nobody wanted, and answers a little worse, because part of each step goes elsewhere.

// %%
/** A fresh student of the preference world, for as long as `use` takes. */
async function withStudent<T>(from: number, use: (engine: pt.Engine) => Promise<T>): Promise<T> {
  const student = pt.createModel(tinyConfig, from);
  const own = pt.createLocalEngine(student);
  try {
    return await use(own);
  } finally {
    own.dispose();
    pt.disposeModel(student);
  }
}

/** Takes all steps of a training. */
async function learn(
  own: pt.Engine,
  rows: readonly pt.SFTRow[],
  config: Partial<pt.SFTConfig>,
): Promise<void> {
  const usual = { learningRate: 1e-2, maxSteps: fast ? 24 : 240, warmupSteps: 10 };
  for await (const step of pt.sft({ engine: own, rows, config: { ...usual, ...config } })) void step;
}

const testRows = written('test', 4, 99).map(rowOf);
const requestRows = testRows.map(({ prompt }) => ({ tokens: prompt }));

// %%
/** Mean reward of its replies to unseen requests. */
async function rewardOf(own: pt.Engine, temperature: 0 | 1): Promise<number> {
  const settings = { tokenizer: words, env: preference, tasks: pt.preferenceTasks('test'), seed };
  const numGenerations = temperature === 0 ? 1 : 8;
  const [result] = await pt.evaluate({
    engine: own,
    ...settings,
    temperature,
    numGenerations,
    maxCompletionLength: 16,
  });
  return result!.reward;
}

// %%
const topicNames = new Set<string>(pt.topics);

/** The share of texts after `<|user|>` that are proper requests: one to three different topics. */
async function asksProperly(own: pt.Engine): Promise<number> {
  const [user, assistant] = [pt.chatTokenId(words, '<|user|>'), pt.chatTokenId(words, '<|assistant|>')];
  const openings = Array.from({ length: 64 }, () => Int32Array.of(user));
  const params = { maxNewTokens: 8, temperature: 1, stopTokens: [assistant] };
  const samples = await own.sample(openings, params, pt.sampleKeys(64, seed, 'ask'));
  const proper = samples.filter(({ tokens, finishReason }) => {
    const said = Array.from(tokens.subarray(0, -1), (id) => words.decode(Int32Array.of(id)).trim());
    return (
      finishReason === 'stop' &&
      said.every((word) => topicNames.has(word)) &&
      new Set(said).size === said.length
    );
  });
  return proper.length / samples.length;
}

// %%
/** One student, with the mask or without it. */
const maskTrial = (from: number, completionOnlyLoss: boolean) =>
  withStudent(from, async (own) => {
    await learn(own, written('train', 32, from).map(rowOf), { completionOnlyLoss, seed: from });
    return {
      'loss of replies': await pt.evaluateLoss(own, testRows),
      'loss of requests': await pt.evaluateLoss(own, requestRows),
      'asks properly': await asksProperly(own),
      reward: await rewardOf(own, 1),
    };
  });

// %%
type Trial = Readonly<Record<string, number>>;
type Interval = { readonly value: number; readonly low: number; readonly high: number };

/** Mean and 95 % interval of every number, over the seeds. */
function summarised<T extends Trial>(trials: readonly T[]): Record<keyof T, Interval> {
  const names = Object.keys(trials[0]!) as (keyof T)[];
  const entries = names.map((name) => {
    const { mean, low = mean, high = mean } = pt.overSeeds(trials.map((trial) => trial[name]!));
    return [name, { value: mean, low, high }] as const;
  });
  return Object.fromEntries(entries) as Record<keyof T, Interval>;
}

const interval = ({ value, low, high }: Interval): string =>
  `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
const told = (first: string, name: string, numbers: Readonly<Record<string, Interval>>) => ({
  [first]: name,
  ...Object.fromEntries(Object.entries(numbers).map(([key, number]) => [key, interval(number)])),
});

async function overAllSeeds<T extends Trial>(trial: (from: number) => Promise<T>) {
  const trials: T[] = [];
  for (const from of seeds) trials.push(await trial(from));
  return summarised(trials);
}

// %%
const withMask = await overAllSeeds((from) => maskTrial(from, true));
const withoutMask = await overAllSeeds((from) => maskTrial(from, false));
table([told('trained on', 'replies', withMask), told('trained on', 'requests and replies', withoutMask)], {
  caption: 'On unseen requests, mean and 95 % interval over seeds',
});

// %% [markdown]
// Without the mask the model has become a good *asker*: {{05:mask.asksWithout|percent0}} of what it writes after `<|user|>` are proper requests, against {{05:mask.asksWith|percent0}} with it. On the replies the two do not differ, which our guess did not expect: a held-out loss of {{05:mask.lossWithout|fixed2}} against {{05:mask.lossWith|fixed2}}. These requests are short and soon known, so they take little from the replies.
//
// In a conversation the missing mask is worse than waste. The messages of users, tools and environments stand in the middle of the row. A model trained on them will write them itself: it asks, answers, and makes up what the tool said. You will write that mask in the exercise.
//
// The opposite mistake is silent. If every token is masked the mean is over nothing, and some libraries then report a loss of 0, which looks perfect. Here such a row is refused by its number.

// %%
async function refusal(): Promise<string> {
  const nothing = { tokens: Int32Array.of(3, 8, 4, 9, 1), mask: new Uint8Array(5) };
  return withStudent(1, (own) => learn(own, [nothing], { maxSteps: 1 })).then(
    () => 'nobody said anything',
    (error: Error) => error.message,
  );
}
const message = await refusal();
check('a row without a token to learn is refused', message.includes('no trainable token'), message);
if (!fast)
  check(
    'without the mask it learns to ask',
    withoutMask['asks properly'].value > withMask['asks properly'].value + 0.3,
  );

// %% [markdown]
// ## When to stop
//
// The base saw each example once. Examples are dear, though, and it is tempting to go over them again and again. Here two students take the same number of steps, with three seeds each: one on 59 examples, one on 1,888.
//
// **Predict, then run:** the training loss of the one with few examples will be the lower. And its loss on replies it has not seen?

// %%
const everySteps = 12;
type Stretch = {
  readonly x: number;
  readonly training: number;
  readonly heldOut: number;
  readonly reward: number;
};

// %%
/** What a student on `each` examples a request comes to, every few steps. */
const stretches = (from: number, each: number): Promise<Stretch[]> =>
  withStudent(from, async (own) => {
    const config = {
      learningRate: 1e-2,
      lrSchedulerType: 'constant',
      maxSteps: fast ? 32 : 240,
      seed: from,
    } as const;
    const points: Stretch[] = [];
    let losses: number[] = [];
    for await (const { step, metrics } of pt.sft({
      engine: own,
      rows: written('train', each, from).map(rowOf),
      config,
    })) {
      losses.push(metrics['loss']!);
      if (step % everySteps !== 0) continue;
      const heldOut = await pt.evaluateLoss(own, testRows);
      points.push({ x: step, training: pt.mean(losses), heldOut, reward: await rewardOf(own, 1) });
      losses = [];
    }
    return points;
  });

// %%
async function runsOn(each: number): Promise<Stretch[][]> {
  const runs: Stretch[][] = [];
  for (const from of seeds) runs.push(await stretches(from, each));
  return runs;
}
const runs = { few: await runsOn(1), many: await runsOn(32) };

/** Mean and range over the seeds, point by point. */
function band(all: readonly Stretch[][], pick: (point: Stretch) => number): Point[] {
  return all[0]!.map(({ x }, i) => {
    const values = all.map((run) => pick(run[i]!));
    return { x, y: pt.mean(values), low: Math.min(...values), high: Math.max(...values) };
  });
}

// %%
show({
  type: 'lines',
  title: 'Few examples again and again, or many',
  description:
    'With 59 examples the training loss goes to nothing while the held-out loss turns at once and climbs; with 1,888 both fall together.',
  xLabel: 'step',
  yLabel: 'loss, nats per token',
  width: 620,
  series: [
    { name: '59, training', points: band(runs.few, ({ training }) => training) },
    { name: '59, held out', points: band(runs.few, ({ heldOut }) => heldOut) },
    { name: '1,888, training', points: band(runs.many, ({ training }) => training) },
    { name: '1,888, held out', points: band(runs.many, ({ heldOut }) => heldOut) },
  ],
});

// %%
show({
  type: 'lines',
  title: 'What their replies are worth meanwhile',
  description:
    'The reward of both students rises nearly all the time; that of the student with few examples does not fall while its held-out loss climbs.',
  xLabel: 'step',
  yLabel: 'reward of samples, unseen requests',
  width: 620,
  series: [
    { name: '59', points: band(runs.few, ({ reward }) => reward) },
    { name: '1,888', points: band(runs.many, ({ reward }) => reward) },
  ],
});

// %%
const best = (run: readonly Stretch[]): Stretch => run.reduce((a, b) => (b.heldOut < a.heldOut ? b : a));
const stopping = (all: readonly Stretch[][]) =>
  summarised(
    all.map((run) => ({
      'best step': best(run).x,
      'loss there': best(run).heldOut,
      'loss at the end': run.at(-1)!.heldOut,
      'reward there': best(run).reward,
      'reward at the end': run.at(-1)!.reward,
    })),
  );
const stops = { few: stopping(runs.few), many: stopping(runs.many) };
table([told('examples', '59', stops.few), told('examples', '1,888', stops.many)], {
  caption: 'Where the held-out loss is least, and what came after',
});
const overfits = stops.few['loss at the end'].value - stops.few['loss there'].value;
if (!fast)
  check('the held-out loss of few examples turns', overfits > 0.3, `it climbs by ${overfits.toFixed(2)}`);

// %% [markdown]
// That is **over-fitting**, the first figure: with 59 examples the student knows them by heart, and is sure of things it cannot know. With 1,888 nothing of the kind happens.
//
// Should one stop where the held-out loss turns? Look at the second figure first. With 59 examples the loss is least after {{05:stop.few.step|integer}} steps, and there the replies earn {{05:stop.few.rewardThere|fixed2}}. At the end the loss has climbed by {{05:stop.few.climb|short}} nats, and they earn {{05:stop.few.rewardAtEnd|fixed2}}. The loss asks whether *this* writer's words are said, and a student that bets everything on a few words pays dearly for each bet that fails. The reward asks whether what is said is any good. The makers of InstructGPT saw the same: the validation loss over-fitted after one epoch, and people liked the model of later epochs better.
//
// So let the held-out loss warn you, and stop by what you want: a score on held-out tasks. More examples beat more passes by the loss, and are no worse by the reward ({{05:stop.many.rewardAtEnd|interval}} at the end, against {{05:stop.few.rewardAtEnd|interval}}). And mind that a student that is sure of everything has no variety left, which is what reinforcement learning will choose from.
//
// ## What is copied
//
// SFT makes the examples likely. All of them, whatever they are worth. We let three kinds of writers teach, and compare what they earn with what their students earn:
//
// - **people**: the writers of this world, brief and a little careless;
// - **careless**: half of their replies answer some other request;
// - **best of 4**: people wrote four replies, and the best was kept.
//
// The fourth student learns from people, then goes on with eighty steps of reinforcement learning (the next notebook explains them).

// %%
const careless: Writer = (task, random) =>
  pt.writeReply(random.uniform() < 0.5 ? random.pick(pt.preferenceTasks('train')) : task, random);
const bestOfFour: Writer = (task, random) => {
  const drafts = Array.from({ length: 4 }, () => pt.writeReply(task, random));
  const worth = (text: string): number => pt.goldReward(task.topics, text).reward;
  return drafts.reduce((a, b) => (worth(b) > worth(a) ? b : a));
};

/** Eighty steps of GRPO on the reward itself. */
async function reinforce(own: pt.Engine, from: number): Promise<void> {
  const length = { maxSteps: fast ? 4 : 80, maxCompletionLength: 16 };
  const config = { ...pt.grpoPresets.drGrpo, ...length, learningRate: 3e-3, seed: from, maxClippedRatio: 1 };
  const world = { tokenizer: words, env: preference, tasks: pt.preferenceTasks('train') };
  for await (const step of pt.grpo({ engine: own, ...world, config })) void step;
}

const cloneTrial = (from: number, write: Writer, then?: typeof reinforce) =>
  withStudent(from, async (own) => {
    const lessons = written('train', 32, from, write);
    await learn(own, lessons.map(rowOf), { seed: from });
    await then?.(own, from);
    const teacher = pt.mean(lessons.map(({ task, text }) => pt.goldReward(task.topics, text).reward));
    return { teacher, student: await rewardOf(own, 1), greedy: await rewardOf(own, 0) };
  });

// %%
const clones = {
  people: await overAllSeeds((from) => cloneTrial(from, pt.writeReply)),
  careless: await overAllSeeds((from) => cloneTrial(from, careless)),
  'best of 4': await overAllSeeds((from) => cloneTrial(from, bestOfFour)),
  'people, then RL': await overAllSeeds((from) => cloneTrial(from, pt.writeReply, reinforce)),
};
const dotsOf = (name: string, { teacher, student, greedy }: (typeof clones)['people']) => [
  { name: `${name}: examples`, ...teacher },
  { name: `${name}: student`, ...student },
  { name: `${name}: student, greedy`, ...greedy },
];
show({
  type: 'dots',
  title: 'What the examples earn, and what their students earn',
  description:
    'Better examples make a better student, and no student earns more than its examples, sampled or greedy; the one that went on with reinforcement learning does.',
  xLabel: 'mean reward, 95 % interval over seeds',
  width: 620,
  dots: Object.entries(clones).flatMap(([name, numbers]) => dotsOf(name, numbers)),
});

// %%
const [people, half, filtered, reinforced] = Object.values(clones) as [Cloned, Cloned, Cloned, Cloned];
type Cloned = (typeof clones)['people'];
if (!fast) {
  check(
    'no student who copies earns what its examples do',
    [people, half, filtered].every(({ teacher, student }) => student.value < teacher.value),
  );
  check('careless teachers have careless students', half.student.value < people.student.value - 0.1);
  check('better examples make a better student', filtered.student.value > people.student.value + 0.1);
  check('greedily the careless student earns more', half.greedy.value > half.student.value);
  check(
    'reinforcement learning goes past the examples',
    reinforced.student.value > people.teacher.value + 0.1,
  );
}

// %% [markdown]
// The better the teachers, the better the students; and no student earns more than its teachers. It is {{05:clone.people.student|fixed2}} from people who earn {{05:clone.people.teacher|fixed2}}, {{05:clone.careless.student|fixed2}} from careless ones who earn {{05:clone.careless.teacher|fixed2}}. SFT has no opinion. It copies what it is shown, mistakes included.
//
// Two ways out of that need no new algorithm. *Take the likeliest reply*: what careless writers get wrong they get wrong in many ways, and what they get right in few, so the likeliest reply is better than a usual one ({{05:clone.careless.greedy|interval}} against {{05:clone.careless.student|interval}}). *Choose better examples*: the best of four are worth {{05:clone.best.teacher|fixed2}}, and their student {{05:clone.best.student|fixed2}}.
//
// The third way is to learn from the reward itself. The last student had the same people for teachers, and earns {{05:clone.rl.student|fixed2}}: more than the examples it saw were worth on average, because nothing holds it to them.
//
// **When is SFT enough, then?** When you can get examples that are as good as you need, and what you will meet is like what they show. When greedy answers succeed: you are done. When they do not, and sampled ones sometimes do, the model knows more than it shows, and reinforcement learning can bring it out. When neither does, no reward will tell it how; it needs examples first. And when more examples of the same kind no longer help, the trouble is not their number but the aim: to sound like them.
//
// ## A word about LoRA
//
// All of the above changed every weight. For large models that is dear: each weight needs a gradient and two running means of the optimizer beside it. The weights of a model stand in tables of numbers, matrices. **LoRA** freezes a matrix $W$ and learns a small correction next to it, the product $BA$ of two thin matrices; their *rank* $r$ is how thin. How small is that?

// %%
const targetModules = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];
const allParameters = pt.parameterCount(model.config);
const adapterParameters = (r: number): number =>
  [...pt.adapterShapes(model.config, { r, loraAlpha: 2 * r, targetModules }).values()].reduce(
    (sum, [rows, columns]) => sum + rows * columns,
    0,
  );
table([
  { what: 'the whole model', parameters: allParameters.toLocaleString('en'), share: percent(1) },
  ...[1, 4, 16].map((r) => ({
    what: `LoRA on all its matrices, rank ${r}`,
    parameters: adapterParameters(r).toLocaleString('en'),
    share: percent(adapterParameters(r) / allParameters),
  })),
]);

// %% [markdown]
// A model this small has little to save: rank 16 is {{05:lora.rank16|integer}} numbers beside {{05:lora.all|integer}}. In a model of billions the same rank is below one in a hundred. `addAdapter(model, { r: 16, seed: 1 })` makes the student; every trainer of the library takes it. `npm run experiment -- lora` measures what rank costs.
//
// ## Exercise: the mask of a conversation
//
// A conversation has more than one reply. Its row holds the request, a reply, what the environment said, the next reply, and so on. You get its pieces in order. Write the mask, and the mean loss over it: 0 where nothing counts at all.
//
// The cases compare with what the library keeps when it samples conversations itself (its *rollout*), and put NaN where nothing counts: there the log-probability was never computed. Zero times NaN is NaN, so a mask that multiplies will not do.

// %%
interface Piece {
  readonly from: 'user' | 'environment' | 'assistant';
  readonly tokens: Int32Array;
}

/** A world of two turns: the first reply is answered with another topic, the second one ends it. */
const chat: pt.Environment<pt.PreferenceTask> = {
  name: 'chat',
  start: (task) => {
    const go = { reward: 0, episodeDone: false, nextObservation: 'weather', metrics: {} };
    const end = { ...go, episodeDone: true, nextObservation: null, stopReason: 'completed' } as const;
    let replies = 0;
    return { initialObservation: () => pt.requestOf(task), step: () => ((replies += 1) === 1 ? go : end) };
  },
};

// %%
/** Conversations as the library keeps them, and the same cut into pieces. */
async function conversations() {
  return withStudent(seed, async (own) => {
    await learn(own, peopleRows, { maxSteps: 24 });
    const tasks = pt.preferenceTasks('test').slice(0, 3);
    const settings = { tokenizer: words, numGenerations: 1, seed, step: 0, maxCompletionLength: 16 };
    const groups = await pt.rollout({ engine: own, env: chat, tasks, ...settings });
    return groups.map(({ episodes }) => episodes[0]!.trajectories[0]!);
  });
}

function piecesOf({ tokens, turns }: pt.Trajectory): Piece[] {
  const edges = [0, ...turns.flatMap(({ start, end }) => [start, end])];
  return edges.slice(0, -1).map((start, n) => ({
    from: n === 0 ? 'user' : n % 2 === 1 ? 'assistant' : 'environment',
    tokens: tokens.slice(start, edges[n + 1]),
  }));
}

// %%
type MaskOf = (pieces: readonly Piece[]) => Uint8Array;
type LossOf = (logprobs: Float32Array, mask: Uint8Array) => number;

/** Compares with the library, on three conversations. */
async function examineMask(maskOf: MaskOf, lossOf: LossOf): Promise<void> {
  const [one, two, three] = await conversations();
  const known = ({ logprobs, actionMask }: pt.Trajectory): number =>
    -logprobs.reduce((sum, logprob) => sum + logprob, 0) / actionMask.reduce((sum, on) => sum + on, 0);
  const agrees = (loss: number, trajectory: pt.Trajectory) => Math.abs(loss - known(trajectory)) < 1e-4;
  for (const trajectory of [one!, two!]) {
    const mask = maskOf(piecesOf(trajectory));
    check('the mask is that of the rollout', String(mask) === String(trajectory.actionMask), String(mask));
    const loss = lossOf(trajectory.logprobs, mask);
    check('the loss is the mean over it', agrees(loss, trajectory), loss.toFixed(3));
  }
  const holes = three!.logprobs.map((logprob, t) => (three!.actionMask[t] === 1 ? logprob : NaN));
  const loss = lossOf(holes, three!.actionMask);
  check('NaN where nothing counts changes nothing', agrees(loss, three!), String(loss));
  const nothing = lossOf(Float32Array.of(NaN, NaN), new Uint8Array(2));
  check('the loss of nothing is 0', nothing === 0, String(nothing));
}

// %% tags=["exercise"]
/** 1 for every token that the model itself wrote: `[T]`, T the tokens of all pieces together. */
function conversationMask(pieces: readonly Piece[]): Uint8Array {
  const masks = pieces.map(({ tokens }) => new Uint8Array(tokens.length));
  // TODO: which pieces are the model's own?
  return Uint8Array.from(masks.flatMap((mask) => [...mask]));
}

/** The mean of −logprob over the tokens whose mask is 1; 0 when there is none. */
function maskedLoss(logprobs: Float32Array, mask: Uint8Array): number {
  // TODO: logprobs may be NaN where the mask is 0
  return -logprobs.reduce((sum, logprob, t) => sum + logprob * mask[t]!, 0) / mask.length;
}

await exercise({
  id: 'conversation-mask',
  hint: 'Who wrote each piece? In the loss, leave out what does not count before you add up, and look at what you divide by.',
  cases: () => examineMask(conversationMask, maskedLoss),
});

// %%
const stop = {
  few: {
    step: stops.few['best step'].value,
    climb: overfits,
    rewardThere: stops.few['reward there'],
    rewardAtEnd: stops.few['reward at the end'],
  },
  many: { rewardAtEnd: stops.many['reward at the end'] },
};

// %%
const earned = ({ teacher, student }: Cloned) => ({ teacher, student });

// %%
await saveResults('05', {
  nano: {
    steps,
    batch: batchSize,
    heldOutLoss,
    readable: after.sampled.parsed!.value,
    sampled: after.sampled.success.value,
    oneOfFour: after.sampled.passAt['4']!,
    greedy: after.greedy.success.value,
  },
  mask: {
    lossWith: withMask['loss of replies'],
    lossWithout: withoutMask['loss of replies'],
    asksWith: withMask['asks properly'].value,
    asksWithout: withoutMask['asks properly'],
  },
  stop,
  clone: {
    people: earned(people),
    careless: { ...earned(half), greedy: half.greedy },
    best: earned(filtered),
    rl: earned(reinforced),
  },
  lora: { all: allParameters, rank16: adapterParameters(16) },
});
engine.dispose();

// %% [markdown]
// ## What to take away
//
// - SFT is next-token prediction on chosen texts, with a loss that counts the reply alone. The mask is a list of zeros and ones, and forgetting it trains the model to speak for others.
// - The loss is the mean surprise per counted token; it can be done by hand, and one step is ten lines.
// - A held-out loss that turns is a warning. Where to stop is said by a score on held-out tasks.
// - A student copies its teachers, mistakes included. Better examples make better students.
// - SFT buys a language in which to act. What the model can do and does not prefer to do is left for reinforcement learning.
//
// **Next:** [06 · From REINFORCE to GRPO](06-reinforce-to-grpo.ipynb), which learns from a number for each reply.
