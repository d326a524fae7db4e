// %% [markdown]
// # 1 · Q-learning: what a reward teaches
//
// **Question.** Can a program learn a game from nothing but points? And does it then do what the points were meant for?
//
// **You need** TypeScript, and nothing of machine learning: each term is said where it is first used.
// It belongs to [chapter 1 of the book](../chapters/01-agents-and-environments.md), where the same is told at more length.
//
// **Time.** Half a minute on two cores.
//
// **Afterwards** you can write Q-learning yourself, read the curve of a learner's wins, and find the hole in a reward before a learner finds it.
//
// Everything later in this course, up to a language model that draws diagrams, is this notebook with larger parts. The game here is so
// small that we can also compute what the best player would do. So we shall know exactly when the learner is wrong, and when we are.

// %%
import { treasureEnvironment, treasureProcess, treasureRewards, treasureStart } from 'posttrain/envs';
import { treasureBagWorth, withoutPickUpPay } from 'posttrain/envs';
import type { DecisionProcess, TreasureState } from 'posttrain/envs';
import { actionValues, explore, movesToSuccess, valueIteration } from 'posttrain/tabular';
import { greedyPolicy, playEpisode, qLearning } from 'posttrain/tabular';
import type { ActionValues, QTable } from 'posttrain/tabular';
import { learnedAssessment, treasureMap, treasureSituations, treasureValueMap } from 'posttrain';
import { overSeeds } from 'posttrain/eval';
import { randomStream, type RandomStream } from 'posttrain/tensor';
import type { Point, Series } from 'posttrain/display';
import { check, exercise, interruptSignal, progress, saveResults } from 'posttrain/notebook';
import { setup, show, table } from 'posttrain/notebook';

// %%
const { fast, seed } = await setup({ seed: 7 });
const seeds = fast ? [1, 2] : [1, 2, 3, 4, 5];
const episodes = fast ? 4000 : 10_000;

// %% [markdown]
// ## A game, and who plays it
//
// Somewhere behind a locked door and a guard lies a dragon's treasure. The **agent** is whatever decides what to do next. The
// **environment** is everything else: it shows the agent something, takes an **action**, here a command, and answers with what there
// is to see now and a **reward**, a number. One whole game is an **episode**. It ends with the treasure in the bag, or after 50 moves.
//
// The agent is told no rule. Here is what it gets:

// %%
function visit(commands: readonly string[]): string {
  const game = treasureEnvironment().start({ id: 'a first look', split: 'train', seed });
  const answers = commands.map((command) => {
    const { reward, nextObservation } = game.step(command);
    return `> ${command}\nreward ${reward}\n\n${nextObservation}`;
  });
  return [
    treasureEnvironment().start({ id: 'again', split: 'train', seed }).initialObservation(),
    ...answers,
  ].join('\n\n');
}
console.log(visit(['take rusty sword', 'go north', 'go north']));

// %% [markdown]
// You and I have read that a sword is for a guard and a key for a door. The agent has not: to it `red key` is a word like `look around`.
//
// These are the rules that it is not told. The red key opens the door north of the hallway, just by walking through with the key in the
// bag. The rusty sword does nothing to the guard; rusty sword and magic crystal together make a silver sword, which does. And this is
// the whole reward table, as it was published with the game, in a
// [book on agents](https://github.com/bojieli/ai-agent-book) (Li, 2026) that shows with it how slow Q-learning is:

// %%
const { take, move, timeout, victory, ...pay } = treasureRewards;
table(
  [
    { what: 'any move at all', pays: move, note: 'what follows comes on top' },
    { what: 'walk to another room', pays: pay.walk, note: '' },
    { what: 'walk through the locked door with its key', pays: pay.unlock, note: 'once' },
    { what: 'the same without the key', pays: pay.locked, note: '' },
    { what: 'walk where there is no way, or past the guard', pays: pay.blocked, note: '' },
    { what: 'take the key', pays: take.key, note: 'every time' },
    { what: 'take a weapon', pays: take.weapon, note: 'every time' },
    { what: 'take the crystal', pays: take.tool, note: 'every time' },
    { what: 'drop something', pays: 0, note: '' },
    { what: 'craft the silver sword', pays: pay.craft, note: 'once' },
    { what: 'craft, and nothing comes of it', pays: pay.craftNothing, note: '' },
    { what: 'beat the guard', pays: pay.beatGuard, note: 'once' },
    { what: 'attack with the wrong weapon', pays: pay.wrongWeapon, note: '' },
    { what: 'take the treasure: the game is won', pays: take.treasure + victory, note: 'once' },
    { what: 'out of moves', pays: timeout, note: 'at the end' },
  ],
  { caption: 'What a move pays' },
);

