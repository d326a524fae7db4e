// %% [markdown]
// # 4 · A teacher: answers to learn from
//
// Before a model can be paid for good answers it has to give answers at all. A **teacher** shows how: each of its answers is a **demonstration**, and demonstrations
// are the data of **supervised fine-tuning** (SFT, notebook 5), which makes a model's answers like those in its data.
//
// **Question.** Where do demonstrations come from, which of them should be learned from, and how much does it matter?
//
// **You need** from [notebook 3](03-rewards.ipynb) what a reward and the verifier are. No machine learning; the small model at the end is a black box here.
// It belongs to [chapter 4 of the book](../chapters/04-teachers-and-data.md).
//
// **Time.** About a minute on two cores.
//
// **Afterwards** you can write a teacher, collect and keep what survives, say why the rest was thrown away, and measure what dirty data costs.

// %%
import { createLocalEngine } from 'posttrain/engine';
import {
  applyActions,
  diagramEnvironment,
  emptyCanvas,
  lint,
  parseActions,
  serializeActions,
} from 'posttrain/envs';
import {
  courtesies,
  goldReward,
  preferenceEnvironment,
  preferenceTasks,
  preferenceWords,
} from 'posttrain/envs';
import { REASON, requestOf, topicWords } from 'posttrain/envs';
import type { Canvas, DiagramTask, PreferenceTask, Scorer } from 'posttrain/envs';
import { evaluate, overSeeds } from 'posttrain/eval';
import { createModel, disposeModel, parameterCount } from 'posttrain/model';
import type { ModelConfig } from 'posttrain/model';
import { createBudget } from 'posttrain/remote';
import { drawAttacks, formatAttacks, nearMisses, play, scoreDiagram, verifyDiagram } from 'posttrain/rewards';
import { generateTask, realTasks } from 'posttrain/tasks';
import { collect, diagramTeacher, noisyTeacher, scriptedActions, scriptedTeacher } from 'posttrain/teachers';
import type { CollectOptions, Teacher, TeacherShare, TrajectoryRecord } from 'posttrain/teachers';
import { randomStream } from 'posttrain/tensor';
import type { RandomStream } from 'posttrain/tensor';
import { renderCompletion, renderPrompt, wordTokenizer } from 'posttrain/text';
import { sft } from 'posttrain/trainers';
import { geminiModel } from 'posttrain/node';
import { check, diagram, exercise, progress, saveResults, setup, show, table } from 'posttrain/notebook';

// %%
const { fast, seed } = await setup({ seed: 7 });
const size = fast
  ? { tasks: 12, samples: 2, seeds: [1], steps: 40 }
  : { tasks: 60, samples: 3, seeds: [1, 2, 3], steps: 120 };
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

// %% [markdown]
// ## A teacher that needs no model
//
// A teacher is anything that answers a request better than the student. Ours is a script with one unfair advantage: it is told the graph that is
// wanted, which the student must work out from the words. It draws in three steps.
//
// 1. **Layout**: sort the boxes into layers along the arrows, order each layer so that few arrows cross, give every box the size of its label.
// 2. **Search**: do that in one style after another (direction, spacing, box sizes), and let the reward of notebook 03 judge each drawing, until one
//    is right and scores 0.96.
// 3. **Climb**: if no style passes, move single boxes at random, and keep what the reward does not punish.
//
// The reward is handed in as an option, so we can listen to what is judged. Here is a request for which one drawing was not enough:

// %%
interface Tried {
  readonly canvas: Canvas;
  readonly reward: number;
}
/** Every drawing that the scripted teacher had judged on its way to an answer. */
function triedFor(task: DiagramTask): Tried[] {
  const tried: Tried[] = [];
  const scorer: Scorer = (judgedTask, canvas, log) => {
    const score = scoreDiagram(judgedTask, canvas, log);
    tried.push({ canvas, reward: score.reward });
    return score;
  };
  scriptedActions(task, [], 0, { scorer });
  return tried;
}

