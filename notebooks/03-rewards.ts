// %% [markdown]
// # 3 · Rewards: a policy learns whatever is paid
//
// **Question.** What should be paid for a drawing, and how do you find out that a reward pays for the wrong thing before a policy does?
//
// **You need** from [notebook 2](02-environment.ipynb) what an environment, a policy and success are, and no machine learning.
// It belongs to [chapter 3 of the book](../chapters/03-rewards.md).
//
// **Time.** Under a minute on two cores; no training.
//
// **Afterwards** you can take a reward apart into terms, attack it, measure what a search makes of it, say what a judge may do, and mend a
// reward that leaks.

// %%
import { emptyCanvas, lint, serializeActions } from 'posttrain/envs';
import type { ActionLog, Canvas, DiagramTask, Shape } from 'posttrain/envs';
import { overSeeds } from 'posttrain/eval';
import {
  drawAttacks,
  faults,
  formulas,
  nearMisses,
  play,
  scoreTerms,
  valueOf,
  verifyDiagram,
} from 'posttrain/rewards';
import type { AnsweredTask, Formula } from 'posttrain/rewards';
import { generateTask } from 'posttrain/tasks';
import { scriptedActions } from 'posttrain/teachers';
import { randomStream } from 'posttrain/tensor';
import type { RandomStream } from 'posttrain/tensor';
import { check, diagram, exercise, saveResults, setup, show, table } from 'posttrain/notebook';

// %%
const { fast, seed } = await setup({ seed: 7 });
const size = fast ? { seeds: [1], tasks: 6, steps: 200 } : { seeds: [1, 2, 3], tasks: 20, steps: 300 };

// %% [markdown]
// ## What a reward is made of
//
// The environment runs a reply, a list of actions, and what remains is a canvas. A **reward** is a number for that canvas. It is put
// together from **terms**: small measurements between 0 and 1, each of one thing. How they are put together is the **formula**.
//
// Here is a request, and how the scripted teacher answers it. The teacher knows the wanted graph, so this drawing is right.

// %%
/** A training request, and the actions of a right answer to it. */
function example(taskSeed: number, index: number): AnsweredTask {
  const task = generateTask({ seed: taskSeed, split: 'train', index, profile: 'curriculum' });
  return { task, answer: scriptedActions(task, [], 0) };
}

const honest = example(seed, 3);
const drawn = play(honest.task, serializeActions(honest.answer));
console.log(honest.task.requests.join('\n'));
diagram(drawn.canvas, { description: 'The drawing that the scripted teacher made of the request above.' });

// %% [markdown]
// Two formulas over the same terms. The first is what one writes down on a free afternoon, and tutorials do: add up what a good drawing has.
//
// $$R_\text{naive} = 0.2\,\text{parse} + 0.2\,\text{valid} + 0.4\,\text{words} + 0.2\,\text{arrows} - \text{overlaps}\quad\text{(kept within 0 and 1)}$$
//
// The second **gates**: it multiplies. Layout $Y$ is worth something only as far as the structure $G$ is right, and both only as far as the
// actions were clean.
//
// $$R_\text{gated} = \text{parse}\cdot\bigl(0.02 + 0.08\,v + (0.4 + 0.6\,v^2)\; G\,(0.4 + 0.5\,Y)\bigr)$$
//
// $v$ is the term `valid`, $G$ is `structure`, $Y$ is `layout`. (For editing tasks there is one more factor, `keep`; here it is 1.)
// The table says what each term measures. Look at where it looks: the terms of the naive reward know the request's *words*; those of the
// gated one know the *graph* that was asked for.

// %%
/** All terms of a canvas, and what the two formulas pay for it. */
function measure(task: DiagramTask, canvas: Canvas, log: ActionLog) {
  const found = Object.entries(scoreTerms(task, canvas, log));
  const terms = Object.fromEntries(found.map(([name, { value }]) => [name, value]));
  return { terms, naive: valueOf(formulas.naive, terms), gated: valueOf(formulas.gated, terms) };
}

const meanings = {
  parse: 'both: the reply could be read as a list of actions',
  valid: 'both: share of actions that ran',
  words: "naive: share of the request's words that appear anywhere",
  arrows: 'naive: arrows drawn, whatever they connect; five are enough',
  overlaps: 'naive: 0.05 for each pair of shapes that overlap',
  nodes: 'gated, in structure: the wanted boxes and no others, rightly named',
  edges: 'gated, in structure: the wanted arrows and no others, the right way round',
  structure: 'gated: nodes × (0.25 + 0.75 edges), and groups where there are any',
  layout: 'gated: nothing overlaps, labels fit, arrows run clear, direction and alignment',
};
const right = measure(honest.task, drawn.canvas, drawn.log);
table(
  Object.entries(meanings).map(([term, measures]) => ({ term, value: right.terms[term]!, measures })),
  {
    caption: `A right drawing earns ${right.naive.toFixed(2)} (naive) and ${right.gated.toFixed(2)} (gated)`,
  },
);

