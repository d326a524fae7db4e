// %% [markdown]
// # 07 · On-policy distillation
//
// **The question.** Someone can do what your model should learn. They can show how, they can only say whether it got there, or they can
// watch it try and say at each move what they would rather have done. What is each of these lessons worth?
//
// **You need to know** what a policy, a reward and a log-probability are (notebooks [01](01-q-learning.ipynb), [05](05-sft.ipynb) and
// [06](06-reinforce-to-grpo.ipynb)). The book's chapter is [The on-policy view](../chapters/07-on-policy.md). **Time:** about two minutes
// on two cores.
//
// **Afterwards you can** say why imitation goes wrong where no expert has been, and measure it; choose between the forward and the reverse
// direction of the Kullback–Leibler divergence (KL, notebook 06); and distil one language model into a smaller one, that is, train the
// small one to be like it, on the small one's own replies.

// %%
import { createModel, disposeModel, parameterCount, weight, type Model } from 'posttrain/model';
import { diagramEnvironment, treasureProcess } from 'posttrain/envs';
import type { DiagramTask, TreasureState } from 'posttrain/envs';
import { generateTask, type Split } from 'posttrain/tasks';
import { addScore, descendReverseKL, explore, movesToSuccess, playEpisode, rowOf } from 'posttrain/tabular';
import { sampled, softmax, softmaxPolicy, successProbability } from 'posttrain/tabular';
import type { ActionDistribution, QTable } from 'posttrain/tabular';
import { groupAdvantages } from 'posttrain/losses';
import { gkd, sft, type SFTRow } from 'posttrain/trainers';
import { evaluate, pairedBootstrap, type SplitEvaluation } from 'posttrain/eval';
import { rollout } from 'posttrain/rollout';
import { scoreDiagram } from 'posttrain/rewards';
import { randomStream, type RandomStream } from 'posttrain/tensor';
import type { Engine } from 'posttrain/engine';
import { createPooledEngine, loadAgent } from 'posttrain/node';
import { percent, percentWithInterval, type Point } from 'posttrain/display';
import { check, exercise, interruptSignal, progress, saveResults } from 'posttrain/notebook';
import { setup, show, table } from 'posttrain/notebook';

// %%
const { fast, seed } = await setup({ seed: 7 });
const seeds = [1, 2, 3, 4, 5].slice(0, fast ? 3 : 5);

// %% [markdown]
// ## An expert beside the board
//
// The student is back in the treasure hunt of notebook 01: five rooms, a locked door, a guard; eleven moves are enough, forty are allowed.
// New is an **expert**, who knows the whole map. It counts how many moves are left to the treasure after each thing one might do, and
// prefers the nearer: its policy is the softmax of −4 × the moves to go. (Softmax makes probabilities out of any numbers, in proportion to
// their exponentials.)
//
// So the expert has not one right answer but an opinion of *every* move, as a language model has a probability for every token.

// %%
const hunt = treasureProcess({ maxMoves: 40 });

function makeExpert(): ActionDistribution<TreasureState> {
  const movesLeft = movesToSuccess(hunt);
  const opinions = new Map<string, number[]>();
  for (const [key, { transitions }] of explore(hunt)) {
    const distances = [...transitions.values()].map(({ next }) => movesLeft.get(hunt.key(next)) ?? 20);
    opinions.set(key, softmax(distances.map((left) => -4 * left)));
  }
  return (state) => opinions.get(hunt.key(state))!;
}

const expert = makeExpert();
const first = expert(hunt.start);
table(
  hunt
    .actions(hunt.start)
    .map((move, i) => ({ move, expert: percent(first[i]!), beginner: percent(1 / first.length) })),
  { caption: 'What the expert thinks of the first move, and what a beginner does' },
);

// %% [markdown]
// The student is a table: for everything it can see, one number (a *logit*) for each move; their softmax is its policy. It begins with
// zeros, plays at random and wins one game in two thousand (a share of {{tabular-distillation:curves.success.OPD[0].y|short}}).
//
// Its exam has two parts. *From the start* is the probability of winning within forty moves. *Kicked* is the same after eight random
// moves that somebody else made: the student finds itself where it would not have gone. Both are computed over everything that can
// happen instead of sampled, so they have no error of their own.

// %%
type Student = QTable<string>;
const policyOf = (student: Student): ActionDistribution<TreasureState> => softmaxPolicy(hunt, student);

const chance = successProbability(hunt);
const kick = { policy: policyOf(new Map()), moves: 8 };
function exam(policy: ActionDistribution<TreasureState>): { start: number; kicked: number } {
  return { start: chance([{ policy, moves: 40 }]), kicked: chance([kick, { policy, moves: 40 }]) };
}

check('the expert nearly always wins', exam(expert).kicked > 0.99, `kicked, ${percent(exam(expert).kicked)}`);
check('a beginner hardly ever does', exam(kick.policy).start < 0.01, percent(exam(kick.policy).start));

// %% [markdown]
// ## Three lessons
//
// | lesson | whose games | what is said |
// | --- | --- | --- |
// | **SFT** (imitation) | the expert's | the right move, at each move |
// | **GRPO** (reinforcement) | the student's own | won or lost, once a game |
// | **OPD** (on-policy distillation) | the student's own | what the expert thinks, at each move |
//
// A signal at each move is *dense*, one at the end of a game is *sparse*. To learn from one's own games is *on-policy*. SFT is dense and
// off-policy, GRPO sparse and on-policy; OPD is dense and on-policy.