// %%
/** Requests that people wrote, as far as they begin with an empty canvas. */
const written = realTasks().filter(({ kind }) => kind === 'draw');
const searches = written.map(triedFor);
const searched = searches.findIndex(({ length }) => length > 1);
const wanted = written[searched]!;
console.log(wanted.requests.join('\n'));
for (const { canvas, reward } of searches[searched]!) {
  const { faults } = verifyDiagram(wanted, canvas, { parsed: true, actions: 1, valid: 1, errors: [] });
  const caption = `reward ${reward.toFixed(3)}, ${faults[0] ?? 'right'}`;
  diagram([{ canvas, caption }], { description: `A drawing that the teacher considered: ${caption}.` });
}

// %% [markdown]
// The first drawing scores enough, but the verifier finds a label covered, so it is no success; the second is both. How often is a second one needed?

// %%
const tasks = Array.from({ length: size.tasks }, (_, index) =>
  generateTask({ seed, split: 'train', index, profile: 'curriculum' }),
);
/** Whether the scripted teacher's answer is right, by the verifier that shares no code with the reward. */
function isRight(task: DiagramTask): boolean {
  const { canvas, log } = play(task, serializeActions(scriptedActions(task, [], 0)));
  return verifyDiagram(task, canvas, log).success;
}
const needed = searches.map(({ length }) => length);
console.log(`drawings judged for each of ${written.length} requests: ${needed.join(', ')}`);
check(
  'it draws every request right, those that people wrote and those that are generated',
  [...written, ...tasks].every(isRight),
);

// %% [markdown]
// The first layout nearly always passes. Search and climb are there for the rest: for crowded graphs, and for canvases that are given and must be mended.
//
// The same teacher can answer one request in different ways (`numLayouts`), so that a student does not learn one picture by heart. And it can be
// *mediocre* on purpose: the right graph, badly placed, as people draw. In the data of `npm start` a third of the drawings are of this kind, so that
// reinforcement learning has something left to improve.

// %%
const branching = tasks.find(({ family }) => family === 'tree')!;
const variety = [0, 1, 2].map((sample) => scriptedActions(branching, [], sample, { numLayouts: 3 }));
const careless = scriptedActions(branching, [], 0, { quality: 'mediocre' });
console.log(branching.requests.join('\n'));
diagram(
  [...variety, careless].map((actions, i) => {
    const { canvas, log } = play(branching, serializeActions(actions));
    const { reward } = scoreDiagram(branching, canvas, log);
    return { canvas, caption: `${i < 3 ? `layout ${i}` : 'mediocre'}: reward ${reward.toFixed(2)}` };
  }),
  { description: 'Three good drawings of one request, and a mediocre one with the same boxes and arrows.' },
);

// %% [markdown]
// ## A teacher that may be wrong
//
// Usually nobody can write such a script. Then the teacher is a larger model. It sees the request only, and some of its answers are wrong. Gemini, say,
// can be held to the JSON of our actions by a schema, but not to the right graph.
//
// In this notebook a **scripted stand-in** plays that part, so that it runs without a key and gives the same answers everywhere: our script, with a
// mistake in three answers of ten. The mistakes are of kinds that models make, but no model made them, and their rate is our choice: it says nothing
// about any real model. That we know it is useful: we can see what a filter misses.

// %%
const { fence, prose } = formatAttacks;
const { drop_last_edge } = nearMisses;
const { drop_last_node, reversed_edges, shuffled_labels, decoys, dangling, stacked, tiny_boxes } =
  drawAttacks;
const mistakes = {
  ...{ fence, prose, drop_last_edge, drop_last_node, reversed_edges },
  ...{ shuffled_labels, decoys, dangling, stacked, tiny_boxes },
} as Readonly<Record<string, (typeof drawAttacks)[string]>>;

const fallible: Teacher<DiagramTask> = noisyTeacher(scriptedTeacher({ numLayouts: 3 }), {
  rate: 0.3,
  mistakes,
  seed,
});
console.log(fallible.name, '\n', fallible.version);

// %% [markdown]
// With `GEMINI_API_KEY` and `GEMINI_MODEL` (a model id) in the environment, and `@google/genai` installed, the next cell asks Gemini for three drawings, within a budget of
// 50,000 tokens. Without them it shows what the stand-in answers. Everything after it uses the stand-in in either case.