// %% [markdown]
// The naive reward does not pay a right drawing in full: three arrows are fewer than five. (In other requests a word such as "Connect" is
// missing as well, because it is in no box.) What is left to gain, a policy can gain only by drawing something that is *not* right. That is
// a first sign of a weak reward, and it costs one line to look for it.

// %%
check(
  'a right drawing earns nearly everything of the gated reward',
  right.gated > 0.95,
  right.gated.toFixed(3),
);
check('and leaves something to gain in the naive one', right.naive < 0.95, right.naive.toFixed(3));

// %% [markdown]
// ## Attacks
//
// A policy does not read the intention behind a reward. So try, before training, to be paid without doing the work. An **attack** is a
// function from a task and its right answer to a cheat's reply; `drawAttacks` is a list of them. Each was seen, in this form or another, in
// somebody's training run.
//
// **Predict, then run.** Six attacks on the request above. Which one does the naive reward pay best?

// %%
/** The drawing that an attack leaves, with its pay. */
function attacked(name: string, { task, answer }: AnsweredTask): { canvas: Canvas; caption: string } {
  const { canvas, log } = play(task, drawAttacks[name]!(task, answer));
  const { naive, gated } = measure(task, canvas, log);
  return { canvas, caption: `${name}: naive ${naive.toFixed(2)}, gated ${gated.toFixed(2)}` };
}

const subtle = [
  'complete_graph',
  'reversed_edges',
  'shuffled_labels',
  'decoys',
  'chain_always',
  'drop_last_node',
];
diagram(
  subtle.map((name) => attacked(name, honest)),
  { description: 'Six wrong drawings that look like work, each with what both rewards pay for it.' },
);

// %% [markdown]
// `complete_graph` is paid best, and better than the right drawing: with arrows in every direction it has the five that the formula asks for. Four of the others
// earn exactly what the right one does; only a missing box is noticed.
//
// Those look like work. The next ones do not even try: words without boxes, labels that hold the whole request, everything in one spot, text
// that a reader cannot see or that talks to whoever grades it.

// %%
const blunt = [
  'keyword_box',
  'every_label_is_prompt',
  'prompt_label',
  'homoglyphs',
  'stacked',
  'tiny_boxes',
  'russian_doll',
  'text_as_nodes',
  'nodes_only',
  'far_spread',
];
diagram(
  blunt.map((name) => attacked(name, honest)),
  { description: 'Ten cruder attacks, each with what both rewards pay for it.' },
);

// %% [markdown]
// `homoglyphs` looks right: its letters are Cyrillic twins of Latin ones, so a search for the label finds nothing. The rest of the list
// leaves nothing to look at (`off_canvas`, `huge_number`, `bidi_labels`, …: their actions are refused), or is about replies that are not
// JSON at all (`formatAttacks`).
//
// One request proves little. The table measures every attack on many requests, as a share of what the right drawings of the same requests
// earn. Only drawings that are really wrong count: `chain_always` is no cheat where a chain was asked for. Who says "wrong"? Not the reward
// but `verifyDiagram`, a second, strict checker that shares no scoring code with it. All this is done with three **seeds**, that is with three sets of requests.

// %%
interface Pay {
  readonly attack: string;
  readonly naive: number;
  readonly gated: number;
}
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** What each attack earns where it left a wrong drawing, as a share of what the right drawings earn. */
function attackPay(answered: readonly AnsweredTask[]): Pay[] {
  const honestPay = answered.map(({ task, answer }) => payOf(task, serializeActions(answer)));
  return Object.entries(drawAttacks).map(([attack, cheat]) => {
    const pays = answered.map(({ task, answer }) => payOf(task, cheat(task, answer)));
    const wrong = pays.flatMap((pay, i) => (pay.right ? [] : [{ pay, honest: honestPay[i]! }]));
    const share = (reward: 'naive' | 'gated'): number =>
      mean(wrong.map(({ pay }) => pay[reward])) / mean(wrong.map((each) => each.honest[reward]));
    return { attack, naive: share('naive'), gated: share('gated') };
  });
}

function payOf(task: DiagramTask, reply: string): { naive: number; gated: number; right: boolean } {
  const { canvas, log } = play(task, reply);
  return { ...measure(task, canvas, log), right: verifyDiagram(task, canvas, log).success };
}

// %%
const examples = size.seeds.map((taskSeed) =>
  Array.from({ length: size.tasks }, (_, i) => example(taskSeed, i)),
);
const pays = examples.map(attackPay);
/** Mean over seeds, with its 95 % interval: made anew with other seeds, 19 of 20 such intervals hold what is measured. */
function interval(values: readonly number[]): { value: number; low: number; high: number } {
  const { mean: value, low = value, high = value } = overSeeds(values);
  return { value, low, high };
}