// %%
interface Move {
  state: TreasureState;
  action: string;
}
interface Game {
  moves: Move[];
  success: boolean;
}

function play(policy: ActionDistribution<TreasureState>, random: RandomStream): Game {
  const moves: Move[] = [];
  const choose = sampled(hunt, policy);
  const remember = (state: TreasureState, stream: RandomStream): string => {
    const action = choose(state, stream);
    moves.push({ state, action });
    return action;
  };
  return { moves, success: playEpisode(hunt, remember, random).success };
}

// %% [markdown]
// SFT moves the logits along $\nabla \log \pi(a)$ for each move $a$ of the expert (`addScore`): it becomes likelier, the others less so. The
// more games it has, the less often each is repeated: all students see 1,024.

// %%
function imitate(games: number, run: number): Lesson {
  const student: Student = new Map();
  const played = Array.from({ length: games }, (_, game) => play(expert, randomStream(run, 'expert', game)));
  const moves = played.flatMap((game) => game.moves);
  for (let epoch = 0; epoch < 1024 / games; epoch += 1)
    for (const { state, action } of randomStream(run, 'order', epoch).shuffle(moves)) {
      const { actions, values } = rowOf(student, hunt, state);
      addScore(values, softmax(values), actions.indexOf(action), 1);
    }
  return { student, games: 0, curve: [], dead: 0 };
}

interface Lesson {
  student: Student;
  /** Own games that it played. */
  games: number;
  /** How likely it wins from the start, over the games it has played. */
  curve: { games: number; wins: number }[];
  /** Share of groups that taught nothing. */
  dead: number;
}

// %% [markdown]
// OPD goes down the gradient of
//
// $$\mathrm{KL}(\pi \,\Vert\, q) = \sum_a \pi(a) \, \bigl(\log \pi(a) - \log q(a)\bigr)$$
//
// in every state where the student has been: $\pi$ is the student's policy there, $q$ the expert's, and the sum goes over all moves $a$.
// There is no reward: whether a game was won is never asked.

// %%
// often at first, then forty times in each power of ten
const looks = new Set(Array.from({ length: 160 }, (_, i) => 8 * Math.round(10 ** (i / 40) / 8)));

function look({ student, curve }: Lesson, games: number): void {
  if (looks.has(games)) curve.push({ games, wins: exam(policyOf(student)).start });
}

function followMoves(games: number, run: number, learn: (student: Student, move: Move) => void): Lesson {
  const lesson: Lesson = { student: new Map(), games, curve: [], dead: 0 };
  for (let played = 1; played <= games; played += 1) {
    const { moves } = play(policyOf(lesson.student), randomStream(run, 'own', played));
    for (const move of moves) learn(lesson.student, move);
    look(lesson, played);
  }
  return lesson;
}

function wholeOpinion(student: Student, { state }: Move): void {
  descendReverseKL(rowOf(student, hunt, state).values, expert(state).map(Math.log), 2);
}

// %% [markdown]
// GRPO plays eight games and asks for one number of each. What a game has above the mean of the eight, divided by their deviation, is its
// *advantage*, and all its moves become likelier by so much. When all eight numbers are equal the group is *dead*: nothing can be
// learned from it.

// %%
function reinforce(
  student: Student,
  policy: ActionDistribution<TreasureState>,
  moves: Move[],
  weight: number,
): void {
  for (const { state, action } of moves) {
    const { actions, values } = rowOf(student, hunt, state);
    addScore(values, policy(state), actions.indexOf(action), weight);
  }
}
const copyOf = (student: Student): Student =>
  new Map([...student].map(([seen, { actions, values }]) => [seen, { actions, values: [...values] }]));

// %%
type Judge = (game: Game, student: Student) => number;
const won: Judge = ({ success }) => Number(success);

function followTotals(games: number, run: number, rate: number, judge: Judge): Lesson {
  const lesson: Lesson = { student: new Map(), games, curve: [], dead: 0 };
  for (let played = 8; played <= games; played += 8) {
    const group = Array.from({ length: 8 }, (_, i) =>
      play(policyOf(lesson.student), randomStream(run, 'group', played, i)),
    );
    const { advantages, constant } = groupAdvantages([group.map((game) => judge(game, lesson.student))]);
    if (constant[0]) lesson.dead += 8 / games;
    const policy = policyOf(copyOf(lesson.student)); // the one that has played, while the student moves on
    group.forEach(({ moves }, i) =>
      reinforce(lesson.student, policy, moves, (rate * advantages[0]![i]!) / 8),
    );
    look(lesson, played);
  }
  return lesson;
}

// %% [markdown]
// **Predict, then run.** How many games will each student have to play before it wins 97 % of them? Does it matter to the kicked student
// which lesson it had?

// %%
interface Taught extends Lesson {
  start: number;
  kicked: number;
}

async function teachAll(lessons: Record<string, (run: number) => Lesson>): Promise<Map<string, Taught[]>> {
  const results = new Map<string, Taught[]>();
  const plan = Object.entries(lessons).flatMap(([name, teach]) => seeds.map((run) => ({ name, teach, run })));
  for await (const { name, teach, run } of progress(plan, { total: plan.length, label: 'students' })) {
    const lesson = teach(run);
    results.set(name, [...(results.get(name) ?? []), { ...lesson, ...exam(policyOf(lesson.student)) }]);
    await new Promise((resume) => setTimeout(resume));
  }
  return results;
}

