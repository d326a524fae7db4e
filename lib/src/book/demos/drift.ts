/** Mistakes that add up, and mistakes that are mended. */
import { short, type Point } from '../../display/index.js';
import { expectedReturns } from '../../tabular/index.js';
import { forest, type PathState } from '../../recipes/trainers/forest-path.js';
import { defineDemo, type Demo } from './demo.js';

/** The forest of one seed: which move is right where. */
const FOREST = 1;

export const drift: Demo = defineDemo({
  name: 'drift',
  title: 'Does a mistake stay a mistake?',
  question:
    'Two walkers err as often on the path. One has never seen the forest beside it. What does that cost?',
  hint: 'double the moves: which cost doubles, and which grows faster? Then lower ε to 0.2 % and double them again.',
  controls: {
    moves: {
      type: 'range',
      label: 'Length of the walk, T',
      min: 8,
      max: 512,
      step: 8,
      start: 64,
      unit: 'moves',
    },
    error: {
      type: 'range',
      label: 'Errs on the path, ε',
      ...{ min: 0.2, max: 20, step: 0.2, start: 1, unit: '%' },
    },
  },
  auto: true,
  seconds: 10,
  needs: [],
  async run({ moves, error }, { show }) {
    const [imitator, learner] = (['imitator', 'learner'] as const).map((who) =>
      costs(who, moves, error / 100),
    );
    const line = (costs: readonly number[]): Point[] => costs.map((y, i) => ({ x: i + 1, y }));
    const [lost, mended] = [imitator!.at(-1)!, learner!.at(-1)!];
    const growth = (costs: readonly number[]): number => costs.at(-1)! / costs[moves / 2 - 1]!;
    show('cost', {
      figure: {
        type: 'lines',
        title: 'Moves off the path',
        description: `After ${moves} moves the imitator has spent ${short(lost)} of them off the path, the one who practised ${short(mended)}.`,
        xLabel: 'moves made',
        yLabel: 'of them off the path',
        series: [
          { name: 'learned from the expert’s walks', points: line(imitator!) },
          { name: 'learned from its own walks', points: line(learner!) },
        ],
      },
    });
    return `After ${moves} moves: ${short(lost)} off the path against ${short(mended)}. From ${moves / 2} to ${moves} moves the first cost grew ${short(growth(imitator!))}-fold, the second ${short(growth(learner!))}-fold.`;
  },
});

/**
 * Expected moves off the path after 1, 2, … moves. Both err with probability ε on the path. Off it the imitator, who was never there,
 * moves at random; the learner errs as often as on it.
 */
export function costs(who: 'imitator' | 'learner', moves: number, error: number): number[] {
  const { process, expert } = forest(FOREST, moves);
  const policy = (state: PathState): readonly number[] => {
    const choices = process.actions(state);
    const lost = who === 'imitator' && state.away > 0;
    const wrong = lost ? 1 / choices.length : error / (choices.length - 1);
    return choices.map((move) => (move === expert(state) ? 1 - wrong * (choices.length - 1) : wrong));
  };
  return expectedReturns(process, policy, moves).map((earned) => 0 - earned);
}