const paid = pays[0]!
  .map(({ attack }, i) => ({
    attack,
    naive: mean(pays.map((pay) => pay[i]!.naive)),
    gated: mean(pays.map((pay) => pay[i]!.gated)),
  }))
  .sort((a, b) => b.naive - a.naive);
table(paid, { caption: 'Pay of wrong drawings as a share of what right drawings earn' });
/** How many attacks earn at least nine tenths of an honest drawing. */
const lucrative = (reward: 'naive' | 'gated'): number[] =>
  pays.map((pay) => pay.filter((each) => each[reward] >= 0.9).length);

// %% [markdown]
// Of {{03:attacks.count|integer}} attacks, {{03:attacks.lucrative.naive|integer}} earn at least nine tenths of an honest drawing under the naive reward. `complete_graph` earns
// {{03:attacks.share.complete_graph.naive|percent0}} of it: cheating pays *better* than work, and a policy that follows the pay will find it. Under the gated reward it earns
// {{03:attacks.share.complete_graph.gated|percent0}}.
//
// The highest share under the gated reward is that of `far_spread`, {{03:attacks.share.far_spread.gated|percent0}}: the right graph, with its boxes at opposite ends of the canvas. It is
// near the limit of nine tenths that we set, and on some sets of requests above it. The structure is all there, so the reward pays for it;
// what it lacks is style. A reward pays by degrees, and where "wrong" begins is for the verifier to say.
//
// `npx posttrain verify-reward` makes this table on fresh requests, for every formula that ships, and ends with status 1 when an attack
// pays. Run it whenever you change a reward.

// %%
check(
  'at least a quarter of the attacks pay under the naive reward',
  lucrative('naive').every((count) => count >= paid.length / 4),
  `${lucrative('naive').join(', ')} of ${paid.length}`,
);
check(
  'an attack earns more than honest work there',
  paid[0]!.naive > 1,
  `${paid[0]!.attack} ${paid[0]!.naive.toFixed(2)}`,
);
check(
  'under the gated reward no attack earns what honest work does',
  paid.every(({ gated }) => gated < 0.97),
  `at most ${Math.max(...paid.map(({ gated }) => gated)).toFixed(2)}`,
);

// %% [markdown]
// ## Damage must cost
//
// The other way round: take a right drawing and break it, one fault after another. A reward that means something falls with every fault, or
// learning has no slope to climb. The faults: an arrow lost, reversed, or too many; a label wrong; an arrow's label left out; two boxes
// pushed onto each other.
//
// **Predict, then run.** Which single faults does the naive reward not notice?

// %%
/** For each kind of fault: how often either reward falls, and how often the naive one rises. */
function oneFault(answered: readonly AnsweredTask[]) {
  return Object.entries(faults).map(([fault, damage]) => {
    const changes = answered.flatMap(({ task, answer }) => {
      const { canvas, log } = play(task, serializeActions(answer));
      const before = measure(task, canvas, log);
      return damage(canvas, task).map((broken) => {
        const after = measure(task, broken, log);
        return { naive: after.naive - before.naive, gated: after.gated - before.gated };
      });
    });
    const share = (holds: (change: { naive: number; gated: number }) => boolean): number =>
      changes.filter(holds).length / Math.max(1, changes.length);
    return {
      fault,
      drawings: changes.length,
      'gated falls': share(({ gated }) => gated < -1e-9),
      'naive falls': share(({ naive }) => naive < -1e-9),
      'naive rises': share(({ naive }) => naive > 1e-9),
    };
  });
}

const single = oneFault(examples.flat());
table(single, { caption: 'Share of right drawings whose reward moves after one fault' });

// %% [markdown]
// A reversed arrow costs nothing, and an arrow that nobody asked for *earns* something wherever fewer than five were drawn. (Few
// requests want an arrow labelled. In a fast run there is none, and that row is empty.) Now several faults in a
// row. The band is the 95 % interval over seeds.

// %%
/** Both rewards of a right drawing, and after each of `most` random faults. */
function damageCurve({ task, answer }: AnsweredTask, most: number, random: RandomStream) {
  const { canvas, log } = play(task, serializeActions(answer));
  const path = [canvas];
  while (path.length <= most) {
    const options = Object.values(faults).map((fault) => fault(path.at(-1)!, task));
    path.push(random.pick(random.pick(options.filter(({ length }) => length > 0))));
  }
  return path.map((broken) => measure(task, broken, log));
}