// %%
const env = diagramEnvironment({ scorer: scoreDiagram });
const { GEMINI_API_KEY: apiKey, GEMINI_MODEL: model } = process.env;
const gemini =
  apiKey && model
    ? diagramTeacher({ model: geminiModel({ model, apiKey, budget: createBudget({ tokens: 50_000 }) }) })
    : undefined;
console.log(
  gemini ? `${model} answers:` : 'No key: these are answers of the scripted stand-in. No model was asked.',
);

async function threeAnswers(teacher: Teacher<DiagramTask>): Promise<TrajectoryRecord[]> {
  const found: TrajectoryRecord[] = [];
  for await (const record of collect({ env, tasks: tasks.slice(0, 3), teachers: [{ teacher }] }))
    found.push(record);
  return found;
}
const three = await threeAnswers(gemini ?? fallible);
diagram(
  three.map(({ turns: [turn], reward, rejection }, i) => ({
    canvas: play(tasks[i]!, turn!.completion).canvas,
    caption: `reward ${reward.toFixed(2)}, ${rejection ?? 'kept'}`,
  })),
  { description: 'Three requests as the fallible teacher draws them.' },
);

// %% [markdown]
// ## Collect: sample, run, keep what survives
//
// Teacher generation is no magic. For every request: ask for $n$ answers, run each in the environment, write down what happened, and mark what is
// not good enough as rejected. `collect` does this for any environment and any mixture of teachers. Here 70 % of the answers come from the fallible teacher, the
// rest from the mediocre one, and `keep: 'success'` wants drawings that are right.

// %%
const teachers: readonly TeacherShare<DiagramTask>[] = [
  { teacher: fallible, share: 0.7, keep: 'success' },
  { teacher: scriptedTeacher({ quality: 'mediocre' }), share: 0.3, keep: 'success' },
];

type Options = Partial<CollectOptions<DiagramTask>>;
/** All answers that a collection gives. */
async function collected(options: Options = {}): Promise<TrajectoryRecord[]> {
  const given = { env, teachers, tasks, numGenerations: size.samples, seed, ...options };
  const found: TrajectoryRecord[] = [];
  for await (const record of collect(given)) found.push(record);
  return found;
}

const records = await collected();
const kept = records.filter(({ rejection }) => rejection === null);
console.log(`${records.length} answers, ${kept.length} kept`);

// %% [markdown]
// **Predict, then look.** Which fault is the most frequent? A record says "not a success"; its metrics, all terms of the reward, say why. We count the first
// fault of each answer, in the order of the list.

// %%
type Metrics = TrajectoryRecord['metrics'];
const lacks =
  (term: string) =>
  (metrics: Metrics): boolean =>
    metrics[`terms/${term}`]! < 1 - 1e-9;
const reasons: readonly (readonly [reason: string, holds: (metrics: Metrics) => boolean])[] = [
  ['is not one JSON object', ({ parsed }) => parsed === 0],
  ['has actions that cannot run', ({ errors }) => errors! > 0],
  ['has boxes missing, too many or misnamed', lacks('nodes')],
  ['has arrows missing, too many or wrong', lacks('edges')],
  ['has shapes that overlap', lacks('overlap')],
  ['has a label that does not fit', lacks('fit')],
  ['has an arrow through a box', lacks('through')],
  ['is laid out badly otherwise', () => true],
];

// %%
/** The first thing that is wrong with a rejected answer. */
const reasonOf = ({ metrics }: TrajectoryRecord): string => reasons.find(([, holds]) => holds(metrics))![0];

const rejected = records.filter(({ rejection }) => rejection !== null);
const byReason = reasons
  .map(([reason]) => ({ reason, answers: rejected.filter((record) => reasonOf(record) === reason) }))
  .filter(({ answers: found }) => found.length > 0)
  .sort((a, b) => b.answers.length - a.answers.length);
table(
  byReason.map(({ reason, answers: found }) => ({
    'the answer …': reason,
    rejected: found.length,
    'mean reward': mean(found.map(({ reward }) => reward)),
  })),
  { caption: `Why ${rejected.length} of ${records.length} answers were thrown away` },
);

