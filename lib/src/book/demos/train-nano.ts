/** Supervised fine-tuning of the base, in the page. */
import { short, type Point } from '../../display/index.js';
import { createLocalEngine, type Engine } from '../../engine/index.js';
import { renderSvg } from '../../envs/index.js';
import { generateTask } from '../../envs/diagram/tasks/index.js';
import { eventLoopTurn } from '../../event-loop.js';
import { escapeMarkup } from '../../markup.js';
import { disposeModel, sampleKeys } from '../../model/index.js';
import { stopTokens, type Tokenizer } from '../../text/index.js';
import { sft, type SFTRow } from '../../trainers/index.js';
import { drawingInWords, perform } from './canvas.js';
import { defineDemo, type Demo, type Stage } from './demo.js';
import { exampleTask, requestOf } from './example-task.js';
import { rowOf } from './loss-mask.js';
import { readModel, readTokenizer } from './stored-model.js';
import { scrollBox } from './view-html.js';

/** A request that no training saw. */
const UNSEEN = generateTask({ seed: 7, split: 'id', index: 8, profile: 'curriculum' });
/** Examples that are made; a longer training sees them again. */
const MOST_EXAMPLES = 240;
const REPLY_TOKENS = 160;

export const trainNano: Demo = defineDemo({
  name: 'train-nano',
  title: 'Train a language model in this page',
  question: 'The base has read books and JSON, never a diagram. How many steps until its replies draw?',
  hint: 'run 10 steps, then 60. What does it learn first: the form of a reply, or what was asked for?',
  controls: {
    steps: { type: 'range', label: 'Steps of training', min: 5, max: 100, step: 5, start: 30, unit: 'steps' },
    batch: { type: 'range', label: 'Examples in a step', min: 2, max: 16, step: 2, start: 8 },
    learningRate: {
      type: 'choice',
      label: 'Learning rate',
      options: { '0.0003': '0.0003', '0.001': '0.001', '0.003': '0.003', '0.03': '0.03' },
      start: '0.003',
    },
  },
  auto: false,
  seconds: 240,
  needs: ['wasm', 'tokenizer', 'base'],
  async run({ steps, batch, learningRate }, stage) {
    const { show, progress, read, signal, startBackend } = stage;
    progress(0, 'Starting');
    await startBackend();
    const tokenizer = await readTokenizer(read);
    const model = await readModel(read, 'base');
    const engine = createLocalEngine(model);
    try {
      show('before', replyView('Before', await replyTo(engine, tokenizer)));
      const rows = await examples(tokenizer, Math.min(MOST_EXAMPLES, steps * batch), stage);
      const config = {
        maxSteps: steps,
        batchSize: batch,
        learningRate: Number(learningRate),
        warmupSteps: 5,
        seed: 7,
      };
      const losses: Point[] = [];
      for await (const { step, metrics } of sft({ engine, rows, config, signal })) {
        losses.push({ x: step, y: metrics['loss'] ?? NaN });
        progress(step / steps, `Step ${step} of ${steps}: loss ${short(metrics['loss'] ?? NaN)}`);
        show('loss', lossView(losses));
        await eventLoopTurn();
      }
      const reply = await replyTo(engine, tokenizer);
      show('after', replyView(`After ${losses.length} steps`, reply));
      const { canvas, log } = perform(reply);
      if (canvas.shapes.length > 0) show('drawing', { svg: renderSvg(canvas), alt: drawingInWords(canvas) });
      return inWords(losses, log.parsed, canvas.shapes.length);
    } finally {
      engine.dispose();
      disposeModel(model);
    }
  },
});

async function examples(tokenizer: Tokenizer, count: number, { progress, signal }: Stage): Promise<SFTRow[]> {
  const rows: SFTRow[] = [];
  for (let number = 1; number <= count && !signal.aborted; number += 1) {
    rows.push(rowOf(exampleTask(number), tokenizer, true));
    if (number % 16 > 0) continue;
    progress(0, `The teacher draws example ${number} of ${count}`);
    await eventLoopTurn();
  }
  return rows;
}

/** What it says to the unseen request, always taking the likeliest token. */
async function replyTo(engine: Engine, tokenizer: Tokenizer): Promise<string> {
  const { prompt } = rowOf(UNSEEN, tokenizer, true);
  const params = { maxNewTokens: REPLY_TOKENS, temperature: 0, stopTokens: stopTokens(tokenizer) };
  const [sample] = await engine.sample([prompt], params, sampleKeys(1, 1, 'demo/train-nano'));
  return tokenizer.decode(sample!.tokens, { skipSpecial: true });
}

function replyView(title: string, reply: string): { readonly html: string } {
  const about = `${title}: its reply to ${requestOf(UNSEEN)}`;
  return {
    html: `<p class="demo-caption">${escapeMarkup(about)}</p>${scrollBox(about, `<pre class="demo-reply">${escapeMarkup(reply) || '(nothing)'}</pre>`)}`,
  };
}

function lossView(losses: readonly Point[]): Parameters<Stage['show']>[1] {
  return {
    figure: {
      type: 'lines',
      title: 'Loss of each step',
      description: `From ${short(losses[0]!.y)} at the first step to ${short(losses.at(-1)!.y)} at step ${losses.length}.`,
      xLabel: 'step',
      yLabel: 'loss, nats a token',
      height: 220,
      series: [{ name: 'loss', points: losses }],
    },
  };
}

function inWords(losses: readonly Point[], parsed: boolean, shapes: number): string {
  const fell = `The loss went from ${short(losses[0]?.y ?? NaN)} to ${short(losses.at(-1)?.y ?? NaN)} nats a token in ${losses.length} ${losses.length === 1 ? 'step' : 'steps'}.`;
  if (!parsed) return `${fell} Its reply is not yet JSON that can be read: nothing is drawn.`;
  return `${fell} Its reply can be read and draws ${shapes} boxes; look whether they are the ones that were asked for.`;
}
