/** Supervised fine-tuning of the base, in the page. */
import { short, type Point, type Series } from '../../display/index.js';
import { createLocalEngine, type Engine } from '../../engine/index.js';
import { renderSvg } from '../../envs/index.js';
import { generateTask } from '../../envs/diagram/tasks/index.js';
import { eventLoopTurn } from '../../event-loop.js';
import { escapeMarkup } from '../../markup.js';
import { disposeModel, sampleKeys } from '../../model/index.js';
import { stopTokens, type Tokenizer } from '../../text/index.js';
import { sft, type SFTRow } from '../../trainers/index.js';
import { drawingInWords, perform, type Performance } from './canvas.js';
import { defineDemo, type Demo, type Stage, type View } from './demo.js';
import { exampleTask, requestOf } from './example-task.js';
import { rowOf } from './loss-mask.js';
import { readModel, readTokenizer } from './stored-model.js';
import { costByKind, costsOf, costStrip, type TokenCost, type TokenKind } from './surprise.js';
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
  hint: 'run 20 steps, then 60. What does it learn first: the form of a reply, the numbers, or the words?',
  controls: {
    steps: { type: 'range', label: 'Steps of training', min: 5, max: 100, step: 5, start: 60, unit: 'steps' },
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
    const unseenRow = rowOf(UNSEEN, tokenizer, true);
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
      const kinds: KindCosts[] = [];
      for await (const { step, metrics } of sft({ engine, rows, config, signal })) {
        const loss = metrics['loss'] ?? NaN;
        losses.push({ x: step, y: loss });
        progress(step / steps, `Step ${step} of ${steps}: loss ${short(loss)}`);
        show('loss', lossView(losses));
        const costs = await costsOf(engine, tokenizer, unseenRow);
        kinds.push({ step, ...costByKind(costs) });
        show('kinds', kindsView(kinds));
        show('costs', costsView(costs));
        await eventLoopTurn();
      }
      const reply = await replyTo(engine, tokenizer);
      show('after', replyView(`After ${losses.length} steps`, reply));
      const performance = perform(reply);
      const { canvas } = performance;
      if (canvas.shapes.length > 0) show('drawing', { svg: renderSvg(canvas), alt: drawingInWords(canvas) });
      return inWords(losses, kinds, performance);
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

function replyView(title: string, reply: string): View {
  const about = `${title}: its reply to ${requestOf(UNSEEN)}`;
  return {
    html: `<p class="demo-caption">${escapeMarkup(about)}</p>${scrollBox(about, `<pre class="demo-reply">${escapeMarkup(reply) || '(nothing)'}</pre>`)}`,
  };
}

function lossView(losses: readonly Point[]): View {
  return {
    half: true,
    figure: {
      type: 'lines',
      title: 'Loss of each step',
      description: `From ${short(losses[0]!.y)} at the first step to ${short(losses.at(-1)!.y)} at step ${losses.length}.`,
      xLabel: 'step',
      yLabel: 'loss, nats a token',
      height: 240,
      series: [{ name: 'loss', points: losses }],
    },
  };
}

/** What the tokens of the unseen reply cost after a step, on average. */
interface KindCosts extends Readonly<Record<TokenKind, number>> {
  readonly step: number;
}

function kindsView(kinds: readonly KindCosts[]): View {
  const { form, numbers, words } = kinds.at(-1)!;
  const line = (name: TokenKind): Series => ({
    name,
    points: kinds.map((each) => ({ x: each.step, y: each[name] })),
  });
  return {
    half: true,
    figure: {
      type: 'lines',
      title: 'An unseen reply, by kind of token',
      description: `After step ${kinds.length} a token of the form costs ${short(form)} nats, a number ${short(numbers)}, a word ${short(words)}.`,
      xLabel: 'step',
      yLabel: 'nats a token',
      height: 240,
      series: [line('form'), line('numbers'), line('words')],
    },
  };
}

function costsView(costs: readonly TokenCost[]): View {
  const dearest = costs.toSorted((a, b) => b.cost - a.cost).slice(0, 3);
  const named = dearest.map(({ text, cost }) => `${text.trim()} ${cost.toFixed(1)}`).join(', ');
  const caption = `The teacher’s reply to it: the darker a token, the more it surprises the model. Most: ${named} nats.`;
  return { html: `<p class="demo-caption">${escapeMarkup(caption)}</p>${costStrip(costs)}` };
}

function inWords(
  losses: readonly Point[],
  kinds: readonly KindCosts[],
  { log, canvas }: Performance,
): string {
  const last = kinds.at(-1);
  if (last === undefined) return 'Stopped before the first step.';
  const counted = `${losses.length} ${losses.length === 1 ? 'step' : 'steps'}`;
  const fell = `In ${counted} the loss went from ${short(losses[0]!.y)} to ${short(losses.at(-1)!.y)} nats a token.`;
  const left = `On the unseen reply a token of the form now costs ${short(last.form)}, a number ${short(last.numbers)}, a word ${short(last.words)}.`;
  const drawn = log.parsed
    ? `Its own reply can be read and draws ${canvas.shapes.length} boxes: look whether they are the ones that were asked for.`
    : 'Its own reply is not yet JSON that can be read: nothing is drawn.';
  return `${fell} ${left} ${drawn}`;
}