// %%
const mostFaults = 6;
const curves = size.seeds.map((damageSeed, s) =>
  examples[s]!.map((each, i) => damageCurve(each, mostFaults, randomStream(damageSeed, 'damage', 0, i))),
);
const afterFaults = (reward: 'naive' | 'gated', count: number) =>
  interval(curves.map((tasks) => mean(tasks.map((curve) => curve[count]![reward]))));
const points = (reward: 'naive' | 'gated') =>
  Array.from({ length: mostFaults + 1 }, (_, x) => ({
    x,
    y: afterFaults(reward, x).value,
    ...afterFaults(reward, x),
  }));
show({
  type: 'lines',
  title: 'Reward of a drawing that is broken step by step',
  description:
    'The gated reward falls steeply with the first faults and keeps falling; the naive one loses little.',
  xLabel: 'faults',
  yLabel: 'reward',
  yRange: [0, 1],
  series: (['gated', 'naive'] as const).map((name) => ({ name, points: points(name) })),
});

// %% [markdown]
// After one fault the gated reward is at {{03:damage.gated.after1|fixed2}}, after six at {{03:damage.gated.after6|fixed2}}. The naive one goes from {{03:damage.naive.after0|fixed2}} to {{03:damage.naive.after6|fixed2}}: it does fall, because lost arrows
// and wrong labels cost it something. A reward need not be blind to be weak. It is enough that it is blind in one direction.

// %%
check(
  'every single fault lowers the gated reward, on every drawing',
  single.every((row) => row.drawings === 0 || row['gated falls'] === 1),
);
check('a reversed arrow leaves the naive reward as it is', single[1]!['naive falls'] === 0);
check(
  'on average the gated reward falls with every further fault',
  Array.from(
    { length: mostFaults },
    (_, k) => afterFaults('gated', k).value > afterFaults('gated', k + 1).value,
  ).every(Boolean),
);

// %% [markdown]
// ## What a search makes of it
//
// *When a measure becomes a target, it ceases to be a good measure.* (Goodhart's law.) Attacks are what people think of. A search needs no
// ideas: it changes a drawing at random and keeps whatever pays more. That is reinforcement learning without the learning, and it shows in seconds where a
// reward leads.
//
// We start where a policy might be that has learned from a teacher's examples (notebooks 4 and 5): half of the drawings are right, half have the right graph but are badly placed. The edits: move a
// box, enlarge it, rename it, add a word to its label, draw an arrow, remove one, add a box.

// %%
type Edit = (canvas: Canvas, task: DiagramTask, random: RandomStream) => Canvas;
const wordsOf = ({ requests }: DiagramTask): string[] => requests.join(' ').match(/[\p{L}\p{N}]+/gu) ?? [];
const slide = (at: number, most: number, random: RandomStream): number =>
  Math.min(most, Math.max(0, at + 10 * (random.int(21) - 10)));

const changeBox =
  (change: (box: Shape, task: DiagramTask, random: RandomStream) => Shape): Edit =>
  (canvas, task, random) => {
    const chosen = random.pick(canvas.shapes);
    return {
      ...canvas,
      shapes: canvas.shapes.map((box) => (box === chosen ? change(box, task, random) : box)),
    };
  };
const move = changeBox((box, _, random) => ({
  ...box,
  x: slide(box.x, 1400, random),
  y: slide(box.y, 1100, random),
}));
const rename = changeBox((box, task, random) => ({ ...box, text: random.pick(task.graph.nodes).label }));
const addWord = changeBox((box, task, random) => ({
  ...box,
  text: `${box.text} ${random.pick(wordsOf(task))}`,
}));

// %%
const addArrow: Edit = (canvas, _, random) => {
  const [from, to] = [random.pick(canvas.shapes).id, random.pick(canvas.shapes).id];
  const exists = canvas.edges.some((edge) => edge.from === from && edge.to === to);
  return exists || from === to ? canvas : { ...canvas, edges: [...canvas.edges, { from, to, label: '' }] };
};
const removeArrow: Edit = (canvas, _, random) => {
  const at = random.int(Math.max(1, canvas.edges.length));
  return { ...canvas, edges: canvas.edges.filter((_edge, i) => i !== at) };
};

const addBox: Edit = (canvas, task, random) => {
  const box = {
    shape: 'rectangle',
    x: 10 * random.int(140),
    y: 10 * random.int(110),
    width: 100,
    height: 60,
  } as const;
  const added = { ...box, id: `x${canvas.shapes.length}`, text: random.pick(wordsOf(task)) };
  return { ...canvas, shapes: [...canvas.shapes, added] };
};
const enlarge = changeBox((box) => ({ ...box, width: box.width + 20, height: box.height + 10 }));
/** Moves are tried three times as often as anything else. */
const edits: readonly Edit[] = [move, move, move, enlarge, rename, addWord, addArrow, removeArrow, addBox];

