/** Q-learning on the treasure hunt, watched while it learns. */
import { percent, short, type Point } from '../../display/index.js';
import { treasureProcess, treasureRooms } from '../../envs/index.js';
import { learnedAssessment, situations, treasureMap } from '../../recipes/trainers/treasure-map.js';
import { greedyPolicy, playEpisode, qLearning, type QTable } from '../../tabular/index.js';
import { randomStream } from '../../tensor/index.js';
import { defineDemo, type Demo } from './demo.js';

/** Stretches of episodes that are counted together. */
const WINDOWS = 20;

export const qLearningDemo: Demo = defineDemo({
  name: 'q-learning',
  title: 'Watch a table learn the hunt',
  question: 'The agent is paid for every pick-up. Does it learn to fetch the treasure, or something else?',
  hint: 'run it as it is and look at the drops. Then pay each pick-up once, or lower γ to 0.9, and run again.',
  controls: {
    episodes: { type: 'range', label: 'Games', min: 500, max: 6000, step: 500, start: 3000 },
    gamma: { type: 'range', label: 'Discount γ', min: 0.5, max: 0.99, step: 0.01, start: 0.99 },
    epsilon: {
      type: 'range',
      label: 'Least share of random moves, ε',
      min: 0,
      max: 0.5,
      step: 0.05,
      start: 0.1,
    },
    payOnce: { type: 'switch', label: 'Pay each pick-up only once', start: false },
    situation: {
      type: 'choice',
      label: 'Map of',
      options: { 0: situations[0]!.title, 1: situations[1]!.title, 2: situations[2]!.title },
      start: '1',
    },
    seed: { type: 'range', label: 'Seed', min: 1, max: 10, step: 1, start: 1 },
  },
  auto: false,
  seconds: 60,
  needs: [],
  async run({ episodes, gamma, epsilon, payOnce, situation, seed }, { show, progress, signal }) {
    const process = treasureProcess({ payOnce });
    const config = { numEpisodes: episodes, gamma, epsilonEnd: epsilon, seed };
    const window = episodes / WINDOWS;
    const curves: { readonly wins: Point[]; readonly drops: Point[] } = { wins: [], drops: [] };
    let [wins, drops] = [0, 0];
    let table: QTable<string> = new Map();
    for await (const step of qLearning({ process, config, signal })) {
      table = step.table;
      wins += step.metrics['success'] ?? 0;
      drops += step.actions.filter((action) => action.startsWith('drop ')).length;
      if (step.episode % window > 0) continue;
      curves.wins.push({ x: step.episode, y: wins / window });
      curves.drops.push({ x: step.episode, y: drops / window });
      [wins, drops] = [0, 0];
      progress(step.episode / episodes, `${step.episode} of ${episodes} games`);
      showCurves(curves, show);
      showMap(table, situations[Number(situation)]!, show);
    }
    if (curves.wins.length === 0) return 'Stopped before the first games were counted.';
    const random = randomStream(seed, 'demo/q-learning');
    const game = playEpisode(process, greedyPolicy(process, table), random);
    const [won, dropped] = [curves.wins.at(-1)!.y, curves.drops.at(-1)!.y];
    return `Of the last ${window} games it won ${percent(won, 0)}, with ${dropped.toFixed(1)} drops a game. Without random moves it ${game.success ? `wins in ${game.actions.length} moves` : `does not win: it ends with a sum of ${short(game.return)}`}.`;
  },
});

type Show = Parameters<Demo['run']>[1]['show'];

function showCurves({ wins, drops }: { readonly wins: Point[]; readonly drops: Point[] }, show: Show): void {
  show('wins', {
    half: true,
    figure: {
      type: 'lines',
      title: 'Games won',
      description: `Share of games won, from ${percent(wins[0]!.y, 0)} in the first stretch to ${percent(wins.at(-1)!.y, 0)} in the last.`,
      xLabel: 'games',
      yLabel: 'share won',
      yRange: [0, 1],
      height: 220,
      series: [{ name: 'won', points: wins }],
    },
  });
  show('drops', {
    half: true,
    figure: {
      type: 'lines',
      title: 'Items dropped in a game',
      description: `Drops a game, from ${short(drops[0]!.y)} in the first stretch to ${short(drops.at(-1)!.y)} in the last. Many drops: it farms the pick-up.`,
      xLabel: 'games',
      yLabel: 'drops a game',
      height: 220,
      series: [{ name: 'drops', points: drops }],
    },
  });
}

function showMap(table: QTable<string>, situation: (typeof situations)[number], show: Show): void {
  const assess = learnedAssessment(table);
  const known = situationIsKnown(situation, assess);
  if (!known)
    return show('map', {
      text: `It has not yet been where the map is of: ${situation.title.toLowerCase()}.`,
    });
  show('map', {
    figure: {
      type: 'values',
      ...treasureMap({
        title: 'What it thinks each room is worth',
        description: `The best action of each room and its value, with this in hand: ${situation.title.toLowerCase()}.`,
        rows: [{ title: 'learned so far', assess }],
        shown: [situation],
      }),
    },
  });
}

function situationIsKnown(
  { state }: (typeof situations)[number],
  assess: ReturnType<typeof learnedAssessment>,
): boolean {
  return treasureRooms.some((room) => assess({ ...state, room }) !== undefined);
}