// %% [markdown]
// A reasonable table: small hints on the way, the real prize at the end. **Predict, then run:** what does a player do who wants as many
// points as possible? Keep your answer for later.

// %% [markdown]
// ## What there is to know
//
// A **state** is everything that can change: where the player is, where each thing lies, whether the door is locked and the guard
// stands. What comes next depends on the state and the action alone, not on how one got there. That is the *Markov property*, and
// a game that has it is called a **Markov decision process**. In chess the board is such a state: it does not matter which moves led to it.
//
// This game is small enough to try every action in every state.

// %%
const hunt = treasureProcess();
const states = explore(hunt);
const underWay = [...states.values()].filter(({ transitions }) => transitions.size > 0);
const sights = new Set(underWay.map(({ state }) => hunt.observe(state)));
const distance = movesToSuccess(hunt);

function shortestWay(): { move: string; reward: number; total: number }[] {
  const way = [];
  let [state, total] = [hunt.start, 0];
  for (let left = distance.get(hunt.key(state))!; left > 0; left -= 1) {
    const { transitions } = states.get(hunt.key(state))!;
    const nearer = [...transitions].find(([, { next }]) => distance.get(hunt.key(next)) === left - 1)!;
    const [move, { next, reward }] = nearer;
    total += reward;
    way.push({ move, reward, total });
    state = next;
  }
  return way;
}

const way = shortestWay();
table(
  way.map(({ move, reward, total }) => ({ move, reward: reward.toFixed(1), 'so far': total.toFixed(1) })),
  { caption: 'One of the shortest ways to the treasure' },
);

// %%
check('there are 516 states', states.size === 516);
check('but the player sees one room at a time: 148 sights', sights.size === 148);
check('the treasure is 11 moves away', way.length === 11);
check('which pay 243.5 together', way.at(-1)!.total === 243.5);

// %% [markdown]
// A **sight** is what the agent gets to see of a state: its room, what lies there, and its bag. What lies in other rooms, and how many moves are
// left, it does not see. So there are fewer sights than states, and two states can look alike.
//
// The sum of an episode's rewards is its **return**. A rule that says what to do in each state is a **policy**, and what a state is
// worth under a policy, the return that is to be expected from there on, is its **value**. Nobody tells the agent values. It has to find them.

// %% [markdown]
// ## One step of learning, by hand
//
// Q-learning keeps a table with one number $Q(s, a)$ for each state $s$ (as the agent sees it) and each action $a$: a guess of what is
// to be earned from here on if $a$ is done now and the best thing ever after. All guesses begin at 0. After each move one of them is corrected:
//
// $$Q(s, a) \;\leftarrow\; Q(s, a) + \alpha \,\bigl[\; r + \gamma \max_{a'} Q(s', a') - Q(s, a) \;\bigr]$$
//
// - $r$ is the reward just paid, $s'$ the state it led to, and $\max_{a'} Q(s', a')$ the best guess there.
// - $\gamma$ (gamma) is the **discount**: a point that comes one move later counts $\gamma$ times as much. It says how far ahead the agent cares. Published with the game: 0.99.
// - The bracket is the surprise, what happened less what was expected. It is called *temporal-difference error*.
// - $\alpha$ (alpha) is the **learning rate**: how much of the surprise is believed. Published with the game: 0.2.
//
// If every guess were right, every surprise would be zero: $Q(s, a) = r + \gamma \max_{a'} Q(s', a')$. That is *Bellman's equation*.

// %%
function corrected(guess: number, reward: number, bestNext: number, alpha = 0.2, gamma = 0.99): number {
  return guess + alpha * (reward + gamma * bestNext - guess);
}
// first visit to the storage: taking the key pays 5 − 0.5, and nothing is known of what comes after
const takeKey = corrected(0, 4.5, 0);
// next game, at the entrance: going east pays 1 − 0.5, and leads to where something good is known
const goEast = corrected(0, 0.5, takeKey);
console.log(`take red key: 0 → ${takeKey}\ngo east:      0 → ${goEast}`);
check('0 + 0.2 · (4.5 + 0.99 · 0 − 0) = 0.9', takeKey === 0.9);
check('0 + 0.2 · (0.5 + 0.99 · 0.9 − 0) = 0.2782', Math.abs(goEast - 0.2782) < 1e-12);