// %%
/** The log of a reply whose actions all ran. */
const clean: ActionLog = { parsed: true, actions: 1, valid: 1, errors: [] };

/** The canvas after each step of a search that keeps an edit only when the reward pays more for it. */
function climb(task: DiagramTask, start: Canvas, reward: 'naive' | 'gated', random: RandomStream): Canvas[] {
  const path = [start];
  let best = measure(task, start, clean)[reward];
  for (let step = 0; step < size.steps; step++) {
    const canvas = path.at(-1)!;
    const edited = random.pick(edits)(canvas, task, random);
    const offer = measure(task, edited, clean)[reward];
    path.push(offer > best ? edited : canvas);
    best = Math.max(best, offer);
  }
  return path;
}

// %% [markdown]
// **Predict, then run.** Each search follows one of the two rewards, and we watch three numbers: both rewards, and success by the verifier, which no
// search can see. Which of the six lines falls?

// %%
const every = size.steps / 10;
/** Both rewards and success along the searches of one seed, averaged over its tasks. */
function climbCurve(reward: 'naive' | 'gated', climbSeed: number, answered: readonly AnsweredTask[]) {
  const paths = answered.map(({ task }, i) => {
    const quality = i % 2 === 0 ? 'good' : 'mediocre';
    const start = play(task, serializeActions(scriptedActions(task, [], 0, { quality, seed: climbSeed })));
    const path = climb(task, start.canvas, reward, randomStream(climbSeed, 'climb', 0, i));
    return path
      .filter((_, step) => step % every === 0)
      .map((canvas) => ({
        ...measure(task, canvas, clean),
        success: Number(verifyDiagram(task, canvas, clean).success),
      }));
  });
  return paths[0]!.map((_, k) => ({
    step: k * every,
    naive: mean(paths.map((path) => path[k]!.naive)),
    gated: mean(paths.map((path) => path[k]!.gated)),
    success: mean(paths.map((path) => path[k]!.success)),
  }));
}

const climbs = {
  naive: size.seeds.map((climbSeed, s) => climbCurve('naive', climbSeed, examples[s]!)),
  gated: size.seeds.map((climbSeed, s) => climbCurve('gated', climbSeed, examples[s]!)),
};

// %%
type Watched = 'naive' | 'gated' | 'success';
/** One number along the searches for one reward, over seeds, kept within 0 and 1; `at` counts marks from the start, or from the end when negative. */
function along(followed: 'naive' | 'gated', number: Watched, at: number) {
  const { value, low, high } = interval(climbs[followed].map((curve) => curve.at(at)![number]));
  return { value, low: Math.max(0, low), high: Math.min(1, high) };
}

function showClimb(followed: 'naive' | 'gated', description: string): void {
  show({
    type: 'lines',
    title: `A search that follows the ${followed} reward`,
    description,
    xLabel: 'edits tried',
    yLabel: 'mean over drawings',
    yRange: [0, 1],
    series: (['naive', 'gated', 'success'] as const).map((name) => ({
      name: name === 'success' ? 'success' : `${name} reward`,
      points: climbs[followed][0]!.map(({ step }, k) => {
        const { value: y, low, high } = along(followed, name, k);
        return { x: step, y, low, high };
      }),
    })),
  });
}

showClimb('naive', 'The naive reward rises to 1 while the gated reward falls and success goes to zero.');
showClimb('gated', 'The gated reward and success rise together; the naive reward hardly moves.');

// %% [markdown]
// Following the naive reward lifts it from {{03:climb.naive.naive.before|fixed2}} to {{03:climb.naive.naive.after|fixed2}}, and takes success from {{03:climb.naive.success.before|percent0}} to {{03:climb.naive.success.after|percent0}}. If you had only the curve of the reward, this would be your best run. The
// gated reward, which nobody follows here, falls with it: {{03:climb.naive.gated.before|fixed2}} to {{03:climb.naive.gated.after|fixed2}}.
// Following the gated reward takes success from {{03:climb.gated.success.before|percent0}} to {{03:climb.gated.success.after|percent0}}; the naive reward ends at {{03:climb.gated.naive.after|fixed2}}, as if little had happened.
//
// So: always watch a second number that is not paid. Here is what both searches drew.

// %%
function drawings(index: number, taskSeed: number) {
  const { task } = example(taskSeed, index);
  const start = play(
    task,
    serializeActions(scriptedActions(task, [], 0, { quality: 'mediocre', seed: taskSeed })),
  ).canvas;
  const end = (reward: 'naive' | 'gated') =>
    climb(task, start, reward, randomStream(taskSeed, 'show', 0, index)).at(-1)!;
  const captioned = (name: string, canvas: Canvas) => {
    const { naive, gated } = measure(task, canvas, clean);
    const verdict = verifyDiagram(task, canvas, clean).success ? 'right' : 'wrong';
    return { canvas, caption: `${name}: naive ${naive.toFixed(2)}, gated ${gated.toFixed(2)}, ${verdict}` };
  };
  console.log(task.requests.join('\n'));
  return [captioned('start', start), captioned('naive', end('naive')), captioned('gated', end('gated'))];
}

