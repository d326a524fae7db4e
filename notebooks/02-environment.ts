// %% [markdown]
// # 2 · An environment: a world that text can change
//
// **Question.** What has to exist before a language model can be trained to *do* something?
//
// **You need** TypeScript, and from [notebook 1](01-q-learning.ipynb) the words state, action, reward, episode and policy.
// It belongs to [chapter 2 of the book](../chapters/02-the-diagram-world.md), which says why each rule is as it is.
//
// **Time.** A quarter of a minute on two cores.
//
// **Afterwards** you can act in the diagram environment by hand, say why a reply was refused, read what the reward sees, and explain why
// training keeps tokens and never text.
//
// Frameworks for training agents batch, distribute, clip and log. Inside is always the same loop, and you know it from the treasure hunt:
//
// > request → action → environment → reward → change the policy → again
//
// What differs from agent to agent is the environment. So it comes first.
//
// | agent | what it is shown | what it can do | when is it good? |
// | --- | --- | --- | --- |
// | player of the treasure hunt | room, floor, bag | one of some ten commands | the treasure is in the bag |
// | coding agent | a repository, test output | edits, commands | the tests pass |
// | browser agent | the page | click, type, scroll | the form was sent |
// | **ours** | a request, the canvas | JSON that creates, connects, moves shapes | the drawing shows what was asked for |
//
// In the first row one can list the actions. In the others they are text, and nobody can: that is where tables end and language models begin.

// %%
import { applyActions, describeProblem, emptyCanvas, lint, observe, parseActions } from 'posttrain/envs';
import { diagramEnvironment, readCanvas, serializeActions, stepLimit } from 'posttrain/envs';
import type { Action, Applied, Canvas, DiagramTask } from 'posttrain/envs';
import { fullSplits, generateTask, realTasks, type Split } from 'posttrain/tasks';
import { scoreDiagram, verifyDiagram } from 'posttrain/rewards';
import { scriptedActions } from 'posttrain/teachers';
import { rollout, Transcript, type EpisodeRecord, type Trajectory } from 'posttrain/rollout';
import { chatTokenId, renderCompletion, renderPrompt } from 'posttrain/text';
import { createLocalEngine } from 'posttrain/engine';
import { overSeeds } from 'posttrain/eval';
import { loadPolicy } from 'posttrain/node';
import { fitToWidth, percent, type CompletionRow } from 'posttrain/display';
import { check, completions, diagram, exercise, progress } from 'posttrain/notebook';
import { saveResults, setup, table } from 'posttrain/notebook';

// %%
const { fast, seed } = await setup({ seed: 7 });

// %% [markdown]
// ## A drawing in three actions
//
// Here an **agent** is a language model in a world. It writes text; the world takes the text for an **action** and changes. Ours is a canvas
// of 1600 × 1200 pixels. A reply is one JSON object with a list of actions, and nothing before or after it:

// %%
const box = (id: string, x: number, y: number, text: string, width = 160): Action => ({
  type: 'create',
  shape: 'rectangle',
  id,
  x,
  y,
  width,
  height: 60,
  text,
});
const arrow = (from: string, to: string): Action => ({ type: 'connect', from, to });

/** Runs one reply on a canvas. Nothing runs of a reply that cannot be read. */
function act(reply: string, canvas: Canvas = emptyCanvas()): Applied {
  const parsed = parseActions(reply);
  return applyActions(canvas, parsed.ok ? parsed.actions : []);
}

// %%
const reply = serializeActions([
  box('n1', 60, 60, 'Browser'),
  box('n2', 340, 60, 'API'),
  { type: 'connect', from: 'n1', to: 'n2', label: 'asks' },
]);
console.log(reply);
const first = act(reply);
diagram(first.canvas, { description: 'A box Browser with an arrow, labelled asks, to a box API.' });
check('three actions ran', first.log.valid === 3 && first.log.errors.length === 0);