// %% [markdown]
// Going east is worth more than the half point it pays: it leads to a key. So values creep backwards from where points are
// to where the game begins, one move a visit.

// %% [markdown]
// ## The whole algorithm
//
// Who only does what looks best never finds anything better; who only tries never gets anywhere. The usual answer is called
// **ε-greedy**: with probability $\varepsilon$ (epsilon) a random move, else the one with the highest $Q$. Here $\varepsilon$ begins at 1 and is
// multiplied by 0.9995 after each episode until it is 0.1. What is learned is the value of playing best from here on, whatever is played meanwhile: Q-learning
// is **off-policy**.
//
// In the code `hunt.observe` makes the sight of a state, and `hunt.horizon` says when a game is cut off (after 50 moves) and what that pays (−10).
// After the last move nothing is left to come: there $\max_{a'} Q(s', a')$ counts as 0.

// %%
function rowOf(q: QTable<string>, state: TreasureState): ActionValues<string> {
  const sight = hunt.observe(state);
  if (!q.has(sight)) {
    const actions = hunt.actions(state);
    q.set(sight, { actions, values: actions.map(() => 0) });
  }
  return q.get(sight)!;
}

function choose({ values }: ActionValues<string>, epsilon: number, random: RandomStream): number {
  if (random.uniform() < epsilon) return random.int(values.length);
  const best = Math.max(...values);
  const tied = values.flatMap((value, index) => (value === best ? [index] : []));
  return tied.length === 1 ? tied[0]! : random.pick(tied);
}

// %%
function learn(numEpisodes: number, seed: number): QTable<string> {
  const q: QTable<string> = new Map();
  for (let episode = 0; episode < numEpisodes; episode += 1) {
    const random = randomStream(seed, 'tabular', episode);
    const epsilon = Math.max(0.1, 0.9995 ** episode);
    let state = hunt.start;
    for (let moves = 1; moves <= hunt.horizon.moves; moves += 1) {
      const row = rowOf(q, state);
      const action = choose(row, epsilon, random);
      const { next, reward, done } = hunt.step(state, row.actions[action]!, random);
      const late = !done && moves === hunt.horizon.moves;
      const bestNext = done || late ? 0 : Math.max(...rowOf(q, next).values);
      row.values[action] = corrected(
        row.values[action]!,
        late ? reward + hunt.horizon.reward : reward,
        bestNext,
      );
      if (done) break;
      state = next;
    }
  }
  return q;
}

// %% [markdown]
// That is all of it. The library's `qLearning` does the same, checks its settings, reports each episode and can be stopped. Random numbers
// come from a seed, so both can be asked for the same 200 games, and must then agree in every digit.

// %%
async function learnWithLibrary(numEpisodes: number, seed: number): Promise<QTable<string>> {
  let q: QTable<string> = new Map();
  for await (const step of qLearning({ process: hunt, config: { numEpisodes, seed } })) q = step.table;
  return q;
}
const [ours, theirs] = [learn(200, seed), await learnWithLibrary(200, seed)];
check(
  'our loop and the library have the same table after 200 games',
  JSON.stringify([...ours]) === JSON.stringify([...theirs]),
  `${ours.size} rows`,
);

// %% [markdown]
// ## Ten thousand games
//
// Chance plays a part in what is learned, so nothing that follows is said of a single run: there are five, with different seeds.
//
// **Predict, then run.** How many of the first 500 games are won? And what does the curve of wins look like after that: a slope, a step, something else?

// %%
interface Learner {
  readonly process: DecisionProcess<TreasureState>;
  readonly config?: { readonly gamma: number };
  readonly potential?: (state: TreasureState) => number;
}
interface Run {
  /** Of each game: 1 when it was won, and how many things were dropped. */
  readonly wins: number[];
  readonly drops: number[];
  /** The moves of games 1,501 to 2,000. */
  readonly diary: (readonly string[])[];
  /** The table as it was after some games, and as it is at the end. */
  readonly earlier: Map<number, QTable<string>>;
  table: QTable<string>;
}
const snapshots = [200, 1000, 2000];