diagram(drawings(3, seed), {
  description: 'A badly placed start, what became of it under the naive reward, and under the gated one.',
});

// %%
check(
  'following the naive reward raises it and destroys success',
  along('naive', 'naive', -1).value > along('naive', 'naive', 0).value + 0.1 &&
    along('naive', 'success', -1).value < 0.2 * along('naive', 'success', 0).value,
);
check(
  'following the gated reward costs no success',
  along('gated', 'success', -1).value >= along('gated', 'success', 0).value,
);

// %% [markdown]
// Look at the arrows: the search for the naive reward has added some until there are five.
//
// A search is not a policy, and random edits are not training. But `npm run experiment -- diagram` trains a language model with both rewards, and
// its curves look like these: the textbook reward rises by arrows that nobody asked for, and success falls.
//
// ## Process and outcome
//
// So far a drawing was paid when it was finished: an **outcome reward**. Where an episode has many steps it is tempting to pay on the way, a
// **process reward**: a bonus whenever a wanted arrow appears, say. It tells *which* step was good, which an outcome does not (the experiment
// `credit-assignment` measures how much that helps). But a bonus for progress can be earned twice, by undoing the progress in between.
//
// Below, one drawer connects the boxes and stops. Others tear out an arrow and draw it again, a number of times. One does nothing at all. Four ways to pay them:
//
// - **outcome**: the gated reward of the last canvas;
// - **bonus**: what the term `edges` gained, at every step that gained something;
// - **potential**: $\Phi(s') - \Phi(s)$ at every step, with $\Phi$ the gated reward of the canvas so far. Summed over an episode everything in
//   between cancels: only the end minus the start remains, so nothing can be farmed. (In notebook 1 $\Phi$ was a hint and had to be 0 at the end; here it
//   keeps its value there, because the last canvas is what we want to pay for. The discount is 1.)
// - **penalties**: −0.1 for every complaint of the checker about the last canvas, and nothing else.

// %%
/** The canvases of an episode: boxes first, then arrow by arrow, then the last arrow torn out and drawn again. */
function episodeOf({ task, answer }: AnsweredTask, rounds: number): Canvas[] {
  const whole = play(task, serializeActions(answer)).canvas;
  const upTo = (arrows: number): Canvas => ({ ...whole, edges: whole.edges.slice(0, arrows) });
  const drawing = whole.edges.map((_, i) => upTo(i + 1));
  const farming = Array.from({ length: rounds }, () => [upTo(whole.edges.length - 1), whole]).flat();
  return [emptyCanvas(task.rules), upTo(0), ...drawing, ...farming];
}

// %%
function payments(task: DiagramTask, canvases: readonly Canvas[]) {
  const judged = canvases.map((canvas) => measure(task, canvas, clean));
  const gains = (value: (at: number) => number): number[] =>
    judged.slice(1).map((_, i) => value(i + 1) - value(i));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    outcome: judged.at(-1)!.gated,
    bonus: sum(gains((at) => judged[at]!.terms['edges']!).map((gain) => Math.max(0, gain))),
    potential: sum(gains((at) => judged[at]!.gated)),
    penalties: -0.1 * lint(canvases.at(-1)!, task.rules).length,
  };
}

const paidEpisodes = [
  { drawer: 'honest', ...payments(honest.task, episodeOf(honest, 0)) },
  { drawer: 'farms once', ...payments(honest.task, episodeOf(honest, 1)) },
  { drawer: 'farms 20 times', ...payments(honest.task, episodeOf(honest, 20)) },
  { drawer: 'does nothing', ...payments(honest.task, [emptyCanvas(honest.task.rules)]) },
];
table(paidEpisodes, { caption: 'What four drawers earn by four ways of paying' });

// %% [markdown]
// With the bonus, twenty rounds of vandalism earn {{03:process.farmed.bonus|fixed2}} against {{03:process.honest.bonus|fixed2}} for the honest drawing. The outcome pays honest and vandal
// alike, and so does the potential. And where only penalties
// are paid, doing nothing cannot be beaten: penalties say how to work, so something else must pay for working at all. If you punish, punish acts that a program
// can recognise, never "no progress": doing nothing is the cheapest way around that.
//
// Our environment pays the outcome only, with the last reply.

// %%
const [once, , farmed, idle] = paidEpisodes;
check(
  'a bonus for progress can be farmed',
  farmed!.bonus > 2 * once!.bonus,
  `${farmed!.bonus.toFixed(2)} against ${once!.bonus.toFixed(2)}`,
);
check('a potential cannot', Math.abs(farmed!.potential - once!.potential) < 1e-9);
check(
  'where only penalties are paid, an honest drawing earns what doing nothing earns',
  once!.penalties === idle!.penalties,
);

