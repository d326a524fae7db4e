/** Softmax by temperature, and what is drawn from it. */
import { short } from '../../display/index.js';
import { softmax } from '../../tabular/index.js';
import { drawToken, randomStream } from '../../tensor/index.js';
import { defineDemo, type Demo } from './demo.js';
import { shareTable } from './share-table.js';

/** What a model might think comes after “The cat sat on the”. */
const WORDS = ['mat', 'sofa', 'roof', 'table', 'moon'] as const;
const LOGITS = [2.5, 1.8, 1, 0.4, -1.5] as const;

export const temperature: Demo = defineDemo({
  name: 'temperature',
  title: 'Temperature',
  question: 'The same model, the same logits: what does the temperature change?',
  hint: 'go to 0.1, then to 3. Which word gains most, and which stays the most likely whatever you do?',
  controls: {
    temperature: { type: 'range', label: 'Temperature T', min: 0.05, max: 4, step: 0.05, start: 1 },
    draws: { type: 'range', label: 'Words drawn', min: 10, max: 2000, step: 10, start: 200, unit: 'draws' },
    seed: { type: 'range', label: 'Seed of the dice', min: 1, max: 20, step: 1, start: 7 },
  },
  auto: true,
  seconds: 5,
  needs: [],
  async run({ temperature, draws, seed }, { show }) {
    const probabilities = tempered(temperature);
    const counts = drawn(probabilities, draws, seed);
    show('words', {
      html: shareTable({
        caption: 'After “The cat sat on the”',
        columns: ['word', 'logit', 'probability', `drawn, of ${draws}`],
        rows: WORDS.map((name, i) => ({
          name,
          facts: [short(LOGITS[i] as number)],
          shares: [probabilities[i] as number, (counts[i] as number) / draws],
        })),
      }),
    });
    const entropy = -probabilities.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
    const percentOf = (i: number): string => `${Math.round(100 * (probabilities[i] as number))} %`;
    return `At T = ${short(temperature)} “mat” has ${percentOf(0)} and “moon” ${percentOf(4)}; the entropy is ${entropy.toFixed(2)} of at most ${Math.log(WORDS.length).toFixed(2)} nats.`;
  },
});

/** `softmax(logits / T)`, one for each word. */
export function tempered(temperature: number): number[] {
  return softmax(LOGITS.map((logit) => logit / temperature));
}

/** How often each word comes in so many draws. */
export function drawn(probabilities: readonly number[], draws: number, seed: number): number[] {
  const random = randomStream(seed, 'demo/temperature');
  const counts = probabilities.map(() => 0);
  for (let i = 0; i < draws; i += 1) {
    const { token } = drawToken(Float32Array.from(probabilities), { temperature: 1 }, random.uniform());
    counts[token]! += 1;
  }
  return counts;
}