// %%
async function train(learner: Learner, seed: number): Promise<Run> {
  const run: Run = { wins: [], drops: [], diary: [], earlier: new Map(), table: new Map() };
  const config = { ...learner.config, numEpisodes: episodes, seed };
  for await (const step of qLearning({ ...learner, config, signal: interruptSignal() })) {
    const { episode, metrics, actions, table: q } = step;
    run.wins.push(metrics['success']!);
    run.drops.push(actions.filter((action) => action.startsWith('drop ')).length);
    if (episode > 1500 && episode <= 2000) run.diary.push(actions);
    if (snapshots.includes(episode)) run.earlier.set(episode, structuredClone(q));
    run.table = q;
  }
  return run;
}

async function trainAll(label: string, learner: Learner): Promise<Run[]> {
  const runs: Run[] = [];
  for await (const each of progress(seeds, { total: seeds.length, label }))
    runs.push(await train(learner, each));
  return runs;
}

// %%
const window = fast ? 200 : 500;

/** Means of so many games each. */
function windowed(values: number[]): number[] {
  const starts = Array.from({ length: Math.floor(values.length / window) }, (_, i) => i * window);
  return starts.map(
    (start) => values.slice(start, start + window).reduce((sum, value) => sum + value, 0) / window,
  );
}

/** The mean over the seeds, with the least and the most of them as a band. */
function band(name: string, perSeed: number[][]): Series {
  const lines = perSeed.map(windowed);
  const points = lines[0]!.map((_, i) => {
    const { mean, min, max } = overSeeds(lines.map((line) => line[i]!));
    return { x: (i + 1) * window, y: mean, low: min, high: max };
  });
  return { name, points };
}

// %%
/** Each seed as a thin line behind that mean. */
function singles(behind: string, perSeed: number[][]): Series[] {
  const point = (y: number, i: number): Point => ({ x: (i + 1) * window, y });
  return perSeed.map((values, i) => ({
    name: `seed ${seeds[i]}`,
    behind,
    points: windowed(values).map(point),
  }));
}

const published = await trainAll('as published', { process: hunt });
const publishedWins = published.map(({ wins }) => wins);
show({
  type: 'lines',
  title: 'Q-learning on the treasure hunt',
  width: 660,
  height: 300,
  description:
    'Share of games won, for five seeds and their mean: nothing for thousands of games, then a steep rise, at another time for each seed, and for one seed never.',
  xLabel: 'games played',
  yLabel: 'share won',
  series: [...singles('as published', publishedWins), band('as published', publishedWins)],
  yRange: [0, 1],
});

// %% [markdown]
// Of the first 500 games {{01:published.first|percent}} are won. Then nothing happens for thousands of games, and then a seed suddenly wins most of them: a
// step, at another time for each seed, and not always the last word. In the last 500 games the seeds win between
// {{01:published.last.low|percent0}} and {{01:published.last.high|percent0}}. The thick line is their mean, the shade what lies between the best and the worst. The thin
// lines say that the mean is the story of no seed.
//
// The explanation usually given is the one we have just seen: values creep backwards, one move a visit, and the treasure is eleven moves away.
// So the agent gropes in the dark until it happens to find the way often enough. It sounds right. Let us look.

// %% [markdown]
// ## What it does instead
//
// **Predict, then run.** When does each seed win its *first* game? And what does it earn its points with, in games 1,501 to 2,000?

// %%
const kinds: Record<string, string> = {
  go: 'walk',
  take: 'take for the first time',
  drop: 'drop',
  use: 'use something',
  look: 'look around',
  check: 'look into the bag',
  try: 'craft',
  attack: 'attack',
};
const takeAgain = 'take again what was dropped';

/** What the moves of one game are, and what each pays. */
function itemized(actions: readonly string[]): { kind: string; reward: number }[] {
  const [taken, luck] = [new Set<string>(), randomStream(seed, 'none needed')];
  let state = hunt.start;
  return actions.map((action) => {
    const { next, reward } = hunt.step(state, action, luck);
    const kind = taken.has(action) ? takeAgain : kinds[action.split(' ')[0]!]!;
    if (action.startsWith('take ')) taken.add(action);
    state = next;
    return { kind, reward };
  });
}

// %%
const firstWins = publishedWins.map((wins) => wins.indexOf(1) + 1);
console.log(`first win of each seed: game ${firstWins.map((game) => game || 'never').join(', ')}`);

const diary = published.flatMap((run) => run.diary);
const items = diary.flatMap(itemized);
const earned = [...Object.values(kinds), takeAgain].map((kind) => {
  const ofKind = items.filter((item) => item.kind === kind);
  const points = ofKind.reduce((sum, { reward }) => sum + reward, 0);
  return { move: kind, 'times a game': ofKind.length / diary.length, 'points a game': points / diary.length };
});
table(
  [...earned].sort((a, b) => b['points a game'] - a['points a game']),
  { caption: 'Games 1,501 to 2,000, on average' },
);