// %% [markdown]
// ## A judge may veto, never pay
//
// Code can check a graph. It cannot check taste, tone, or whether a picture is what somebody meant. For that one asks a **judge**: a person, or a
// model that looks at the picture. A judge is a noisy part of the environment: sometimes wrong, and sometimes wrong *on demand*.
//
// Ours is made up, so that we know how bad it is. It accepts nine right drawings of ten, lets three wrong ones of ten pass, and believes
// every label that claims success; that is the attack `prompt_label`. What may such a judge decide?
//
// - **alone**: its verdict is the reward;
// - **half**: half the verdict, half the gated reward;
// - **veto**: the gated reward, or nothing where it rejects;
// - **veto of 3**: the same, where it is asked three times and the majority counts.

// %%
/** 1 when the judge accepts the drawing. */
function opinion(canvas: Canvas, isRight: boolean, random: RandomStream): number {
  if (canvas.shapes.some(({ text }) => text.includes('success: true'))) return 1;
  return Number(random.uniform() < (isRight ? 0.9 : 0.3));
}

/** What the replies of one drawer earn in four ways of listening to the judge, averaged over tasks and 20 hearings of each. */
function judgedPay(
  answered: readonly AnsweredTask[],
  replyOf: (each: AnsweredTask) => string,
  judgeSeed: number,
) {
  const pay = answered.flatMap((each, i) => {
    const { canvas, log } = play(each.task, replyOf(each));
    const { gated } = measure(each.task, canvas, log);
    const isRight = verifyDiagram(each.task, canvas, log).success;
    return Array.from({ length: 20 }, (_, hearing) => {
      const random = randomStream(judgeSeed, 'judge', hearing, i);
      const votes = [1, 2, 3].map(() => opinion(canvas, isRight, random));
      const [alone] = votes as [number, number, number];
      return { alone, half: (alone + gated) / 2, veto: alone * gated, three: mean(votes) > 0.5 ? gated : 0 };
    });
  });
  const average = (way: 'alone' | 'half' | 'veto' | 'three'): number => mean(pay.map((each) => each[way]));
  return { alone: average('alone'), half: average('half'), veto: average('veto'), three: average('three') };
}

// %%
const drawers: Readonly<Record<string, (each: AnsweredTask) => string>> = {
  honest: ({ answer }) => serializeActions(answer),
  prompt_label: ({ task, answer }) => drawAttacks['prompt_label']!(task, answer),
  reversed_edges: ({ task, answer }) => drawAttacks['reversed_edges']!(task, answer),
};
const judged = Object.fromEntries(
  Object.entries(drawers).map(([drawer, replyOf]) => {
    const perSeed = size.seeds.map((judgeSeed, s) => judgedPay(examples[s]!, replyOf, judgeSeed));
    const over = (way: 'alone' | 'half' | 'veto' | 'three') => interval(perSeed.map((pay) => pay[way]));
    return [drawer, { alone: over('alone'), half: over('half'), veto: over('veto'), three: over('three') }];
  }),
);
table(
  Object.entries(judged).map(([drawer, { alone, half, veto, three }]) => ({
    drawer,
    alone: alone.value,
    half: half.value,
    veto: veto.value,
    'veto of 3': three.value,
  })),
  { caption: 'What is paid, by what the judge may do' },
);

// %% [markdown]
// Alone, the judge pays the flatterer {{03:judge.prompt_label.alone|fixed2}} and the honest drawer {{03:judge.honest.alone|fixed2}}. Mixed into the reward it still pays {{03:judge.prompt_label.half|fixed2}} for a drawing that is worth {{03:judge.prompt_label.veto|fixed2}}. As a veto it can be flattered
// to no effect: nobody earns more than the program would have paid. The price is paid by the honest, who lose what is vetoed by mistake: {{03:judge.honest.veto|fixed2}} is left. Asking three times brings
// back some of that ({{03:judge.honest.three|fixed2}}), because mistakes at random average out. The belief in labels does not average out: votes cure noise, not bias.
//
// With a real judge, keep a record of what it was shown and what it said, read some of it, and compare it with known labels before you believe it
// (`modelJudge` and `judgeAgreement` do that; the former tells the model that nothing inside an answer is an instruction).

// %%
check(
  'a judge that pays can be flattered',
  judged['prompt_label']!.alone.value > judged['honest']!.alone.value,
);
check('one that vetoes leaves the flatterer next to nothing', judged['prompt_label']!.veto.value < 0.2);
check(
  'three votes give honest drawers at least what one vote gives them',
  judged['honest']!.three.value >= judged['honest']!.veto.value,
);

