/** From n samples of which c succeeded to the chance that at least one of k does. */
import { percent, type Point } from '../../display/index.js';
import { passAtK } from '../../eval/index.js';
import { defineDemo, type Demo } from './demo.js';

export const passAtKDemo: Demo = defineDemo({
  name: 'pass-at-k',
  title: 'pass@k from n samples',
  question: 'You drew n samples and c succeeded. How often does at least one of k succeed?',
  hint: 'draw 10 samples with 1 success and look at k = 10. Which of the two formulas is certain, and why?',
  controls: {
    samples: { type: 'range', label: 'Samples drawn, n', min: 2, max: 200, step: 1, start: 20 },
    correct: { type: 'range', label: 'Successes among them, c', min: 0, max: 200, step: 1, start: 3 },
    k: { type: 'range', label: 'Tries that are allowed, k', min: 1, max: 200, step: 1, start: 8 },
  },
  auto: true,
  seconds: 5,
  needs: [],
  async run({ samples, correct, k }, { show }) {
    const [c, tries] = [Math.min(correct, samples), Math.min(k, samples)];
    const all = Array.from({ length: samples }, (_, i) => i + 1);
    const line = (of: (k: number) => number): Point[] => all.map((x) => ({ x, y: of(x) }));
    const plugIn = (tries: number): number => 1 - (1 - c / samples) ** tries;
    const [estimate, biased] = [passAtK(samples, c, tries), plugIn(tries)];
    const capped = [
      ...(c < correct ? [`c is at most n: ${c}.`] : []),
      ...(tries < k ? [`k is at most n: ${tries}.`] : []),
    ];
    const words = [
      ...capped,
      `pass@${tries} is ${percent(estimate)}. Putting c/n = ${percent(c / samples)} into 1 − (1 − p)^k would give ${percent(biased)}`,
    ].join(' ');
    show('curve', {
      figure: {
        type: 'lines',
        title: `pass@k from ${samples} samples, ${c} of them right`,
        description: `Both curves rise with k; the unbiased one lies above the plug-in formula wherever they differ. ${words}.`,
        xLabel: 'k, tries',
        yLabel: 'at least one succeeds',
        yRange: [0, 1],
        series: [
          { name: 'pass@k, unbiased', points: line((x) => passAtK(samples, c, x)) },
          { name: '1 − (1 − c/n)^k', points: line(plugIn) },
          { name: `k = ${tries}`, points: [{ x: tries, y: estimate }] },
        ],
      },
    });
    return `${words}, ${(100 * (estimate - biased)).toFixed(1)} points less.`;
  },
});