const taught = await teachAll({
  'SFT, 4 expert games': (run) => imitate(4, run),
  'SFT, 256 expert games': (run) => imitate(256, run),
  'GRPO, own games': (run) => followTotals(fast ? 4000 : 8000, run, 2, won),
  'OPD, 40 own games': (run) => followMoves(40, run, wholeOpinion),
  'OPD, 160 own games': (run) => followMoves(160, run, wholeOpinion),
});

// %%
function range(values: number[]): { value: number; low: number; high: number } {
  const sorted = [...values].sort((a, b) => a - b);
  return { value: sorted[(sorted.length - 1) / 2]!, low: sorted[0]!, high: sorted.at(-1)! };
}
function written(values: number[], write: (value: number) => string): string {
  const { value, low, high } = range(values);
  return `${write(value)} (${write(low)} to ${write(high)})`;
}

// %%
/** Games played until 97 % are won; all of them when that never happened. */
const needed = ({ curve, games }: Lesson): number => curve.find(({ wins }) => wins >= 0.97)?.games ?? games;
function gamesToLearn(runs: Lesson[]): string {
  const { value, low, high } = range(runs.map(needed));
  const never = runs.some(({ curve }) => curve.every(({ wins }) => wins < 0.97));
  return `${value} (${low} to ${never ? 'not by ' : ''}${high})`;
}
const median = (values: number[]): number => range(values).value;
const kicked = (runs: Taught[]): number[] => runs.map((run) => run.kicked);

// %%
table(
  [...taught].map(([lesson, runs]) => ({
    lesson,
    'wins from the start': written(
      runs.map((run) => run.start),
      percent,
    ),
    kicked: written(kicked(runs), percent),
    'own games to 97 %': lesson.startsWith('SFT') ? 'none' : gamesToLearn(runs),
    'dead groups': lesson.startsWith('GRPO')
      ? written(
          runs.map((run) => run.dead),
          percent,
        )
      : '',
  })),
  { caption: `Three lessons: median and range over ${seeds.length} seeds` },
);

// %% [markdown]
// From the start nearly all of them win in the end. They differ in two ways:
//
// - **In games.** OPD is there after {{07:games.opd|integer}} games of its own, GRPO after {{07:games.wins|integer}} (medians). In
//   {{07:dead|percent0}} of GRPO's groups all eight games ended alike, and nothing could be compared. One of the five students never won a
//   game in {{07:games.wins.high|integer}}, so it learned nothing at all: before the first win a sparse reward says nothing.
// - **Off the path.** SFT wins {{07:kicked.sft|percent}} of kicked games after 256 expert games, OPD {{07:kicked.opd|percent}} after 160 of
//   its own. More expert games do not close the gap, for the expert hardly ever goes where the kick leads.
//
// Kicked, GRPO does worst ({{07:kicked.wins|percent}}). It practised on its own games; but once it wins it always goes the same way, and
// on-policy covers no more than the policy does.

// %%
const sftKicked = kicked(taught.get('SFT, 256 expert games')!);
const opd = taught.get('OPD, 160 own games')!;
const reinforced = taught.get('GRPO, own games')!;
check(
  'OPD wins 97 % within 80 games, every seed',
  opd.every((run) => needed(run) <= 80),
);
check(
  'GRPO needs ten times as many, or more',
  median(reinforced.map(needed)) >= 10 * median(opd.map(needed)),
);
const gap = median(kicked(opd)) - median(sftKicked);
check('kicked, OPD wins three points more than SFT', gap >= 0.03, `${(100 * gap).toFixed(1)} points`);

// %% [markdown]
// ## Dense against sparse
//
// OPD differs from GRPO in two things at once: *who* judges (an expert instead of the rules) and *how often* (each move instead of once a
// game). Which of them saves the games? Two lessons between them change one thing at a time:
//
// | lesson | judge | of a game it takes |
// | --- | --- | --- |
// | won or lost | the rules | one bit |
// | opinion of the game | the expert, $\sum_t \bigl(\log q(a_t) - \log \pi(a_t)\bigr)$ | one number |
// | opinion of each move | the expert, $\log q(a_t) - \log \pi(a_t)$ | one number a move |
// | whole opinion | the expert, $\mathrm{KL}(\pi \Vert q)$ | one number for each possible move, a move |
//
// The third is what language models are usually distilled with: of each token $a_t$ that was sampled, how much likelier the teacher finds
// it than the student did.
//
// **Predict, then run.** Which step saves most?

// %%
function opinionOf(student: Student, { state, action }: Move): number {
  const { actions, values } = rowOf(student, hunt, state);
  const i = actions.indexOf(action);
  return Math.log(expert(state)[i]!) - Math.log(softmax(values)[i]!);
}
function opinionOfMove(student: Student, move: Move): void {
  reinforce(student, policyOf(student), [move], opinionOf(student, move));
}
const opinionOfGame: Judge = ({ moves }, student) =>
  moves.reduce((sum, move) => sum + opinionOf(student, move), 0);

const ladder = new Map([
  ['won or lost', taught.get('GRPO, own games')!],
  ...(await teachAll({
    'opinion of the game': (run) => followTotals(fast ? 1600 : 3200, run, 1, opinionOfGame),
    'opinion of each move': (run) => followMoves(320, run, opinionOfMove),
    'whole opinion': (run) => followMoves(320, run, wholeOpinion),
  })),
]);