// %% [markdown]
// Most are bad layout: the mediocre teacher spoils it on purpose, and two of the mistakes of the fallible one do so too. For learning the *language* of actions
// there is nothing wrong with most of these.
//
// Numbers tell how many; only a look tells whether the filter is right. One rejected drawing for each reason that leaves something to see:

// %%
const taskOf = ({ taskId }: TrajectoryRecord): DiagramTask => tasks.find(({ id }) => id === taskId)!;
const visible = byReason.filter(({ reason }) => reason !== 'is not one JSON object');
diagram(
  visible.map(({ reason, answers: found }) => {
    const { canvas } = play(taskOf(found[0]!), found[0]!.turns[0]!.completion);
    return { canvas, caption: `${reason}: reward ${found[0]!.reward.toFixed(2)}` };
  }),
  { description: 'One rejected drawing for each reason.' },
);
const unreadable = rejected.find((record) => record.metrics['parsed'] === 0);
if (unreadable) console.log(`not JSON: ${unreadable.turns[0]!.completion.slice(0, 60)} …`);

// %% [markdown]
// An unreadable answer (a fast run may have none) can hold a perfect drawing; what is wrong is a sentence before the JSON, or a Markdown fence around it. Whether to mend such answers or to drop them is a
// decision about data: mend, and the student never sees the mistake; but then do it where the teacher is asked, not in the reward, or the student is paid for it too.

// %%
/** Whether an answer is right, by the verifier. */
function verified(record: TrajectoryRecord): boolean {
  const { canvas, log } = play(taskOf(record), record.turns[0]!.completion);
  return verifyDiagram(taskOf(record), canvas, log).success;
}
check('what was kept is right, says the verifier too', kept.every(verified));
check('and nothing right was thrown away', !rejected.some(verified));

// %% [markdown]
// ## Where it came from
//
// Data outlives the script that made it. A record therefore carries its **provenance**: who answered, in which version and with which settings, which task and sample, the seed
// that chose the teacher, a hash of the prompt. Rejected answers are kept as well: they are what a better filter is tested on.

// %%
const { turns, metrics, ...origin } = records[0]!;
table(
  Object.entries({ ...origin, teacher: `${origin.teacher.name}, ${origin.teacher.version}` }).map(
    ([field, value]) => ({
      field,
      value: String(value),
    }),
  ),
  { caption: `A record, without its ${turns.length} turn and its ${Object.keys(metrics).length} metrics` },
);

/** What `collect` says when it is asked to go on with a collection that was made otherwise. */
async function refusal(): Promise<string> {
  try {
    await collected({ done: records, seed: seed + 1 });
    return 'nothing';
  } catch (error) {
    return (error as Error).message;
  }
}
const resumed = await collected({ done: records.slice(0, 10) });
const refused = await refusal();
console.log(`resumed after 10 answers: ${resumed.length} more\nwith another seed: ${refused}`);

// %%
check(
  'a collection that was interrupted goes on identically',
  JSON.stringify([...records.slice(0, 10), ...resumed]) === JSON.stringify(records),
);
check('answers of different settings are not mixed silently', refused !== 'nothing');

// %% [markdown]
// ## How strict?
//
// `keep` may also be a least reward. Two numbers describe a filter: **precision**, the share of what it keeps that is right, and **recall**, the share of
// what is right that it keeps. The verifier says what is right; the filter sees the reward only.
//
// **Predict, then run.** How does precision change as the least reward goes up from 0 to 1? And recall?

// %%
interface Judged {
  readonly reward: number;
  readonly right: boolean;
}
const judged = records.map((record): Judged => ({ reward: record.reward, right: verified(record) }));
/** Precision and recall of a filter. */
function quality<T extends { readonly right: boolean }>(
  answered: readonly T[],
  keeps: (answer: T) => boolean,
) {
  const chosen = answered.filter(keeps);
  const hits = chosen.filter(({ right }) => right).length;
  const all = answered.filter(({ right }) => right).length;
  return {
    kept: chosen.length,
    precision: hits / Math.max(1, chosen.length),
    recall: hits / Math.max(1, all),
  };
}