// %%
const publishedDrops = published.map(({ drops }) => drops);
show({
  type: 'lines',
  title: 'Things dropped in a game',
  width: 660,
  height: 300,
  description:
    'Things dropped in a game: five when all moves are random, rising to about ten while a seed does not win, one or two as soon as it does.',
  xLabel: 'games played',
  yLabel: 'drops a game',
  series: [...singles('as published', publishedDrops), band('as published', publishedDrops)],
});

// %% [markdown]
// It is not in the dark. {{01:published.foundEarly|integer}} of 5 seeds have held the treasure within their first 500 games, and then went back to better paid work.
// Dropping the key costs 0.5, taking it again pays 4.5: each two moves earn 4. In the figure each line begins where random play is, at about {{01:published.dropsAtRandom}}
// things dropped in a game, and climbs: the agent *learns* to drop, {{01:published.dropsWhileLosing}} things a game while it does not win. Where a seed begins to win, its line falls.
//
// A reward can be **farmed** when a loop of moves pays each time round. Doing what the points say instead of what they were meant to say is called
// **reward hacking**. Here it is on page one, in a game of five rooms that was published as an example of slow learning.
//
// And this is what each seed thinks best after 2,000 games, when it plays without random moves:

// %%
function habit(
  run: Run,
  i: number,
): { seed: number; 'most of its 50 moves': string; return: number; won: string } {
  const policy = greedyPolicy(hunt, run.earlier.get(2000)!);
  const { actions, return: total, success } = playEpisode(hunt, policy, randomStream(seeds[i]!, 'one game'));
  const counts = [...new Set(actions)].map((action) => ({
    action,
    times: actions.filter((a) => a === action).length,
  }));
  const often = counts.filter(({ times }) => times > 5).map(({ action, times }) => `${times} × ${action}`);
  return {
    seed: seeds[i]!,
    'most of its 50 moves': often.join(', '),
    return: total,
    won: success ? 'yes' : 'no',
  };
}
table(published.map(habit));

// %% [markdown]
// Some farm the key, some the sword. Some pace to and fro or look around: they put it off. A farm runs for ever, and with $\gamma = 0.99$ beginning
// it one move later costs {{01:game.delay}} points of {{01:game.farming|integer}}, which is less than the noise in the table.

// %%
const again = earned.find(({ move }) => move === takeAgain)!['points a game'];
check(
  'nothing earns as much as taking again',
  earned.every((row) => row['points a game'] <= again),
  `${again.toFixed(1)} points a game`,
);
check(
  'half of the seeds or more had won by game 2,000',
  firstWins.filter((n) => n > 0 && n <= 2000).length >= seeds.length / 2,
);

// %%
const luckyGames = Array.from({ length: 500 }, (_, i) =>
  playEpisode(hunt, (state, random) => random.pick(hunt.actions(state)), randomStream(seed, 'at random', i)),
);
const dropsAtRandom =
  luckyGames.flatMap(({ actions }) => actions).filter((a) => a.startsWith('drop ')).length / 500;
const paired = published.flatMap(({ wins, drops }) =>
  windowed(wins).map((won, i) => ({ won, dropped: windowed(drops)[i]! })),
);
const losing = paired.filter(({ won }) => won < 0.05).map(({ dropped }) => dropped);
const winning = paired.filter(({ won }) => won > 0.75).map(({ dropped }) => dropped);
const learned = `${overSeeds(losing).mean.toFixed(1)} against ${dropsAtRandom.toFixed(1)}`;
check(
  'while it does not win it drops more than random play does',
  overSeeds(losing).mean > dropsAtRandom + 2,
  learned,
);
check(
  'and while it wins, fewer than 3',
  winning.length === 0 || overSeeds(winning).mean < 3,
  `${winning.length} windows`,
);

// %% [markdown]
// ## Is that a mistake of the learner?
//
// We can ask for the best policy itself. **Value iteration** needs no playing: it starts with a value of 0 for each state, applies Bellman's
// equation to all 516 at once, and repeats until nothing changes. What comes out is exact, for a player who goes on for ever.
//
// **Predict, then run:** which of these discounts make the agent go for the treasure?