// %%
function overRuns(runs: Lesson[]): Point[] {
  return runs[0]!.curve.map(({ games }, i) => {
    const wins = range(runs.map(({ curve }) => curve[i]!.wins));
    return { x: Math.log10(games), y: wins.value, low: wins.low, high: wins.high };
  });
}
show({
  type: 'lines',
  title: 'Games it takes to learn, by how much is said about each',
  description:
    'Probability of winning over games played. With an opinion of every move some tens of games are enough, with one opinion a game some hundreds, with wins alone thousands.',
  xLabel: 'games played, as a power of ten (1: ten games, 3: a thousand)',
  yLabel: 'wins from the start',
  series: [...ladder].map(([name, runs]) => ({ name, points: overRuns(runs) })),
  yRange: [0, 1],
  width: 640,
});
table(
  [...ladder].map(([lesson, runs]) => ({
    lesson,
    'games to 97 %': gamesToLearn(runs),
    'kicked, at the end': written(kicked(runs), percent),
  })),
);

// %% [markdown]
// Both steps matter. An expert's single number a game, which differs between any two games, leaves no group dead and needs
// {{07:games.gameOpinion|integer}} games instead of {{07:games.wins|integer}} (medians; one student in five lost its way and had not learned
// by {{07:games.gameOpinion.high|integer}}). The same opinion move by move needs {{07:games.moveOpinion|integer}}: now each move knows what
// it did, instead of sharing one number with all others of its game.
//
// The last step, from the move that was played to all that might have been, saves few games here ({{07:games.opd|integer}}). It is less
// noisy, which shows a little in the kicked students, the last column.

// %%
const gamesOf = (lesson: string): number => median(ladder.get(lesson)!.map(needed));
check('one opinion a game beats one bit', gamesOf('opinion of the game') < gamesOf('won or lost') / 2);
check('one a move beats one a game', gamesOf('opinion of each move') < gamesOf('opinion of the game') / 4);

// %% [markdown]
// ## Two directions of one distance
//
// A divergence says how far one distribution is from another, and the Kullback–Leibler divergence depends on which of them it looks from
// (notebook 06 met both as penalties; here they are aims):
//
// - *forward*, $\mathrm{KL}(q \Vert \pi)$, is a mean over what the **teacher** does: the student pays where the teacher goes and it does
//   not. SFT on a teacher's samples descends it.
// - *reverse*, $\mathrm{KL}(\pi \Vert q)$, is a mean over what the **student** does: it pays where it goes and the teacher does not. OPD
//   descends it.
//
// A student that can be everything the teacher is will reach the teacher either way. One that is too simple must choose. This
// one can only be a single bump over 41 places; its teacher has two.

// %%
const places = Array.from({ length: 41 }, (_, place) => place);
function bump(centre: number, width: number): number[] {
  return softmax(places.map((place) => -((place - centre) ** 2) / (2 * width ** 2)));
}
const twoBumps = places.map((place) => 0.6 * bump(11, 2.5)[place]! + 0.4 * bump(29, 2.5)[place]!);

function kl(p: number[], q: number[]): number {
  return p.reduce(
    (sum, share, i) => sum + (share < 1e-300 ? 0 : share * Math.log(share / Math.max(q[i]!, 1e-300))),
    0,
  );
}
/** The bump with the least divergence, of all centres and widths. */
function closest(divergence: (student: number[]) => number): number[] {
  const bumps = places.flatMap((centre) => places.map((step) => bump(centre, 1 + step / 2)));
  const distances = bumps.map(divergence);
  return bumps[distances.indexOf(Math.min(...distances))]!;
}
const students = {
  teacher: twoBumps,
  'forward KL': closest((student) => kl(twoBumps, student)),
  'reverse KL': closest((student) => kl(student, twoBumps)),
};

// %%
show({
  type: 'lines',
  title: 'One bump for a teacher of two',
  description:
    'The teacher has two peaks. The student of forward KL is one broad bump over both, highest between them where the teacher never is; the student of reverse KL is the left peak alone.',
  xLabel: 'place',
  yLabel: 'probability',
  series: Object.entries(students).map(([name, shares]) => ({
    name,
    points: shares.map((y, x) => ({ x, y })),
  })),
  width: 640,
});

// %%
const massOf = (shares: number[], from: number, to: number): number =>
  shares.slice(from, to).reduce((sum, share) => sum + share, 0);
const valley = (shares: number[]): number => massOf(shares, 17, 24);
table(
  Object.entries(students).map(([who, shares]) => ({
    who,
    'left bump': percent(massOf(shares, 0, 17)),
    between: percent(valley(shares)),
    'right bump': percent(massOf(shares, 24, 41)),
  })),
  { caption: 'Where they put their probability' },
);
check(
  'forward KL is often where the teacher never is',
  valley(students['forward KL']) > 10 * valley(twoBumps),
);
check('reverse KL is not', valley(students['reverse KL']) <= valley(twoBumps) + 0.01);

// %% [markdown]
// Forward KL *covers*: it spreads over both bumps, and {{07:between.forward|percent0}} of what it does lies between them, where the
// teacher has {{07:between.teacher|percent}}. Reverse KL *seeks a mode*: it picks one of the teacher's ways and forgets that there
// was another. For an agent the second mistake is usually the better one: half of two good plans is no plan. For a model that
// should stay diverse it is the worse.