// %%
const thresholds = Array.from({ length: 21 }, (_, i) => i / 20);
const strictness = thresholds.map((least) => ({
  least,
  ...quality(judged, ({ reward }) => reward >= least),
}));
show({
  type: 'lines',
  title: 'A filter by reward',
  description:
    'Precision rises with the least reward, slowly at first, to 1; recall stays at 1 and falls at the end.',
  xLabel: 'least reward',
  yLabel: 'share',
  yRange: [0, 1],
  series: (['precision', 'recall'] as const).map((name) => ({
    name,
    points: strictness.map((each) => ({ x: each.least, y: each[name] })),
  })),
});

// %% [markdown]
// Without a filter {{04:filter.precision.none|percent0}} of the answers are right. Asking for a reward of 0.5 makes that {{04:filter.precision.half|percent0}}, 0.9 makes it {{04:filter.precision.strict|percent0}}, and nothing right is lost on the way. Beyond that, good drawings go
// as well: a reward of exactly 1 is a matter of style. The right graph badly placed earns more than half, so a filter at one half passes it, and it depends
// on the purpose whether it should: to learn the action language from, it is fine.

// %%
const at = (least: number) => quality(judged, ({ reward }) => reward >= least);
check(
  'a stricter filter is more often right',
  at(0).precision < at(0.5).precision && at(0.5).precision < at(0.9).precision,
);
check(
  'and up to 0.9 it loses nothing that is right',
  at(0.9).recall === 1,
  `recall ${at(0.9).recall.toFixed(2)}`,
);

// %% [markdown]
// ## What dirt costs
//
// *Data quality beats algorithms* is easily said. We measure it: the same small model, the same number of training steps, data of different quality. Training on diagrams
// takes minutes a run, so this happens in a smaller world, `preference`: a request names one to three topics, a reply is a few words, and a known **gold
// reward** says what the reply is worth. The teacher names two words on each topic, adds two courtesies and gives a reason.
//
// Two kinds of dirt:
//
// - **mislabelled**: the reply belongs to another request, about other topics. It happens at random, as when rows of a table slip;
// - **habit**: the teacher confuses one topic with another, `music` with `kitchen`, and always in the same way.

// %%
const trainTasks = preferenceTasks('train');
const testTasks = preferenceTasks('test');
type Topics = PreferenceTask['topics'];

/** A good reply about these topics. */
function replyAbout(topics: Topics, random: RandomStream): string {
  const about = topics.flatMap((topic) => random.shuffle(topicWords[topic]).slice(0, 2));
  return [...random.shuffle(courtesies).slice(0, 2), ...random.shuffle(about), REASON].join(' ');
}

/** Which topics a teacher speaks about instead of those asked for. */
type Dirt = (asked: Topics, random: RandomStream) => Topics;
const mislabelled: Dirt = (asked, random) => {
  const others = trainTasks.filter(({ topics }) => topics.every((topic) => !asked.includes(topic)));
  return others.length > 0 ? random.pick(others).topics : asked;
};
const habit: Dirt = (asked) => [...new Set(asked.map((topic) => (topic === 'music' ? 'kitchen' : topic)))];
/** Requests that a kind of dirt can spoil. */
const canSpoil = (dirt: Dirt, { topics }: PreferenceTask): boolean =>
  dirt !== habit || topics.includes('music');
const musical = mean(trainTasks.map((task) => Number(canSpoil(habit, task))));

// %%
interface Demonstration {
  readonly task: PreferenceTask;
  readonly reply: string;
  readonly gold: number;
}
/** `count` demonstrations, of which a share of `rate` is spoilt. */
function demonstrations(count: number, rate: number, dirt: Dirt, dataSeed: number): Demonstration[] {
  return Array.from({ length: count }, (_, index) => {
    const random = randomStream(dataSeed, 'demonstrations', 0, index);
    const task = random.pick(trainTasks);
    const spoilt = random.uniform() < rate / (dirt === habit ? musical : 1) && canSpoil(dirt, task);
    const reply = replyAbout(spoilt ? dirt(task.topics, random) : task.topics, random);
    return { task, reply, gold: goldReward(task.topics, reply).reward };
  });
}