// %% [markdown]
// Shapes are `rectangle`, `ellipse`, `diamond` and `text`. An arrow has no coordinates: it runs from centre to centre and follows its
// boxes. And there is no clock and no chance: the same reply gives the same canvas, to the byte. Only then can a reward be believed.
//
// ## A sample that was never run
//
// The article that this environment goes back to (Anshuman Mishra, *On Building Agents From First Principles*, 2026) shows what a valid reply
// looks like: a box, a text in it, an arrow. **Predict, then run:** what does the environment say to it?

// %%
const sample = `{"actions":[
  {"type":"create","shape":"rectangle","id":"box1","x":10,"y":20,"width":100,"height":60},
  {"type":"create","shape":"text","id":"label1","x":15,"y":25,"text":"User data"},
  {"type":"connect","from":"box1","to":"box2"}
]}`;
const broken = act(sample);
console.log(
  observe({
    canvas: broken.canvas,
    problems: broken.log.errors,
    request: 'Show the user data and where it goes',
  }),
);

// %% [markdown]
// It connects `box1` to a `box2` that nobody made. A person skims over that. The environment does not: `E_DANGLING`, an arrow to nowhere.
// It is skipped, and the two actions before it stand. So one more reply mends the drawing:

// %%
const repair = serializeActions([box('box2', 190, 20, 'Store', 100), arrow('box1', 'box2')]);
const mended = act(repair, broken.canvas);
diagram(
  [
    { canvas: broken.canvas, caption: 'As published: no arrow' },
    { canvas: mended.canvas, caption: 'After one more reply' },
  ],
  {
    description:
      'Left a box with the text User data, right the same box with an arrow to a second box, Store.',
  },
);
check('of three actions two ran', broken.log.valid === 2 && broken.log.actions === 3);
check('the error has a name', describeProblem(broken.log.errors[0]!) === 'E_DANGLING box1>box2');
check('the second reply is clean', mended.log.errors.length === 0 && lint(mended.canvas).length === 0);
check('a text inside a box is its label', readCanvas(mended.canvas)[0]!.label === 'User data');

// %% [markdown]
// Products that let models draw often repair such faults in silence: they rename a second `box1`, or drop the arrow. For training that would be
// wrong. A fault that is hidden costs nothing, and what costs nothing is never unlearned.
//
// ## Ways to be refused
//
// There are two kinds of fault. Of a reply that **cannot be read** nothing runs, and the episode is over:

// %%
const unreadable: Record<string, string> = {
  E_PARSE: 'Sure! Here it is: {"actions":[]}',
  E_ROOT: '{"steps":[]}',
  E_DUP_KEY: '{"actions":[],"actions":[]}',
  E_DEPTH: `{"actions":${'['.repeat(9)}${']'.repeat(9)}}`,
  E_TOO_LONG: serializeActions(Array.from({ length: 1000 }, () => ({ type: 'finish' as const }))),
};

function codeOf(text: string): string {
  const parsed = parseActions(text);
  return parsed.ok === false ? parsed.problem.code : 'read';
}