// %% [markdown]
// ## Whose states
//
// "SFT is forward KL on the teacher's samples" has two halves: the direction of the divergence, and **whose states** it is measured in. For
// what happens after a mistake only the second counts. To see it, take the smallest world in which mistakes add up:
//
// > A path leads along a ridge. At each move the walker steps left, straight on or right. Beside the ridge the slope pulls it one
// > place further out, three times in ten. The expert walks straight on the ridge and steps towards it from anywhere else; in each state
// > it does the other two things 1.3 % of the time.
//
// The student has three logits for each distance from the ridge. How many of its first $T$ moves end off the ridge can be computed exactly.

// %%
const steps = [-1, 0, 1];
const onRidge = (offset: number): number[] =>
  softmax(steps.map((step) => (step === -Math.sign(offset) ? 0 : -5)));

/** Where a step leads, and how likely. */
function landings(offset: number, step: number): [number, number][] {
  const to = Math.max(-30, Math.min(30, offset + step));
  const further = Math.max(-30, Math.min(30, to + Math.sign(offset)));
  return offset === 0
    ? [[to, 1]]
    : [
        [to, 0.7],
        [further, 0.3],
      ];
}

// %%
/** Where a walker may be after its next move, and how likely. */
function nextPlaces(places: Map<number, number>, walker: (offset: number) => number[]): Map<number, number> {
  const next = new Map<number, number>();
  for (const [offset, here] of places)
    walker(offset).forEach((share, i) => {
      for (const [to, odds] of landings(offset, steps[i]!))
        next.set(to, (next.get(to) ?? 0) + here * share * odds);
    });
  return next;
}
/** Expected moves off the ridge, among the first 1, 2, … `moves`. */
function timeOff(walker: (offset: number) => number[], moves: number): number[] {
  const totals: number[] = [];
  for (let places = new Map([[0, 1]]); totals.length < moves;) {
    places = nextPlaces(places, walker);
    totals.push((totals.at(-1) ?? 0) + 1 - (places.get(0) ?? 0));
  }
  return totals;
}

// %% [markdown]
// Four students get the same number of lessons (2,048 states with the expert's opinion of them): in the states of an expert that never
// slips, or in the states of their own walks of 32 moves; by forward KL or by reverse KL.

// %%
type Walker = Map<number, number[]>;
const logitsAt = (walker: Walker, offset: number): number[] =>
  walker.get(offset) ?? walker.set(offset, [0, 0, 0]).get(offset)!;

const forward = (logits: number[], teacher: number[]): void =>
  teacher.forEach((share, i) => addScore(logits, softmax(logits), i, share));
const reverse = (logits: number[], teacher: number[]): void =>
  descendReverseKL(logits, teacher.map(Math.log), 2);

// %%
function train(states: 'expert’s' | 'own', learn: typeof forward, run: number): Walker {
  const walker: Walker = new Map();
  for (let walk = 0; walk < 64; walk += 1) {
    const random = randomStream(run, 'ridge', walk);
    for (let offset = 0, move = 0; move < 32; move += 1) {
      const policy = softmax(logitsAt(walker, offset));
      learn(logitsAt(walker, offset), onRidge(offset));
      if (states === 'own') offset = stepOf(policy, offset, random);
    }
  }
  return walker;
}
function stepOf(policy: number[], offset: number, random: RandomStream): number {
  const step = pick(
    policy.map((share, i): [number, number] => [steps[i]!, share]),
    random,
  );
  return pick(landings(offset, step), random);
}
function pick(options: [number, number][], random: RandomStream): number {
  let left = random.uniform();
  return (options.find(([, share]) => (left -= share) < 0) ?? options.at(-1)!)[0];
}

// %%
const exam128 = (walker: Walker): number[] =>
  timeOff((offset) => softmax(walker.get(offset) ?? [0, 0, 0]), 128);
const walkers: Record<string, number[][]> = {
  'expert’s states, forward KL': seeds.map((run) => exam128(train('expert’s', forward, run))),
  'expert’s states, reverse KL': seeds.map((run) => exam128(train('expert’s', reverse, run))),
  'own states, forward KL': seeds.map((run) => exam128(train('own', forward, run))),
  'own states, reverse KL': seeds.map((run) => exam128(train('own', reverse, run))),
  'the expert itself': [timeOff(onRidge, 128)],
};
/** Of `moves off ∝ Tᵉ`, between 8 and 128 moves. */
const exponent = (cost: number[]): number => Math.log2(cost[127]! / cost[7]!) / 4;
table(
  Object.entries(walkers).map(([student, costs]) => ({
    student,
    'off after 1 move': written(
      costs.map((cost) => cost[0]!),
      percent,
    ),
    'off in 8 moves': written(
      costs.map((cost) => cost[7]!),
      (moves) => moves.toFixed(2),
    ),
    'off in 128 moves': written(
      costs.map((cost) => cost[127]!),
      (moves) => moves.toFixed(1),
    ),
    'grows as T to the': written(costs.map(exponent), (power) => power.toFixed(2)),
  })),
  { caption: 'Moves off the ridge' },
);