// %%
function bestPlay(
  process: DecisionProcess<TreasureState>,
  gamma: number,
): { value: number; actions: readonly string[]; won: boolean } {
  const values = valueIteration(process, { gamma });
  const best = (state: TreasureState): string =>
    [...actionValues(process, values, state, gamma)].reduce((most, other) =>
      other[1] > most[1] ? other : most,
    )[0];
  const { actions, success } = playEpisode(process, best, randomStream(seed, 'exact'));
  return { value: values.get(process.key(process.start))!, actions, won: success };
}

const discounts = [0.5, 0.9, 0.95, 0.98, 0.985, 0.99, 0.995];
const optimal = discounts.map((gamma) => ({ gamma, ...bestPlay(hunt, gamma) }));
table(
  optimal.map(({ gamma, value, actions, won }) => ({
    discount: gamma,
    'value of the start': value,
    'best play': won
      ? `wins in ${actions.length} moves`
      : `drops the key ${actions.filter((a) => a === 'drop red key').length} times in 50 moves`,
  })),
);

// %%
show({ type: 'values', ...treasureValueMap([0.99, 0.9]) });

// %% [markdown]
// Each box is a room, with what it is worth to stand there and what is best done. With a discount of 0.99 the best action with the key in the
// bag is to drop it, even with the guard beaten and the treasure next door. The learner is right. Its instructions are wrong.
//
// It is a near thing: at the start, farming for ever is worth {{01:game.farming|fixed2}} and the shortest way to the treasure
// {{01:game.shortestDiscounted|fixed2}}. A tie that close is left to the noise in the table, and so to luck, which seed learns to win and when.
// And it is no fault of discounting either. Without any discount, 50 moves bring {{01:game.bestIn50|fixed2}} at most, by farming first
// and taking the treasure with the last of them. The way that was meant pays {{01:game.return|fixed2}}.

// %%
const at = (gamma: number) => optimal.find((row) => row.gamma === gamma)!;
const shortestDiscounted = way.reduce((sum, { reward }, i) => sum + 0.99 ** i * reward, 0);
const bestIn50 = valueIteration(hunt, { gamma: 1, maxSweeps: 50 }).get(hunt.key(hunt.start))!;
check('with 0.99 the best player never wins', !at(0.99).won);
check(
  'because farming beats the shortest way',
  at(0.99).value > shortestDiscounted,
  `${at(0.99).value.toFixed(2)} > ${shortestDiscounted.toFixed(2)}`,
);
check('with 0.9 it goes straight to the treasure', at(0.9).won && at(0.9).actions.length === 11);
check('50 moves without a discount: more than the 243.5 that were meant', bestIn50 > 243.5, String(bestIn50));

// %% [markdown]
// ## Three cures
//
// 1. **Care less about later** ($\gamma = 0.9$). A farm pays little but for ever; discount "for ever" and the treasure wins.
// 2. **Pay once.** The second time the key is taken it pays nothing.
// 3. **Pay for having, not for taking.** Let $\Phi(s)$ (phi) be what the things in the bag are worth. Nothing is paid for taking, but each move earns
//    in addition $\gamma \Phi(s') - \Phi(s)$. Taking the key earns its worth, and dropping it costs as much. This is **potential-based shaping**.
//
// **Predict, then run:** all three remove the farm. Which one wins first?

// %%
const cures: Record<string, Learner> = {
  'γ = 0.9': { process: hunt, config: { gamma: 0.9 } },
  'paid once': { process: treasureProcess({ payOnce: true }) },
  'as a potential': { process: withoutPickUpPay(hunt), potential: treasureBagWorth },
};
const cured: Record<string, Run[]> = {};
async function trainCures(): Promise<void> {
  for (const [name, learner] of Object.entries(cures)) cured[name] = await trainAll(name, learner);
}
await trainCures();

// %%
const arms: Record<string, Run[]> = { 'as published': published, ...cured };
show({
  type: 'lines',
  title: 'The same learner, four rewards',
  width: 660,
  height: 300,
  description:
    'Share of games won: the three cures win nearly every game within a few thousand games, the published reward on the mean of five seeds much later.',
  xLabel: 'games played',
  yLabel: 'share won',
  series: Object.entries(arms).map(([name, runs]) =>
    band(
      name,
      runs.map(({ wins }) => wins),
    ),
  ),
  yRange: [0, 1],
});

