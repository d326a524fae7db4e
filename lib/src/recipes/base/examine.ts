/** Is the base model fluent in what it was trained on? Measured on text and exercises it never saw. */
import type { Engine } from '../../engine/index.js';
import { sampleKeys } from '../../model/index.js';
import { randomStream } from '../../tensor/random.js';
import { renderPrompt, stopTokens, type Tokenizer } from '../../text/index.js';
import type { Corpus } from './corpus.js';
import { drawExercise } from './records.js';
import type { BaseRecipe } from './recipe.js';

export interface Examination {
  /** Mean negative log-likelihood a token of held-out prose, nats. */
  readonly prose_loss: number;
  /** The same in bits a byte of text, comparable between tokenizers. */
  readonly prose_bits_per_byte: number;
  /** Share of unseen exercises answered exactly, greedily. */
  readonly exercise_accuracy: number;
}

const PROSE_ROWS = 32;
const EXERCISES = 64;

export async function examine(
  engine: Engine,
  corpus: Corpus,
  tokenizer: Tokenizer,
  recipe: BaseRecipe,
): Promise<Examination> {
  return {
    ...(await readProse(engine, corpus, tokenizer, recipe.rowLength)),
    exercise_accuracy: await doExercises(engine, corpus, tokenizer, recipe.seed),
  };
}

async function readProse(
  engine: Engine,
  { prose, heldOut }: Corpus,
  tokenizer: Tokenizer,
  length: number,
): Promise<Pick<Examination, 'prose_loss' | 'prose_bits_per_byte'>> {
  const first = prose.length - heldOut;
  const rows = Math.min(PROSE_ROWS, Math.floor(heldOut / length));
  const windows = Array.from({ length: rows }, (_, i) =>
    prose.slice(first + i * length, first + (i + 1) * length),
  );
  const mask = new Uint8Array(length).fill(1, 1);
  const logprobs = await engine.logprobs(windows.map((tokens) => ({ tokens, mask })));
  const nats = -logprobs.reduce((sum, row) => sum + row.reduce((a, b) => a + b, 0), 0);
  const bytes = windows.reduce(
    (sum, row) => sum + new TextEncoder().encode(tokenizer.decode(row.subarray(1))).length,
    0,
  );
  return { prose_loss: nats / (rows * (length - 1)), prose_bits_per_byte: nats / Math.LN2 / bytes };
}

async function doExercises(
  engine: Engine,
  corpus: Corpus,
  tokenizer: Tokenizer,
  seed: number,
): Promise<number> {
  const exercises = Array.from({ length: EXERCISES }, (_, i) =>
    drawExercise(randomStream(seed, 'exam', 0, i), corpus.words),
  );
  const prompts = exercises.map(({ prompt }) => renderPrompt(tokenizer, [{ role: 'user', content: prompt }]));
  const params = { maxNewTokens: 192, temperature: 0, stopTokens: stopTokens(tokenizer) };
  const replies = await engine.sample(prompts, params, sampleKeys(prompts.length, seed, 'exam'));
  const right = replies.filter(
    ({ tokens }, i) => tokenizer.decode(tokens, { skipSpecial: true }) === exercises[i]?.completion,
  );
  return right.length / exercises.length;
}