// %%
function overWalks(costs: number[][]): Point[] {
  return costs[0]!.flatMap((_, i) => {
    const off = range(costs.map((cost) => cost[i]!));
    return i % 4 === 3 ? [{ x: i + 1, y: off.value, low: off.low, high: off.high }] : [];
  });
}
show({
  type: 'lines',
  title: 'Moves off the ridge, by the length of the walk',
  description:
    'The student taught in the expert’s states spends over forty of 128 moves off the ridge, ever more the longer the walk; the one taught in its own states three, hardly more than the expert.',
  xLabel: 'moves of the walk',
  yLabel: 'of them off the ridge',
  series: [
    { name: 'taught in the expert’s states', points: overWalks(walkers['expert’s states, reverse KL']!) },
    { name: 'taught in its own states', points: overWalks(walkers['own states, reverse KL']!) },
    { name: 'the expert itself', points: overWalks(walkers['the expert itself']!) },
  ],
  width: 640,
});

// %% [markdown]
// All students slip on the ridge equally often, as often as the expert (the first column of numbers). What differs is the move after. Who was taught in the expert's states
// still has its three zeros beside the ridge, strolls about at random, and the slope does the rest: the longer the walk, the more of it is
// lost, and the cost grows as $T^{ {{07:ridge.expertStates|fixed2}} }$, the upper line of the figure. The bound for imitation is $T^2$ (Ross and Bagnell 2010), and $T$ where the
// student is taught in its own states (Ross, Gordon and Bagnell 2011); ours grow as $T^{ {{07:ridge.ownStates|fixed2}} }$. This is **covariate
// shift**: the states of the exam are not those of the lessons.
//
// And the direction of the divergence makes no difference here, neither in the expert's states nor in one's own.

// %%
const growth = (student: string): number => median(walkers[student]!.map(exponent));
check(
  'in the expert’s states the cost grows faster than the walk',
  growth('expert’s states, reverse KL') > 1.3,
);
check('in its own states hardly', growth('own states, reverse KL') < 1.25);
const byForward = median(walkers['own states, forward KL']!.map((cost) => cost[127]!));
const byReverse = median(walkers['own states, reverse KL']!.map((cost) => cost[127]!));
check('whichever divergence', Math.max(byForward, byReverse) < 1.5 * Math.min(byForward, byReverse));

// %% [markdown]
// ## A smaller diagram agent
//
// Now the same with a language model. The **teacher** is the diagram agent after GRPO: a stack of four *layers*, each of which works on what
// the one below it made. The **student** is the teacher without its last layer, which takes three quarters of the arithmetic. (Starting from
// a teacher's layers is how DistilBERT was made.)
//
// It begins with SFT on the teacher's replies, for what a student never writes no teacher can correct: 40 steps are enough to answer
// readably. From this apprentice three students go on, each with as many replies:
//
// | student | whose replies | what is said of a token |
// | --- | --- | --- |
// | more SFT | the teacher's | which one it was |
// | opinions of the teacher's replies | the teacher's | the teacher's whole distribution |
// | opinions of its own replies | its own | the teacher's whole distribution |

// %%
const env = diagramEnvironment({ scorer: scoreDiagram });
const size = fast ? { steps: 6, more: 2, rows: 8, exam: 8 } : { steps: 40, more: 20, rows: 24, exam: 96 };
const tasksOf = (split: Split, from: number, count: number): DiagramTask[] =>
  Array.from({ length: count }, (_, i) =>
    generateTask({ seed: split === 'train' ? seed : 0, split, index: from + i, profile: 'curriculum' }),
  );

const { model: teacherModel, tokenizer } = await loadAgent('grpo');
const teacher = createPooledEngine(teacherModel, { workers: 2 });

/** The model without its last layer. */
function shallower(model: Model): Model {
  const { numHiddenLayers } = model.config;
  const student = createModel({ ...model.config, numHiddenLayers: numHiddenLayers - 1 }, seed);
  for (const [name, variable] of student.weights) variable.assign(weight(model, name));
  return student;
}
const sizeOf = ({ config }: Model) => ({
  layers: config.numHiddenLayers,
  parameters: parameterCount(config).toLocaleString('en'),
});
const studentModel = shallower(teacherModel);
const student = createPooledEngine(studentModel, { workers: 2 });
table([
  { who: 'teacher', ...sizeOf(teacherModel) },
  { who: 'student', ...sizeOf(studentModel) },
]);

// %%
/** What the teacher answers, sampled; a row is a prompt and a completion. */
async function repliesOf(engine: Engine, tasks: DiagramTask[]): Promise<SFTRow[]> {
  const sampling = {
    numGenerations: 1,
    temperature: 1,
    maxCompletionLength: 192,
    maxTurns: 1,
    seed,
    step: 0,
  };
  const groups = await rollout({ engine, tokenizer, env, tasks, purpose: 'teacher', ...sampling });
  const trajectories = groups.flatMap(({ episodes }) => episodes.flatMap((episode) => episode.trajectories));
  return trajectories.map(({ tokens, actionMask }) => {
    const from = actionMask.indexOf(1);
    return { prompt: tokens.slice(0, from), completion: tokens.slice(from) };
  });
}
const grades = new Map<string, SplitEvaluation>();
async function grade(who: string, engine: Engine): Promise<void> {
  const tasks = tasksOf('id', 0, size.exam);
  const sampling = { numGenerations: 4, maxCompletionLength: 192, seed };
  const [result] = await evaluate({ engine, tokenizer, env, tasks, ...sampling });
  grades.set(who, result!);
}

// %%
async function learnFromRows(rows: SFTRow[], maxSteps: number): Promise<void> {
  const config = { maxSteps, batchSize: size.rows, learningRate: 2e-3, warmupSteps: 2, seed };
  const training = sft({ engine: student, rows, config, signal: interruptSignal() });
  for await (const step of progress(training, { total: maxSteps, label: 'SFT', metrics: ['loss'] }))
    if (step.metrics['step_skipped']) console.log(`step ${step.step} was skipped`);
}