// %%
function greedyMoves(process: DecisionProcess<TreasureState>, runs: Run[]): number[] {
  return runs.map(({ table: q }, i) => {
    const { actions, success } = playEpisode(
      process,
      greedyPolicy(process, q),
      randomStream(seeds[i]!, 'greedy'),
    );
    return success ? actions.length : Infinity;
  });
}
const reached = (runs: Run[], share: number): number[] =>
  runs.map(({ wins }) => (windowed(wins).findIndex((won) => won >= share) + 1 || Infinity) * window);
const say = (numbers: number[]): string =>
  numbers.map((n) => (n === Infinity ? 'never' : String(n))).join(', ');
table(
  Object.entries(arms).map(([name, runs]) => ({
    reward: name,
    'half of the games won by game': say(reached(runs, 0.5)),
    'moves of its best game at the end': say(greedyMoves(hunt, runs)),
  })),
  { caption: `One number a seed (${seeds.join(', ')})` },
);

// %% [markdown]
// The three cures find the way of eleven moves, and thousands of games earlier. Discounting wins first here, but it is the cure with the shortest
// sight: of a treasure a hundred moves away $0.9^{100}$ is left, a forty-thousandth. Paying once needs a memory of what was paid; the agent
// does not see it, and the game grows from {{01:game.states}} to {{01:game.statesPaidOnce|integer}} states. The potential needs neither. It has a proof: whatever
// $\Phi$ is, the best policy stays the best, because around any loop what was earned is given back. You will write it below.
//
// This is how values spread under the first cure. After 200 games the agent knows the key and nothing of the treasure. After 1,000 the treasure
// is known and its value has run back to the entrance, though in the guard room it still thinks of the key. After 2,000 games each room names the way on,
// and the numbers are nearly those of the exact map above.

// %%
const watched = cured['γ = 0.9']![0]!;
show({
  type: 'values',
  ...treasureMap({
    title: 'What the agent thinks each room is worth',
    description:
      'Learned values after 200, 1,000 and 2,000 games with a discount of 0.9: they rise from the treasure backwards, and after 2,000 games each room names the next move towards it.',
    shown: [treasureSituations[0]!, treasureSituations[2]!],
    rows: snapshots.map((games) => ({
      title: `after ${games} games`,
      assess: learnedAssessment(watched.earlier.get(games)!),
    })),
  }),
});

// %%
const learnedStart = Math.max(...watched.earlier.get(2000)!.get(hunt.observe(hunt.start))!.values);
check(
  'after 2,000 games the start is worth what value iteration says, within 1 %',
  Math.abs(learnedStart / at(0.9).value - 1) < 0.01,
  `${learnedStart.toFixed(1)} and ${at(0.9).value.toFixed(1)}`,
);
const moves = Object.entries(cures).map(([name, { process }]) => greedyMoves(process, cured[name]!));
check(
  'under each cure at least four fifths of the seeds find the way of 11 moves',
  moves.every((ofCure) => ofCure.filter((n) => n === 11).length >= 0.8 * ofCure.length),
  moves.map(say).join(' | '),
);

// %% [markdown]
// ## Exercise: a hint that cannot be farmed
//
// Someone wants to help the agent with a hint $\Phi(s)$, a number that says how promising a state looks, and pays it out at every move. As
// the starter below stands, that can be farmed: one just stays where $\Phi$ is high. Mend `shaped` so that each move earns
//
// $$r + \gamma\,\Phi(s') - \Phi(s), \qquad \text{with } \Phi(s') = 0 \text{ when the game is over.}$$
//
// The cases are strict: under your rewards the best player must still take the shortest way, even with a foolish hint. First the cases, then your cell.

// %%
type Shape = (
  game: DecisionProcess<TreasureState>,
  potential: (state: TreasureState) => number,
  gamma: number,
) => DecisionProcess<TreasureState>;
const bare = withoutPickUpPay(hunt);
const foolish = ({ room }: TreasureState): number => (room === 'storage' ? 50 : 0);
const close = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6;