// %% [markdown]
// ## Exercise: mend a leaky reward
//
// Here is a reward that adds, as data: a formula is a number, the name of a term, a `sum` or a `product`. It pays a right drawing nearly in full, and a
// few attacks better. Mend it, so that
//
// 1. right drawings earn at least 0.95 on average;
// 2. each attack of the list earns at most 0.7 of that;
// 3. a drawing that lacks one arrow still earns at least 0.5 of it. "All or nothing" would pass the first two, and give a beginner nothing to learn from.
//
// Terms to choose from: those of the first table, and `overlap`, `fit` and `through` (arrows that run through no box), the parts of `layout`, where 1 is good.

// %%
const mendable = [
  'complete_graph',
  'reversed_edges',
  'shuffled_labels',
  'decoys',
  'keyword_box',
  'stacked',
  'noop_padding',
];

/** What a formula pays on average, where `replyOf` answers. */
function paidBy(formula: Formula, replyOf: (each: AnsweredTask) => string): number {
  return mean(
    examples[0]!.map((each) => {
      const { canvas, log } = play(each.task, replyOf(each));
      return valueOf(formula, measure(each.task, canvas, log).terms);
    }),
  );
}

// %%
function checkMended(formula: Formula): void {
  const full = paidBy(formula, ({ answer }) => serializeActions(answer));
  check('right drawings earn at least 0.95', full >= 0.95 && full <= 1, full.toFixed(2));
  mendable.forEach((name) => {
    const part = paidBy(formula, ({ task, answer }) => drawAttacks[name]!(task, answer)) / full;
    check(`${name} earns at most 0.7 of that`, part <= 0.7, part.toFixed(2));
  });
  const nearMiss = paidBy(formula, ({ task, answer }) => nearMisses['drop_last_edge']!(task, answer)) / full;
  check('a drawing without one arrow earns at least half', nearMiss >= 0.5, nearMiss.toFixed(2));
}

// %% tags=["exercise"]
// TODO: mend this formula.
const mended: Formula = {
  sum: [
    { product: [0.3, 'parse'] },
    { product: [0.3, 'nodes'] },
    { product: [0.2, 'arrows'] },
    { product: [0.2, 'overlap'] },
  ],
};

await exercise({
  id: 'mend-the-reward',
  hint: 'What is added is paid to everybody, what is multiplied only together with the rest. Sort the terms: without which of them is a drawing worth nothing, and which only make a right one better?',
  cases: () => checkMended(mended),
});

// %% [markdown]
// ## Results

// %%
const share = (attack: string, reward: 'naive' | 'gated') =>
  interval(pays.map((pay) => pay.find((each) => each.attack === attack)![reward]));
const watched = (followed: 'naive' | 'gated', number: Watched) => ({
  before: along(followed, number, 0),
  after: along(followed, number, -1),
});
const bothShares = (attack: string) => ({ naive: share(attack, 'naive'), gated: share(attack, 'gated') });
const damage = (reward: 'naive' | 'gated') => ({
  after0: afterFaults(reward, 0),
  after1: afterFaults(reward, 1),
  after6: afterFaults(reward, mostFaults),
});
await saveResults('03', {
  attacks: {
    count: paid.length,
    lucrative: { naive: interval(lucrative('naive')), gated: interval(lucrative('gated')) },
    share: Object.fromEntries(
      ['complete_graph', 'reversed_edges', 'keyword_box', 'far_spread'].map((name) => [
        name,
        bothShares(name),
      ]),
    ),
  },
  damage: { naive: damage('naive'), gated: damage('gated') },
  climb: {
    naive: {
      naive: watched('naive', 'naive'),
      gated: watched('naive', 'gated'),
      success: watched('naive', 'success'),
    },
    gated: {
      naive: watched('gated', 'naive'),
      gated: watched('gated', 'gated'),
      success: watched('gated', 'success'),
    },
  },
  process: { honest: { bonus: once!.bonus }, farmed: { bonus: farmed!.bonus } },
  judge: judged,
});

// %% [markdown]
// ## Summary
//
// - A reward is terms and a formula. Sums pay for parts of the work whoever did the rest; products pay only for the whole, by degrees.
// - Attack a reward before a policy does: no cheat should earn what honest work does, and no fault should be free.
// - What is followed stops being a measure. Watch a second, stricter number that is not paid.
// - Pay outcomes, or potentials; a bonus for progress is farmed, and penalties alone teach doing nothing.
// - A judge is noise with opinions: it may veto, never pay.
//
// **Next:** [4 · A teacher](04-teacher.ipynb), whose answers are filtered by this reward. On your own: find an attack, other than `far_spread`, that the gated reward pays
// more than 0.9 of an honest drawing, and tell us.