const shown = demonstrations(400, 0.3, mislabelled, seed);
const [cleanest, dirtiest] = [shown.find(({ gold }) => gold > 1.5)!, shown.find(({ gold }) => gold < 0.5)!];
table(
  [cleanest, dirtiest].map(({ task, reply, gold }) => ({
    request: requestOf(task),
    reply,
    'gold reward': gold,
  })),
  { caption: 'A good demonstration, and one whose reply belongs to another request' },
);

// %% [markdown]
// The student is a **transformer**, the kind of network that language models are, and a small one: the cell below counts its **weights**, the numbers that training changes. It
// starts from nothing and learns to continue a request with a reply. (How is the subject of notebook 5.) It is tested on requests that are in no data, in two ways:
// **sampled**, where each word is drawn with the model's probability (a *temperature* of 1), and **greedy**, where it is always the most probable one (0).

// %%
const tokenizer = wordTokenizer(preferenceWords);
const config: ModelConfig = {
  modelType: 'llama',
  vocabSize: tokenizer.vocabSize,
  ...{ hiddenSize: 64, intermediateSize: 160, numHiddenLayers: 2, maxPositionEmbeddings: 32 },
  ...{ numAttentionHeads: 2, numKeyValueHeads: 2, headDim: 32, ropeTheta: 10_000, rmsNormEps: 1e-5 },
  ...{ tieWordEmbeddings: true, padTokenId: 0, eosTokenId: 1 },
};
console.log(`${parameterCount(config)} weights, ${tokenizer.vocabSize} words`);

// %%
/** Gold reward, on new requests, of a student that has learned from this data. */
async function student(data: readonly Demonstration[], studentSeed: number) {
  const model = createModel(config, studentSeed);
  const engine = createLocalEngine(model);
  const rows = data.map(({ task, reply }) => ({
    prompt: renderPrompt(tokenizer, [{ role: 'user', content: requestOf(task) }]),
    completion: renderCompletion(tokenizer, reply),
  }));
  const settings = { maxSteps: size.steps, batchSize: 32, learningRate: 4e-3, seed: studentSeed };
  const training = sft({ engine, rows, config: settings });
  while (!(await training.next()).done) continue;
  const gold = async (temperature: number, numGenerations: number): Promise<number> => {
    const options = {
      engine,
      tokenizer,
      env: preferenceEnvironment(),
      tasks: testTasks,
      maxCompletionLength: 16,
    };
    return (await evaluate({ ...options, temperature, numGenerations, seed: studentSeed }))[0]!.reward;
  };
  const learned = { sampled: await gold(1, 8), greedy: await gold(0, 1) };
  engine.dispose();
  disposeModel(model);
  return { ...learned, data: mean(data.map((each) => each.gold)) };
}

// %% [markdown]
// Seven sets of data. Most have 600 demonstrations; `few` has 60 clean ones, `many` has 3,000 of which 30 % are mislabelled; `filtered` is `mislabelled30` without what earns
// less than 1. Every student takes the same number of steps, three seeds each.
//
// **Predict, then run.** SFT makes the answers in its data likelier, all of them. If that is all it does, a student that samples should be worth what its data is
// worth on average, dirt included. And a greedy one? And would you rather have 60 clean demonstrations or 3,000 dirty ones?

// %%
const arms: Readonly<Record<string, (dataSeed: number) => Demonstration[]>> = {
  clean: (s) => demonstrations(600, 0, mislabelled, s),
  mislabelled10: (s) => demonstrations(600, 0.1, mislabelled, s),
  mislabelled30: (s) => demonstrations(600, 0.3, mislabelled, s),
  habit30: (s) => demonstrations(600, 0.3, habit, s),
  filtered: (s) => demonstrations(600, 0.3, mislabelled, s).filter(({ gold }) => gold >= 1),
  few: (s) => demonstrations(60, 0, mislabelled, s),
  many: (s) => demonstrations(3000, 0.3, mislabelled, s),
};
/** Trains one student for each set of data and seed. */
async function* students() {
  for (const [arm, dataFor] of Object.entries(arms)) {
    for (const armSeed of size.seeds) yield { arm, ...(await student(dataFor(armSeed), armSeed)) };
  }
}
type Outcome = Awaited<ReturnType<typeof student>> & { readonly arm: string };
async function trainAll(): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const total = Object.keys(arms).length * size.seeds.length;
  for await (const outcome of progress(students(), { total, label: 'students' })) outcomes.push(outcome);
  return outcomes;
}
const outcomes = await trainAll();