function jsonTakes(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

// %%
table(
  Object.values(unreadable).map((text) => ({
    reply: fitToWidth(text, 60),
    'JSON.parse': jsonTakes(text) ? 'takes it' : 'refuses',
    'the environment': codeOf(text),
  })),
);

// %% [markdown]
// A single action that **breaks a rule** is skipped; those after it still run. (If one fault undid the whole reply, a nearly right drawing would
// earn as little as nonsense, and there would be nothing to climb.)

// %%
const n = box('n', 0, 0, 'N');
const text: Action = { type: 'create', shape: 'text', id: 't', x: 0, y: 200, text: 'T' };
const refused: Record<string, [why: string, actions: object[]]> = {
  E_TYPE: ['there is no action "paint"', [{ type: 'paint', id: 'n' }]],
  E_KEY: ['a box has no "color"', [{ ...n, color: 'red' }]],
  E_ID: ['ids are plain ASCII', [{ ...n, id: '数据' }]],
  E_DUP_ID: ['two boxes called n', [n, box('n', 300, 0, 'Another')]],
  E_SHAPE: ['no shape is called "star"', [{ ...n, shape: 'star' }]],
  E_NUM: ['pixels are whole: x is 1.5', [{ ...n, x: 1.5 }]],
  E_SIZE: ['5 pixels wide', [{ ...n, width: 5 }]],
  E_RANGE: ['sticks out of the canvas', [{ ...n, x: 1590 }]],
  E_TEXT: ['a label that cannot be seen', [{ ...n, text: '\u200b' }]],
  E_DANGLING: ['an arrow to nowhere', [n, arrow('n', 'm')]],
  E_ENDPOINT: ['an arrow to a text', [n, text, arrow('n', 't')]],
  E_DUP_EDGE: ['the same arrow twice', [n, arrow('n', 'n'), arrow('n', 'n')]],
  E_MISSING: ['deletes what is not there', [{ type: 'delete', id: 'm' }]],
  E_NOOP: ['moves a box to where it is', [n, { type: 'move', id: 'n', x: 0, y: 0 }]],
  E_TOO_MANY: ['the 129th action', Array.from({ length: 129 }, (_, i) => ({ ...n, id: `n${i}` }))],
};

// %%
const said = (actions: object[]): string[] =>
  act(JSON.stringify({ actions })).log.errors.map(describeProblem);
table(
  Object.values(refused).map(([why, actions]) => ({
    'what is wrong': why,
    'the environment': said(actions).join(', '),
  })),
);

// %%
check(
  'each unreadable reply gets its code',
  Object.entries(unreadable).every(([code, reply]) => codeOf(reply) === code),
);
check(
  'each refused action gets its code, and only that',
  Object.entries(refused).every(
    ([code, [, actions]]) => said(actions).length === 1 && said(actions)[0]!.startsWith(code),
  ),
);
const taken = Object.values(unreadable).filter(jsonTakes).length;
check(
  'JSON.parse alone would have let some through',
  taken > 0,
  `${taken} of ${Object.keys(unreadable).length}`,
);

// %% [markdown]
// ## Tasks
//
// A **task** is a request together with what is needed to judge the answer. For a drawing that is the graph that was asked for. Tasks are
// generated: a graph is drawn at random first, then put into words, so what is right is known exactly and is never the opinion of a model.

// %%
const task = generateTask({ seed: 1, split: 'train', index: 2, profile: 'curriculum' });
console.log(task.requests[0]);
table(
  task.graph.edges.map(({ from, to }) => ({
    from: task.graph.nodes.find(({ id }) => id === from)!.label,
    to: task.graph.nodes.find(({ id }) => id === to)!.label,
  })),
  { caption: `The wanted arrows; they should run ${task.graph.direction}` },
);

// %% [markdown]
// Tasks come in **splits**, and training sees only one of them, `train`. Every other split differs from it in one respect or none, so that a failure says what
// was not learned. No two of those that are generated share a graph with the same labels: else a model could be right by memory.

// %%
const differs: Record<Split, string> = {
  train: 'what training sees',
  id: 'nothing (in distribution): new graphs of the same kind',
  'ood-vocab': 'words that training never saw (ood: out of distribution)',
  'ood-size': 'more boxes',
  'ood-topology': 'forms of graph that training never saw',
  'ood-phrase': 'other ways to ask',
  'ood-rule': 'other canvas, spacing, grid or direction',
  'ood-lang': 'Chinese',
  'ood-edit': 'kinds of edit and damage that training never saw',
  real: 'requests that people wrote',
};
function exampleOf(split: Split): DiagramTask {
  return split === 'real' ? realTasks()[0]! : generateTask({ seed: 1, split, index: 3 });
}

// %%
const allSplits = Object.keys(differs) as Split[];
table(
  allSplits.map((split) => ({
    split,
    'differs in': differs[split],
    request: fitToWidth(exampleOf(split).requests[0]!, 44),
  })),
);
/** The graphs of the first 40 tasks of a split, by their labels. */
function graphsOf(split: Split): string[] {
  const some = Array.from({ length: 40 }, (_, index) => generateTask({ seed: 1, split, index }));
  return some.map(({ graph: { nodes, edges } }) => {
    const label = (wanted: string): string => nodes.find(({ id }) => id === wanted)!.label;
    const arrows = edges.map(({ from, to }) => `${label(from)} > ${label(to)}`);
    return [...nodes.map(({ id }) => label(id)), ...arrows].sort().join('; ');
  });
}
const trained = new Set(graphsOf('train'));
check(
  'no graph that training has seen turns up in another split',
  fullSplits.every((split) => split === 'train' || !graphsOf(split).some((graph) => trained.has(graph))),
);

// %% [markdown]
// ## An episode by hand: draw, look, mend
//
// What the agent is shown is the **observation**, a few lines of text. Some tasks allow several replies: then the next observation shows the
// canvas and what is wrong with it. Let us be the agent.

// %%
const env = diagramEnvironment({ scorer: scoreDiagram });
const review = generateTask({ seed: 1, split: 'train', index: 88 });
const episode = env.start(review);
console.log(episode.initialObservation());

// %% [markdown]
// `RULES` states the canvas, the least gap between boxes, the grid, the shape of a decision, and the direction of flow (LR: left to right). Our first draft has a flaw.
// **Predict, then run:** what will the environment say, and what reward will it pay for the draft?

// %%
const draft = serializeActions([
  box('n1', 60, 60, 'Door sensor'),
  box('n2', 320, 60, 'Rain gauge'),
  box('n3', 320, 100, 'Camera'),
  box('n4', 580, 60, 'Speaker'),
  ...[arrow('n1', 'n2'), arrow('n1', 'n3'), arrow('n2', 'n4')],
]);
const afterDraft = episode.step(draft);
const draftCanvas = episode.canvas;
console.log(`reward ${afterDraft.reward}, done: ${afterDraft.episodeDone}\n\n${afterDraft.nextObservation}`);

// %% [markdown]
// `W_OVERLAP` is a **lint**. Nothing was refused (that would be an `E_` code); it is what a careful colleague would point out, and it says which two boxes.
// So the second reply moves one of them:

// %%
const mend = serializeActions([{ type: 'move', id: 'n3', x: 320, y: 220 }, { type: 'finish' }]);
const end = episode.step(mend);
diagram(
  [
    { canvas: draftCanvas, caption: 'Draft: W_OVERLAP n2 n3' },
    { canvas: episode.canvas, caption: `After the second reply: reward ${end.reward}` },
  ],
  { description: 'Two drawings of four boxes. Left, Camera covers Rain gauge; right, it lies below.' },
);
check('the draft paid nothing yet', afterDraft.reward === 0 && !afterDraft.episodeDone);
check('the problem was named', afterDraft.nextObservation!.includes('W_OVERLAP n2 n3'));
check('the episode ended as a success', end.episodeDone && end.metrics['success'] === 1);
check('a second look costs 0.01', end.reward === 0.99);

// %% [markdown]
// Three decisions are hidden in this little dialogue, and each closes a hole like the one in the treasure hunt.
//
// - The reward is paid **once, at the end, for the outcome**. A bonus for each problem mended could be farmed: break, mend, break, mend.
// - The observation names problems, but shows **no score**. With a score inside the episode one could try, read the number, and keep or undo; then the drawing would be good and the policy would not.
// - A second look costs a little, so that it is taken when it helps and not from habit.
//
// Edits begin with a canvas that is already there, and are judged by what changed:

// %%
const correction = generateTask({ seed: 1, split: 'train', index: 27 });
const editing = env.start(correction);
console.log(editing.initialObservation());
const edited = editing.step(
  serializeActions([{ type: 'update', id: 'n2', text: 'Package registry' }, { type: 'finish' }]),
);
check('the edit is a success', edited.metrics['success'] === 1, `reward ${edited.reward}`);

// %%
const kinds: Record<string, string> = {
  draw: 'draws from nothing',
  'draw-review': 'draws, and may look again',
  edit: 'changes one thing that is asked for',
  repair: 'brings a damaged drawing back',
  'build-up': 'draws what is asked for in several messages',
};
const someTasks = Array.from({ length: 120 }, (_, index) => generateTask({ seed: 1, split: 'train', index }));
table(
  Object.keys(kinds).map((kind) => {
    const ofKind = someTasks.filter((each) => each.kind === kind);
    return {
      episode: kind,
      'the agent': kinds[kind]!,
      'replies at most': Math.max(...ofKind.map(stepLimit)),
      'of 120 tasks': ofKind.length,
    };
  }),
);

// %% [markdown]
// ## What the reward sees
//
// The reward is put together from **terms**, each a number from 0 to 1 with the findings behind it. Beside it stands **success**, a strict yes or no that
// is reported and never trained on. **Predict, then run:** put these four drawings in order.

// %%
const [a, b, c] = task.graph.nodes.map(({ label }) => label) as [string, string, string];
const inRow = (labels: string[]): Action[] =>
  labels.map((label, i) => box(`n${i + 1}`, 60 + 280 * i, 60, label));
const forward = [arrow('n1', 'n2'), arrow('n2', 'n3')];
const drawings: Record<string, Action[]> = {
  'as asked': [...inRow([a, b, c]), ...forward],
  'two boxes overlap': [...inRow([a, b]), box('n3', 420, 90, c), ...forward],
  'one arrow backwards': [...inRow([a, b, c]), arrow('n2', 'n1'), arrow('n2', 'n3')],
  'pretty, and not asked for': [...inRow(['Home', 'Work', 'Bed']), ...forward],
};
const judged = Object.entries(drawings).map(([name, actions]) => {
  const { canvas, log } = applyActions(emptyCanvas(task.rules), actions);
  return { name, canvas, score: scoreDiagram(task, canvas, log), verdict: verifyDiagram(task, canvas, log) };
});
const caption = ({ name, score }: (typeof judged)[number]): string => `${name}: ${score.reward.toFixed(2)}`;
diagram(
  judged.map((each) => ({ canvas: each.canvas, caption: caption(each) })),
  {
    description:
      'One request drawn as asked, with two boxes overlapping, with an arrow backwards, and three other boxes.',
  },
);

// %%
const shownTerms = ['valid', 'nodes', 'edges', 'overlap', 'fit', 'through', 'direction', 'layout'];
table(
  judged.map(({ name, score }) => ({
    drawing: name,
    ...Object.fromEntries(shownTerms.map((term) => [term, score.terms[term]!.value])),
    reward: score.reward,
    success: score.success ? 'yes' : 'no',
  })),
);
const evidence = judged.flatMap(({ name, score }) =>
  shownTerms.flatMap((term) => score.terms[term]!.evidence.map((finding) => `${name}: ${term}: ${finding}`)),
);
console.log(evidence.join('\n'));

// %% [markdown]
// Read a row from the left. `valid` is the share of actions that ran; `nodes` and `edges` compare boxes and arrows with those that were wanted; `overlap`, `fit` (labels in
// their boxes), `through` (arrows through boxes) and `direction` are parts of `layout`. One fault often costs in more than one of them: the overlap hides an arrow as well
// ({{02:reward.overlap|fixed2}}), the backwards arrow also points against the flow ({{02:reward.backwards|fixed2}}). The lines below the table are the findings.
//
// The last drawing is flawless as a drawing and earns {{02:reward.unasked|fixed2}}, which any clean reply gets. Layout pays only for what was asked: the terms are
// multiplied, not added. [Notebook 3](03-rewards.ipynb) shows where a search ends when they are added.
//
// The reward is code that somebody wrote, and can be wrong. So there is a second opinion, `verifyDiagram`. It shares no scoring code with the reward
// and answers only yes or no. Where the two disagree, one of them has a bug.

// %%
const rewardOf = (name: string): number => judged.find((each) => each.name === name)!.score.reward;
check(
  'as asked is the only success',
  judged.filter(({ score }) => score.success).length === 1 && judged[0]!.score.success,
);
check(
  'the reward and the verifier agree on all four',
  judged.every(({ score, verdict }) => score.success === verdict.success),
);
check(
  'as asked earns most',
  judged.every(({ score }) => score.reward <= rewardOf('as asked')),
);
check(
  'what was not asked for earns less than the flawed ones',
  rewardOf('pretty, and not asked for') < 0.5 * rewardOf('two boxes overlap'),
);

// %% [markdown]
// ## A policy is whatever answers
//
// A **policy** takes an observation and gives a reply. A language model is one: it gives each possible next piece of text a probability, and a reply is
// drawn from these, piece by piece. Here are three policies on the same tasks: one that always says the same; a script that is told the
// wanted graph (it will be the teacher in notebook 4); and a small language model, a million numbers (**parameters**) that training
// can change, which has read two texts, a word list and some JSON, but never a diagram. `rollout` plays the episodes; the **engine** is what runs the model for it.

// %%
const seeds = [seed, seed + 1, seed + 2];
const tasks = Array.from({ length: fast ? 4 : 12 }, (_, index) =>
  generateTask({ seed, split: 'train', index, profile: 'curriculum' }),
);
const { model, tokenizer } = await loadPolicy('../data/base');

/** Sixteen episodes of each task, played by the model. */
async function play(seed: number): Promise<EpisodeRecord[]> {
  const engine = createLocalEngine(model);
  const limits = { numGenerations: 16, maxCompletionLength: 96 };
  const groups = await rollout({ engine, tokenizer, env, tasks, seed, step: 0, ...limits });
  return groups.flatMap(({ episodes }) => episodes);
}

// %%
const played: EpisodeRecord[][] = [];
for await (const each of progress(seeds, { total: seeds.length, label: 'the model plays' }))
  played.push(await play(each));
const firstReplies = played[0]!.slice(0, 3).map(({ messages }) => fitToWidth(messages[1]!.content, 90));
console.log(firstReplies.join('\n'));

// %%
interface Outcome {
  readonly reward: number | null;
  readonly metrics: Readonly<Record<string, number>>;
}
type Summary = { policy: string; readable: number; success: number; reward: number };
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function summary(policy: string, outcomes: Outcome[]): Summary {
  return {
    policy,
    readable: mean(outcomes.map(({ metrics }) => metrics['parsed']!)),
    success: mean(outcomes.map(({ metrics }) => metrics['success']!)),
    reward: mean(outcomes.map(({ reward }) => reward ?? 0)),
  };
}

// %%
const always = tasks.map((each) => env.start(each).step(reply));
const script = tasks.map((each) => env.start(each).step(serializeActions(scriptedActions(each, [], 0))));
const policies = [
  summary('always the same drawing', always),
  summary('the script', script),
  summary('the language model', played.flat()),
];
table(policies);
check('the script always succeeds', policies[1]!.success === 1);
check('the language model never does', policies[2]!.success === 0 && policies[2]!.reward === 0);

// %% [markdown]
// The model's reward is the same, zero, for everything that it writes. **Reinforcement learning** makes what earned more likelier; where nothing earns more, it
// has nothing to say. That is why the course goes on with a teacher (4) and with imitation (5) before rewards are used for training (6).
//
// ## Tokens in, tokens out
//
// A language model reads and writes **tokens**, pieces of text with a number each. Its tokenizer here has pieces of our action language, so that a
// drawing is short:

// %%
const spelled = (tokens: Int32Array): string[] =>
  [...tokens].map((id) => tokenizer.decode(Int32Array.of(id)));
const drawing = serializeActions(drawings['as asked']!);
const tokens = tokenizer.encode(drawing);
console.log(
  `${drawing.length} characters, ${tokens.length} tokens:\n${spelled(tokens).slice(0, 24).join(' · ')} …`,
);
check('tokens become the same text again', tokenizer.decode(tokens) === drawing);

// %% [markdown]
// Text → tokens → text always comes back. **Predict, then run:** does tokens → text → tokens? For what our model has just written, how often are the
// tokens of its text the tokens that it sampled?

// %%
const stop = chatTokenId(tokenizer, '<|end|>');
interface Spellings {
  readonly sampled: string[];
  readonly encoded: string[];
  readonly text: string;
}

/** The tokens of a reply as they were sampled, and as its text is encoded. */
function bothWays({ trajectories }: EpisodeRecord): Spellings {
  const [{ tokens: all, turns }] = trajectories as [Trajectory];
  const whole = all.subarray(turns[0]!.start, turns[0]!.end);
  const sampled = whole.at(-1) === stop ? whole.subarray(0, -1) : whole;
  const text = tokenizer.decode(sampled);
  return { sampled: spelled(sampled), encoded: spelled(tokenizer.encode(text)), text };
}

// %%
const replies = played.map((episodes) => episodes.map(bothWays));
const isOther = ({ sampled, encoded }: Spellings): boolean => sampled.join('|') !== encoded.join('|');
const share = overSeeds(replies.map((ofSeed) => ofSeed.filter(isOther).length / ofSeed.length));
// a broken character (�) cannot come back; here are replies without one
const unbroken = replies.flat().filter((each) => isOther(each) && !each.text.includes('\ufffd'));
const [shortest] = unbroken.sort((x, y) => x.sampled.length - y.sampled.length);
console.log(`sampled: ${shortest!.sampled.join(' · ')}\nencoded: ${shortest!.encoded.join(' · ')}`);
check(
  'many replies come back as other tokens',
  share.min > 0.1,
  seeds.map((_, i) => percent(replies[i]!.filter(isOther).length / replies[i]!.length, 0)).join(', '),
);

// %% [markdown]
// {{02:tokens.other|percent0}} of the replies come back as other tokens. Some hold a broken character, which text cannot keep; the others, {{02:tokens.recut|percent0}} of
// all, are the same letters, cut in other places. Training will ask the model how
// likely *what it did* was. Asked about the other cuts, it would answer about something that it never did, and nobody would notice.
//
// So a **trajectory**, the record of an episode, keeps the tokens that were sampled. And it marks them: mask 1 for those that the policy wrote, mask 0
// for the prompt and what the environment said, from which there is nothing to learn about one's own writing.
// Here is the episode that we played by hand, as training would see it:

// %%
const transcript = new Transcript();

/** The policy reads what was said so far, and answers. */
function takeTurn(heard: string[], answer: string, reward: number): void {
  const role = (i: number): 'user' | 'assistant' => (i % 2 === 0 ? 'user' : 'assistant');
  transcript.observe(
    renderPrompt(
      tokenizer,
      heard.map((content, i) => ({ role: role(i), content })),
    ),
  );
  const written = renderCompletion(tokenizer, answer);
  transcript.reply(written, new Float32Array(written.length), { reward });
}

function segmentsOf({ tokens: all, actionMask }: Trajectory): CompletionRow['segments'] {
  const starts = [...actionMask.keys()].filter((i) => i === 0 || actionMask[i] !== actionMask[i - 1]);
  return starts.map((start, i) => ({
    role: actionMask[start] === 1 ? 'trained' : i === 0 ? 'prompt' : 'environment',
    text: tokenizer.decode(all.subarray(start, starts[i + 1])),
  }));
}

// %%
const question = episode.initialObservation();
takeTurn([question], draft, afterDraft.reward);
takeTurn([question, draft, afterDraft.nextObservation!], mend, end.reward);
const trajectories = transcript.trajectories();
const [trajectory] = trajectories as [Trajectory];
const own = trajectory.actionMask.filter((bit) => bit === 1).length;
const judgement = { reward: end.reward, rewards: {}, advantage: 0, stopReason: end.stopReason! };
completions([{ taskId: review.id, ...judgement, segments: segmentsOf(trajectory) }]);
check('the whole episode is one sequence', trajectories.length === 1);
check(
  'of which the policy wrote a part',
  own > 0 && own < trajectory.tokens.length,
  `${own} of ${trajectory.tokens.length} tokens`,
);

// %% [markdown]
// ## Exercise: a program that draws
//
// Write a policy without a model. It is given a task whose boxes form a chain, and shall lay them out in a row with an arrow from each to the next. It is
// tried on three tasks that you have not seen: four boxes; seven boxes, with longer words; five boxes, and a rule that is not the usual one. The verifier has to accept
// all three.
//
// A character is 9.6 pixels wide here, a box keeps 5 pixels free on each side, and a label may break between words. `task.rules` has `minGap` (the least distance
// of two boxes), `grid` (of which each `x` and `y` is a multiple) and `canvasWidth`. First what tries your program, then your cell.

// %%
type Draws = (task: DiagramTask) => Action[];
const places = { id: 1, 'ood-size': 1, 'ood-rule': 9 } as const;
const unseen = (Object.keys(places) as (keyof typeof places)[]).map((split) =>
  generateTask({ seed: 2, split, index: places[split], profile: 'curriculum' }),
);

function testRow(row: Draws): void {
  const results = unseen.map((each) => {
    const { canvas, log } = applyActions(emptyCanvas(each.rules), row(each));
    return { canvas, faults: verifyDiagram(each, canvas, log).faults };
  });
  diagram(
    results.map(({ canvas, faults }) => ({ canvas, caption: faults.join('; ') || 'accepted' })),
    { description: 'What your program draws for three tasks that it was not written for.' },
  );
  results.forEach(({ faults }, i) => {
    const { split, requests } = unseen[i]!;
    check(`${split}: ${fitToWidth(requests[0]!, 60)}`, faults.length === 0, faults.join('; '));
  });
}

// %% tags=["exercise"]
function row(task: DiagramTask): Action[] {
  const [width, gap] = [80, 40]; // TODO: words differ in length, and tasks in their rules
  const boxes = task.graph.nodes.map(({ id, label }, i) => box(id, 60 + i * (width + gap), 60, label, width));
  return boxes; // TODO: arrows
}
await exercise({
  id: 'row',
  hint: 'how wide must a box be for its label on one line, and where may the next one begin? Round both up to multiples of task.rules.grid; which arrows are wanted stands in task.graph.edges',
  cases: () => testRow(row),
});

// %%
await saveResults('02', {
  codes: {
    unreadable: Object.keys(unreadable).length,
    refused: Object.keys(refused).length,
    jsonTakes: taken,
  },
  reward: {
    asked: rewardOf('as asked'),
    overlap: rewardOf('two boxes overlap'),
    backwards: rewardOf('one arrow backwards'),
    unasked: rewardOf('pretty, and not asked for'),
    reviewed: end.reward,
  },
  tokens: {
    drawing: tokens.length,
    characters: drawing.length,
    other: { value: share.mean, low: share.min, high: share.max },
    recut: unbroken.length / replies.flat().length,
    episode: trajectory.tokens.length,
    own,
  },
  model: { readable: policies[2]!.readable, reward: policies[2]!.reward },
});

// %% [markdown]
// ## Summary
//
// - An environment is an observation, a language of actions and a reward. It has no clock and no chance.
// - A fault is named, skipped and counted ({{02:codes.unreadable}} ways not to be read, {{02:codes.refused}} ways to be refused), never mended in silence.
// - The reward is paid once for the outcome; success is stricter, reported, and checked by a verifier that shares no scoring code with it.
// - A policy is whatever turns an observation into a reply. The small model cannot: {{02:model.readable|percent0}} of its replies can be read.
// - Tokens in, tokens out: {{02:tokens.other|percent0}} of sampled replies would come back from text as other tokens.
//
// **Next:** [3 · Rewards](03-rewards.ipynb), and how a sensible one is cheated.
