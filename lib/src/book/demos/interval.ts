/** How far a share of successes can be believed. */
import { percent, percentWithInterval, type Point } from '../../display/index.js';
import { wilsonInterval } from '../../eval/index.js';
import { defineDemo, type Demo } from './demo.js';

/** Numbers of trials at which the interval is drawn. */
const TRIALS = [5, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400] as const;

export const interval: Demo = defineDemo({
  name: 'interval',
  title: 'How sure is a success rate?',
  question: 'So many of so many trials succeeded. Which true rates would not be surprised by that?',
  hint: 'take 0 of 10. The textbook formula is certain that it never works; what does Wilson’s say?',
  controls: {
    successes: { type: 'range', label: 'Successes', min: 0, max: 400, step: 1, start: 9 },
    trials: { type: 'range', label: 'Trials', min: 1, max: 400, step: 1, start: 20 },
  },
  auto: true,
  seconds: 5,
  needs: [],
  async run({ successes, trials }, { show }) {
    const counted = Math.min(successes, trials);
    const { value, low, high } = wilsonInterval(counted, trials);
    const half = 1.96 * Math.sqrt((value * (1 - value)) / trials);
    show('intervals', {
      half: true,
      figure: {
        type: 'dots',
        title: `${counted} of ${trials}: 95 % intervals`,
        description: `Wilson’s interval goes from ${percent(low)} to ${percent(high)}, the textbook’s from ${percent(value - half)} to ${percent(value + half)}.`,
        xLabel: 'true success rate',
        dots: [
          { name: 'Wilson', value, low, high },
          { name: 'p ± 1.96 se', value, low: value - half, high: value + half },
        ],
      },
    });
    const band: Point[] = TRIALS.map((n) => {
      const { value: y, ...range } = wilsonInterval(value * n, n);
      return { x: n, y, low: range.low, high: range.high };
    });
    show('trials', {
      half: true,
      figure: {
        type: 'lines',
        title: 'The same rate from more trials',
        description: `At a rate of ${percent(value)} the interval narrows with the square root of the trials: four times the trials, half the width.`,
        xLabel: 'trials',
        yLabel: 'success rate, 95 %',
        yRange: [0, 1],
        series: [{ name: 'rate', points: band }],
      },
    });
    const capped = counted < successes ? `There are ${trials} trials, so at most ${trials} successes. ` : '';
    const needed = Math.ceil((value * (1 - value) * 1.96 ** 2) / 0.05 ** 2);
    const width = needed > trials ? ` To know it to ±5 points you need some ${needed} trials.` : '';
    return `${capped}${counted} of ${trials} is ${percentWithInterval(value, low, high)}.${width}`;
  },
});