const replies = await repliesOf(teacher, tasksOf('train', 0, (size.steps + size.more) * size.rows));
await grade('teacher', teacher);

// %%
await learnFromRows(replies.slice(0, size.steps * size.rows), size.steps);
await grade('student after SFT', student);
const apprentice = await student.save();

// %% [markdown]
// Student and teacher know the same words, so the teacher can give its *whole opinion* of each token, the fourth lesson of the ladder: `gkd`
// (generalised knowledge distillation) goes down the reverse KL (`beta: 1`) between the two distributions. `lmbda` is the share of steps on the student's own replies; the others
// are on given ones. The reward it reports is only watched.
//
// **Predict, then run.** Which of the three will draw best?

// %%
const more = replies.slice(size.steps * size.rows);
await learnFromRows(more, size.more);
await grade('more SFT', student);

// %%
const opinionConfig = {
  maxSteps: size.more,
  promptsPerStep: size.rows,
  numGenerations: 1,
  maxCompletionLength: 192,
  temperature: 1,
  beta: 1,
  learningRate: 1e-3,
  warmupSteps: 2,
  seed,
};

// %%
/** Goes on from the apprentice; the divergence of each step. */
async function learnFromOpinions(lmbda: 0 | 1, label: string): Promise<Point[]> {
  await student.load(apprentice);
  const tasks = tasksOf('train', 5000, size.more * size.rows);
  const options = { engine: student, teacher, tokenizer, env, tasks, rows: more };
  const training = gkd({ ...options, config: { ...opinionConfig, lmbda }, signal: interruptSignal() });
  const curve: Point[] = [];
  for await (const { step, metrics } of progress(training, {
    total: size.more,
    label,
    metrics: ['loss', 'reward'],
  }))
    curve.push({ x: step, y: metrics['loss']! });
  return curve;
}

// %%
const inTeachers = await learnFromOpinions(0, 'opinions of the teacher’s replies');
await grade('opinions of the teacher’s replies', student);

// %%
const inOwn = await learnFromOpinions(1, 'opinions of its own replies');
await grade('opinions of its own replies', student);
show({
  type: 'lines',
  title: 'How far the student is from the teacher',
  description:
    'Reverse KL over twenty noisy steps: it falls in both, and ends higher in the student’s own replies.',
  xLabel: 'step',
  yLabel: 'nats a token',
  series: [
    { name: 'in the teacher’s replies', points: inTeachers },
    { name: 'in its own replies', points: inOwn },
  ],
});

// %%
const successes = (who: string): number[] => grades.get(who)!.perTask.map(({ success }) => success);
const rewards = (who: string): number[] => grades.get(who)!.perTask.map(({ reward }) => reward);
table(
  [...grades].map(([who, { success, reward, parsed }]) => ({
    who,
    readable: percent(parsed!.value),
    success: percentWithInterval(success.value, success.low, success.high),
    reward,
  })),
  { caption: `${size.exam} unseen requests, four drawings each; 95 % intervals count requests` },
);

// %%
const own = 'opinions of its own replies';
function ahead(of: string, scores: (who: string) => number[], scale: number): ReturnType<typeof range> {
  const { difference, low, high } = pairedBootstrap(scores(of), scores(own), { seed });
  return { value: scale * difference, low: scale * low, high: scale * high };
}
const others = ['more SFT', 'opinions of the teacher’s replies'];
table(
  others.flatMap((of) => [
    { 'its own replies against': of, in: 'success, points', ...ahead(of, successes, 100) },
    { 'its own replies against': of, in: 'reward', ...ahead(of, rewards, 1) },
  ]),
  { caption: 'The same requests, paired; 95 % bootstrap intervals' },
);

// %% [markdown]
// From {{07:agent.sft|percent}} more SFT got to {{07:agent.rows|percent}}, opinions of the teacher's replies to
// {{07:agent.opinions|percent}}, opinions of its own replies to {{07:agent.own|percent}}; the teacher stands at
// {{07:agent.teacher|percent}}. (The figure does not say which draws better: its two lines are measured in different replies, and twenty steps
// are noisy.) Of these differences
//
// - **how much is said** is worth points: of the same teacher's replies, opinions teach what takes the student from
//   {{07:agent.sft|percent}} to {{07:agent.opinions|percent}}, the tokens alone {{07:agent.rows|percent}}; against these its own replies with
//   opinions are {{07:ahead.rows|short}} points ahead ({{07:ahead.rows.low|short}} to {{07:ahead.rows.high|short}});
// - **whose replies** is worth nothing that this run can show: {{07:ahead.opinions|short}} points ({{07:ahead.opinions.low|short}} to
//   {{07:ahead.opinions.high|short}}) for its own. We had expected its own to be ahead. Put 8 for the seed in the setup cell, and the teacher's
//   replies are.
//
// So what was decisive on the ridge does not show here. Two reasons may be looked for, neither of them tested: a drawing is one reply without a way back, so there is
// nothing to learn about recovery; and what a young student writes when it errs is text that this teacher has never seen either,
// whose opinions of it are worth little. The intervals count requests, not runs, and each lesson has one learning rate,
// none of them tuned: for a claim about the methods one would train each student three times, as the recorded experiment
// `diagram-algorithms` does.
//
// ## Exercise: what each token is told
//
// Many teachers cannot hand out whole distributions: a server says how likely it finds the tokens it is given, and nothing of the others. Then
// the third lesson is left, `distill`: a policy gradient whose advantage of each sampled token is the teacher's opinion of it.
//
// Write these advantages for one sampled reply. You get, for each of its $T$ tokens, the log-probability that the
// student and the teacher gave it, and a mask: 1 where the student chose the token, 0 where it came from the request. Masked
// tokens get 0.
//
// The examination below asks more than two numbers by hand: averaged over everything the student might have sampled, your advantages must
// push its logits down the exact gradient of $\mathrm{KL}(\pi \Vert q)$.

