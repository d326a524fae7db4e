/** The trained agent, at work in the page. */
import { describeProblem, renderSvg } from '../../envs/index.js';
import { escapeMarkup } from '../../markup.js';
import { disposeModel } from '../../model/index.js';
import { draw, type DrawResult } from '../../recipes/diagram/draw.js';
import { drawingInWords } from './canvas.js';
import { codeWords } from './canvas-codes.js';
import { defineDemo, type Demo } from './demo.js';
import { readModel, readTokenizer } from './stored-model.js';
import { scrollBox } from './view-html.js';

export const drawDemo: Demo = defineDemo({
  name: 'draw',
  title: 'Ask the agent for a diagram',
  question: 'This is the agent that the book trains, a million weights in your browser. What can it draw?',
  hint: '“Connect Teacher to Student and Exam.” Then use a word that it has never seen, such as “Elephant”, and see what becomes of it.',
  controls: {
    request: {
      type: 'text',
      label: 'What to draw, in English',
      ...{ lines: 1, maxLength: 200, start: 'Three tiers: Browser, API, Database' },
    },
    direction: {
      type: 'choice',
      label: 'Arrows run',
      options: { LR: 'to the right', TB: 'down', RL: 'to the left', BT: 'up' },
      start: 'LR',
    },
    temperature: { type: 'range', label: 'Temperature', min: 0, max: 1.5, step: 0.1, start: 0 },
    samples: { type: 'range', label: 'Draw several, keep the best of', min: 1, max: 8, step: 1, start: 1 },
    seed: { type: 'range', label: 'Seed of the dice', min: 1, max: 20, step: 1, start: 1 },
  },
  auto: false,
  showsAtFirst: true,
  seconds: 60,
  needs: ['wasm', 'tokenizer', 'agent'],
  async run(
    { request, direction, temperature, samples, seed },
    { show, progress, read, signal, startBackend },
  ) {
    progress(0.1, 'Starting');
    await startBackend();
    const tokenizer = await readTokenizer(read);
    const model = await readModel(read, 'diagram/agent/grpo');
    try {
      progress(0.5, 'Drawing');
      // without dice all samples are the same
      const bestOf = temperature === 0 ? 1 : samples;
      const result = await draw({ model, tokenizer, request, direction, temperature, seed, bestOf, signal });
      const { canvas, reply } = result;
      show('drawing', { svg: renderSvg(canvas), alt: drawingInWords(canvas) });
      const words = `${tokenizer.encode(reply).length} tokens that the agent wrote`;
      show('reply', {
        html: `<details class="demo-data"><summary>${words}</summary>${scrollBox('Reply', `<pre>${escapeMarkup(reply)}</pre>`)}</details>`,
      });
      const alike = bestOf < samples ? ' At temperature 0 all samples are the same, so it drew one.' : '';
      return inWords(result) + alike;
    } finally {
      disposeModel(model);
    }
  },
});

function inWords({ canvas: { shapes, edges }, problems, strangeLabels }: DrawResult): string {
  const found = problems.map((problem) => `${describeProblem(problem)} (${codeWords[problem.code]})`);
  if (shapes.length === 0)
    return `Its reply drew nothing: ${found.join(', ') || 'it has no shapes'}. Use other words, or several samples.`;
  const counted = `${shapes.length} boxes and ${edges.length} arrows`;
  const flaws = found.length === 0 ? 'no problems of form or layout' : `problems: ${found.join(', ')}`;
  const strange =
    strangeLabels.length === 0
      ? ''
      : ` Words that you did not say: ${strangeLabels.map((label) => `“${label}”`).join(', ')}.`;
  return `${counted}, ${flaws}.${strange}`;
}