// %%
function testShaped(shaped: Shape): void {
  const [gamma, luck] = [0.99, randomStream(seed, 'none needed')];
  const game = shaped(bare, treasureBagWorth, gamma);
  const taken = game.step({ ...treasureStart, room: 'storage' }, 'take red key', luck);
  const dropped = game.step(taken.next, 'drop red key', luck);
  check('taking the key earns −0.5 + 0.99 · 5 − 0 = 4.45', close(taken.reward, 4.45), `here ${taken.reward}`);
  check(
    'dropping it costs: −0.5 + 0.99 · 0 − 5 = −5.5',
    close(dropped.reward, -5.5),
    `here ${dropped.reward}`,
  );
  for (const hint of [treasureBagWorth, foolish]) {
    const { actions, won } = bestPlay(shaped(bare, hint, gamma), gamma);
    check('the best player still wins in 11 moves', won && actions.length === 11, `here ${actions.length}`);
  }
  const [plain, hinted] = [bare, game].map((process) => valueIteration(process, { gamma }));
  const value = (values: Map<string, number>, state: TreasureState): number => values.get(hunt.key(state))!;
  const agree = underWay.every(({ state }) =>
    close(value(hinted!, state), value(plain!, state) - treasureBagWorth(state)),
  );
  check('each value is the old one less Φ, in all states', agree);
}

// %% tags=["exercise"]
function shaped(
  game: DecisionProcess<TreasureState>,
  potential: (state: TreasureState) => number,
  gamma: number,
): DecisionProcess<TreasureState> {
  return {
    ...game,
    step: (state, action, random) => {
      const transition = game.step(state, action, random);
      // TODO: pay for getting nearer, not for being there
      return { ...transition, reward: transition.reward + gamma * potential(transition.next) };
    },
  };
}
await exercise({
  id: 'shaping',
  hint: 'subtract what the state before the move was worth; the discount belongs to the state after it, and transition.done says that the game is over',
  cases: () => testShaped(shaped),
});

// %% [markdown]
// ## What a table cannot do
//
// The agent learned this one game. Paint the key blue, and each row of its table that has seen the key is a row about another world.

// %%
const final = cured['γ = 0.9']![0]!.table;
const aboutKey = [...final.keys()].filter((sight) => sight.includes('red key')).length;
console.log(`${aboutKey} of ${final.size} rows mention the red key`);
check('more than half of what it knows is about the colour of a key', aboutKey > final.size / 2);

// %% [markdown]
// A table has four limits: it needs thousands of games (with a real guard, each would hurt), nothing carries over to another game, nothing that
// is known beforehand can be put in, and its actions must be a short closed list, so that a row can hold a number for each.
//
// A language model is the other way round. It has read what keys are for; asked to play this very game, one was reported, in the book that the game
// comes from, to win its first try, in 18 moves. Its actions are texts, of which there is no list. In the rest of the course the policy is such a model, a very small one. What stays
// is what you have here: states, actions, rewards, returns, and a reward that may not mean what you meant.

// %%
const range = (values: number[]): { value: number; low: number; high: number } => {
  const { mean, min, max } = overSeeds(values);
  return { value: mean, low: min, high: max };
};
const lastWins = (runs: Run[]): ReturnType<typeof range> =>
  range(runs.map(({ wins }) => windowed(wins).at(-1)!));
const exact = {
  states: states.size,
  statesPaidOnce: explore(treasureProcess({ payOnce: true })).size,
  sights: sights.size,
  moves: way.length,
  return: way.at(-1)!.total,
  farming: at(0.99).value,
  shortestDiscounted,
  bestIn50,
  delay: 0.5 + (1 - 0.99) * at(0.99).value,
};

// %%
await saveResults('01', {
  game: exact,
  published: {
    first: range(publishedWins.map((wins) => windowed(wins)[0]!)),
    last: lastWins(published),
    foundEarly: firstWins.filter((game) => game > 0 && game <= 500).length,
    takingAgain: again,
    dropsAtRandom,
    dropsWhileLosing: overSeeds(losing).mean,
    states: range(published.map(({ table: q }) => q.size)),
  },
  cures: {
    discount: lastWins(cured['γ = 0.9']!),
    once: lastWins(cured['paid once']!),
    potential: lastWins(cured['as a potential']!),
  },
});

// %% [markdown]
// ## Summary
//
// - An agent acts, an environment answers with a reward; a policy says what to do, a value what it will bring.
// - Q-learning corrects one guess a move by the surprise $r + \gamma \max Q(s', a') - Q(s, a)$; all of it is thirty lines.
// - As published it wins {{01:published.first|percent}} of its first 500 games. It is not lost: in games 1,501 to 2,000 it earns {{01:published.takingAgain}} points a game by taking again what it has dropped, because that pays every time.
// - The farm is the optimum of the reward as written. The learner was right; the reward was wrong.
// - A shorter sight, paying once, or a potential cure it. Only the potential comes with a proof, for any hint.
//
// **Next:** [2 · An environment](02-environment.ipynb), a world in which a policy acts by writing.