// %%
type Advantages = (student: Float32Array, teacher: Float32Array, mask: Uint8Array) => Float32Array;
const logs = (shares: number[]): Float32Array => Float32Array.from(shares, Math.log);

/** Σₐ π(a) · A(a) · ∂ log π(a) / ∂ logits: where the advantages push, averaged over all tokens that might be sampled. */
function push(advantages: Advantages, logits: number[], teacher: number[]): number[] {
  const policy = softmax(logits);
  const total = logits.map(() => 0);
  policy.forEach((share, token) => {
    const [advantage] = advantages(logs([share]), logs([teacher[token]!]), Uint8Array.of(1));
    addScore(total, policy, token, share * advantage!);
  });
  return total;
}
/** −∂ KL(π‖q) / ∂ logits, by tiny steps. */
function downhill(logits: number[], teacher: number[]): number[] {
  const nudged = (i: number, by: number): number =>
    kl(softmax(logits.map((logit, j) => logit + (i === j ? by : 0))), teacher);
  return logits.map((_, i) => -(nudged(i, 1e-4) - nudged(i, -1e-4)) / 2e-4);
}

// %% tags=["exercise"]
const advantagesOf: Advantages = (student, teacher, mask) => {
  const advantages = new Float32Array(mask.length);
  // your code: for each token of the student, how much likelier the teacher finds it than the student did
  return advantages;
};

await exercise({
  id: 'reverse-kl-advantages',
  hint: 'a difference of two log-probabilities where the mask is 1; mind which one is subtracted',
  cases: () => {
    const [first, second] = advantagesOf(logs([0.5, 0.5]), logs([0.75, 0.25]), Uint8Array.of(1, 0));
    check('a token the teacher finds likelier is worth log 1.5', Math.abs(first! - Math.log(1.5)) < 1e-6);
    check('a masked token is worth nothing', second === 0);
    const [logits, q] = [
      [0.3, -1, 0.8, 0.1],
      [0.1, 0.2, 0.3, 0.4],
    ];
    const exact = downhill(logits, q);
    check(
      'on average: down the reverse KL',
      push(advantagesOf, logits, q).every((slope, i) => Math.abs(slope - exact[i]!) < 1e-5),
    );
  },
});

// %% [markdown]
// ## Results and summary

// %%
const shares = (name: string): { value: number; low: number; high: number } => {
  const { value, low, high } = grades.get(name)!.success;
  return { value, low, high };
};
const gamesFor = (lesson: string): ReturnType<typeof range> => range(ladder.get(lesson)!.map(needed));
const growthOf = (walker: string): ReturnType<typeof range> => range(walkers[walker]!.map(exponent));

// %%
await saveResults('07', {
  games: {
    opd: range(opd.map(needed)),
    wins: gamesFor('won or lost'),
    gameOpinion: gamesFor('opinion of the game'),
    moveOpinion: gamesFor('opinion of each move'),
  },
  dead: range(reinforced.map(({ dead }) => dead)),
  kicked: { sft: range(sftKicked), opd: range(kicked(opd)), wins: range(kicked(reinforced)) },
  between: { teacher: valley(twoBumps), forward: valley(students['forward KL']) },
  ridge: {
    expertStates: growthOf('expert’s states, reverse KL'),
    ownStates: growthOf('own states, reverse KL'),
  },
  agent: {
    teacher: shares('teacher'),
    sft: shares('student after SFT'),
    rows: shares('more SFT'),
    opinions: shares('opinions of the teacher’s replies'),
    own: shares(own),
  },
  ahead: {
    rows: ahead('more SFT', successes, 100),
    opinions: ahead('opinions of the teacher’s replies', successes, 100),
  },
});

// %%
for (const engine of [student, teacher]) engine.dispose();
for (const model of [studentModel, teacherModel]) disposeModel(model);

// %% [markdown]
// ## What to keep
//
// - A lesson has two properties: whose states it is given in, and how often something is said. SFT is dense and off-policy, RL sparse and
//   on-policy, on-policy distillation dense and on-policy.
// - Density buys games: {{07:games.wins|integer}} with a bit a game, {{07:games.gameOpinion|integer}} with a number a game,
//   {{07:games.moveOpinion|integer}} with a number a move.
// - Mistakes add up where no lesson was given. In the expert's states only, the cost of a walk grows nearly with the square of its length. Where
//   there is no way back, as in a single reply, one's own states may be worth nothing extra: measure it.
// - Forward KL covers, reverse KL seeks a mode. It matters when the student cannot be what the teacher is.
// - The teacher is the ceiling. Distillation hands skill on; to find any, somebody has to try and be told how it went.
//
// **Next:** [08 · Evaluation](08-evaluation.ipynb), what numbers like these allow to say.