// %%
/** Mean over seeds, with its 95 % interval. */
function over(arm: string, number: 'data' | 'sampled' | 'greedy') {
  const values = outcomes.filter((outcome) => outcome.arm === arm).map((outcome) => outcome[number]);
  const { mean: value, low = value, high = value } = overSeeds(values);
  return { value, low, high };
}
const numbers = ['data', 'sampled', 'greedy'] as const;
table(
  Object.keys(arms).map((arm) => ({
    'learned from': arm,
    'its data': over(arm, 'data').value,
    sampled: over(arm, 'sampled').value,
    greedy: over(arm, 'greedy').value,
  })),
  { caption: 'Gold reward: of the demonstrations, and of the student on new requests' },
);

// %%
show({
  type: 'lines',
  title: 'A student falls with its data',
  description:
    'Gold reward of data and of the sampling student fall together with the share of mislabelled demonstrations.',
  xLabel: 'mislabelled demonstrations, %',
  yLabel: 'gold reward',
  series: numbers.map((name) => ({
    name: name === 'data' ? 'the data itself' : `student, ${name}`,
    points: [['clean', 0] as const, ['mislabelled10', 10] as const, ['mislabelled30', 30] as const].map(
      ([arm, x]) => {
        const { value: y, low, high } = over(arm, name);
        return { x, y, low, high };
      },
    ),
  })),
});

// %%
show({
  type: 'dots',
  title: 'Seven sets of data, students that sample',
  description: 'Gold reward of sampling students, with 95 % intervals over seeds, for each set of data.',
  xLabel: 'gold reward on new requests',
  dots: Object.keys(arms).map((name) => ({ name, ...over(name, 'sampled') })),
});

// %% [markdown]
// A student that samples is worth less than its data ({{04:data.clean.sampled|fixed2}} where the data is worth {{04:data.clean.data|fixed2}}): it is asked what it has not seen.
// From there, most of the dirt is copied. With 10 % and 30 % of mislabelled replies the data loses {{04:loss.data10|fixed2}} and {{04:loss.data30|fixed2}}, the student that samples {{04:loss.sampled10|fixed2}} and {{04:loss.sampled30|fixed2}}.
//
// In brackets is the 95 % interval over seeds.
//
// - **Filtering pays.** Without its dirt `mislabelled30` is smaller and its student better: {{04:data.filtered.sampled|interval}} instead of {{04:data.mislabelled30.sampled|interval}}, as good as from clean data.
// - **Few clean or many dirty?** Sixty clean demonstrations give {{04:data.few.sampled|interval}}, three thousand dirty ones {{04:data.many.sampled|interval}}, and their seeds differ more. Greedily it is
//   {{04:data.few.greedy|interval}} against {{04:data.many.greedy|interval}}, which three seeds do not tell apart.
// - **Chance is outvoted, a habit is not.** `habit30` and `mislabelled10` spoil their data equally ({{04:data.habit30.data|fixed2}} and {{04:data.mislabelled10.data|fixed2}}), and their students are equal where they sample. The greedy one of
//   `mislabelled10` is as good as from clean data ({{04:data.mislabelled10.greedy|interval}}): at each word the right ones outvote mistakes that are all different. The one of `habit30` keeps its
//   loss ({{04:data.habit30.greedy|interval}}).
// - We had expected that random mistakes are outvoted at 30 %, too. They are not: greedily {{04:data.mislabelled30.greedy|interval}}.
//
// The reward sees both kinds of dirt. That is the case for a filter that checks answers, not their frequency.

// %%
const sampled = (arm: string): number => over(arm, 'sampled').value;
check(
  'more dirt, worse students',
  sampled('clean') > sampled('mislabelled10') && sampled('mislabelled10') > sampled('mislabelled30'),
);
check(
  'filtering by reward gives most of the loss back',
  sampled('filtered') > (sampled('clean') + sampled('mislabelled30')) / 2,
);

// %% [markdown]
// ## Exercise: keep the good ones
//
// In the world outside nobody has the wanted graph. You have the request as text, and the reply. Write `keep`, a filter that sees no more than that. It is tested on new
// answers of the fallible teacher, by a verifier that your filter cannot see: at least 90 % of what you keep must be right, and you must keep at least 90 % of what is right.
//
// The starter keeps what runs without an error and is laid out without a fault. What else can be told without the graph? Whether labels are words of the request; whether
// names of the request were left out (names begin with a capital letter; but some requests end with what must *not* be drawn, as in `No Coverage report`); whether
// boxes are connected, and arrows run rightwards or down.
//
// One mistake stays invisible: `shuffled_labels`, the right words in the wrong boxes. Who wants to see that has to read.

// %%
const exam = Array.from({ length: fast ? 60 : 200 }, (_, index) =>
  generateTask({ seed: seed + 1, split: 'train', index, profile: 'curriculum' }),
);
/** Precision and recall of a filter on answers that it has not seen. */
async function examine(filter: (request: string, reply: string) => boolean) {
  const answered: { request: string; reply: string; right: boolean }[] = [];
  for (const task of exam) {
    const [record] = await collected({ teachers: [{ teacher: fallible }], tasks: [task], numGenerations: 1 });
    const reply = record!.turns[0]!.completion;
    const { canvas, log } = play(task, reply);
    answered.push({
      request: task.requests.join(' '),
      reply,
      right: verifyDiagram(task, canvas, log).success,
    });
  }
  const { precision, recall } = quality(answered, ({ request, reply }) => filter(request, reply));
  check('at least 90 % of what is kept is right', precision >= 0.9, `precision ${precision.toFixed(2)}`);
  check('at least 90 % of what is right is kept', recall >= 0.9, `recall ${recall.toFixed(2)}`);
}

// %% tags=["exercise"]
/** Whether to learn from this reply, judging by the request alone. */
function keep(request: string, reply: string): boolean {
  const parsed = parseActions(reply);
  if (!parsed.ok) return false;
  const { canvas, log } = applyActions(emptyCanvas(), parsed.actions);
  if (log.errors.length > 0 || lint(canvas).length > 0) return false;
  // TODO: compare boxes and arrows with the request
  return request.length > 0 && canvas.shapes.length > 0;
}

await exercise({
  id: 'keep-the-good-ones',
  hint: 'One rule for each kind of mistake that the fallible teacher makes. Begin with: is every label a piece of the request, letter for letter? Then take all labels out of the request and look at what is left; the arrows come last.',
  cases: () => examine(keep),
});

// %% [markdown]
// ## Results

// %%
const learned = (arm: string) => ({
  data: over(arm, 'data'),
  sampled: over(arm, 'sampled'),
  greedy: over(arm, 'greedy'),
});
const lost = (arm: string, number: 'data' | 'sampled'): number =>
  over('clean', number).value - over(arm, number).value;
await saveResults('04', {
  collected: { answers: records.length, kept: kept.length },
  filter: {
    precision: { none: at(0).precision, half: at(0.5).precision, strict: at(0.9).precision },
    recall: { strict: at(0.9).recall },
  },
  data: Object.fromEntries(Object.keys(arms).map((arm) => [arm, learned(arm)])),
  loss: {
    data10: lost('mislabelled10', 'data'),
    data30: lost('mislabelled30', 'data'),
    sampled10: lost('mislabelled10', 'sampled'),
    sampled30: lost('mislabelled30', 'sampled'),
  },
});

// %% [markdown]
// ## Summary
//
// - A teacher is whoever answers better than the student: a script that knows more, or a larger model.
// - Sample, run in the environment, keep what survives. Look at what does not, as numbers and as pictures.
// - A record says where it came from; data without provenance cannot be mended.
// - SFT copies its data, mistakes included: dirt costs a student that samples most of what it costs the data. Greedy decoding forgives a few random ones, and no habit.
// - A filter that checks answers is worth more than more answers.
//
// **Next:** [5 · Supervised fine-tuning](05-sft.ipynb), how SFT makes these answers likelier. On your own: let the fallible teacher err in six answers of ten, and see at which rate filtering is no longer
// enough.
