import type { ScalarLossSpec } from '../losses/index.js';
import type { MaskedSequence, ModelConfig } from '../model/index.js';
import type { ScalarDatum } from './scalar-types.js';
import type { Datum, WeightedTokens } from './types.js';

/** What a model can take. */
export interface BatchLimits {
  readonly maxLength: number;
  readonly vocabSize: number;
}

export function limitsOf({ maxPositionEmbeddings, vocabSize }: ModelConfig): BatchLimits {
  return { maxLength: maxPositionEmbeddings, vocabSize };
}

/** Throws when a batch cannot be trained on; the message says which datum and why. */
export function checkBatch(batch: readonly Datum[], limits: BatchLimits): void {
  batch.forEach((datum, index) => {
    const { tokens, weights } = datum;
    checkPredictable(tokens, `Datum ${index}`);
    checkTokens(tokens, `Datum ${index}`, limits);
    if (weights[0] !== 0) {
      throw new Error(
        `Datum ${index}: its first token has weight ${weights[0]}, but nothing predicts it. Give it 0.`,
      );
    }
    checkTeacher(datum, batch[0] as Datum, index, limits);
  });
  checkStreams(batch, ['weights', 'advantages', 'oldLogprobs', 'refLogprobs']);
}

/** Throws when a model with a scalar head cannot be trained on a batch; the message says which datum and why. */
export function checkScalarBatch(
  batch: readonly ScalarDatum[],
  loss: ScalarLossSpec,
  limits: BatchLimits,
): void {
  checkValueSequences(batch, limits);
  checkStreams(batch, ['weights', 'oldValues', 'returns']);
  if (loss.name === 'bradley_terry') checkPairs(batch);
}

/** Throws unless data come in pairs, and both of a pair have one number that counts, with the same weight. */
function checkPairs(batch: readonly ScalarDatum[]): void {
  if (batch.length % 2 !== 0)
    throw new Error(`bradley_terry needs pairs, the preferred datum first; got ${batch.length} data.`);
  const counted = batch.map(({ weights }) => [...weights].filter((weight) => weight !== 0));
  const odd = counted.findIndex((weights, index) => {
    const partner = counted[index ^ 1] as number[];
    return weights.length > 1 || weights.length !== partner.length || weights[0] !== partner[0];
  });
  if (odd >= 0)
    throw new Error(
      `Datum ${odd} has the weights ${counted[odd]?.join(', ') || '0'}; bradley_terry needs one token with a weight in each datum, its score, and the same weight in both of a pair.`,
    );
}

/** Throws when a stream is missing in some of the data, or is not as long as its tokens. */
function checkStreams<D extends WeightedTokens>(
  batch: readonly D[],
  names: readonly (Exclude<keyof D, 'tokens'> & string)[],
): void {
  batch.forEach((datum, index) => {
    for (const name of names) {
      const stream = datum[name] as Float32Array | undefined;
      if ((stream === undefined) !== (batch[0]?.[name] === undefined)) {
        throw new Error(`Only some of the data have \`${name}\`: fill it in all or in none.`);
      }
      if (stream !== undefined && stream.length !== datum.tokens.length) {
        throw new Error(
          `Datum ${index}: \`${name}\` has ${stream.length} entries for ${datum.tokens.length} tokens; streams are aligned with tokens.`,
        );
      }
    }
  });
}

function checkTeacher(
  { weights, teacherLogprobs }: Datum,
  first: Datum,
  index: number,
  { vocabSize }: BatchLimits,
): void {
  if ((teacherLogprobs === undefined) !== (first.teacherLogprobs === undefined))
    throw new Error('Only some of the data have `teacherLogprobs`: fill it in all or in none.');
  if (teacherLogprobs === undefined) return;
  const trained = weights.reduce((count, weight) => count + (weight === 0 ? 0 : 1), 0);
  if (teacherLogprobs.length === trained * vocabSize) return;
  throw new Error(
    `Datum ${index}: \`teacherLogprobs\` has ${teacherLogprobs.length} entries, expected ${trained} trained tokens × ${vocabSize} of the vocabulary. Does the teacher share the student’s vocabulary?`,
  );
}

/** Throws when a sequence cannot be scored; the message says which and why. */
export function checkSequences(sequences: readonly MaskedSequence[], limits: BatchLimits): void {
  sequences.forEach(({ tokens }, index) => {
    checkPredictable(tokens, `Sequence ${index}`);
    checkTokens(tokens, `Sequence ${index}`, limits);
  });
}

/** Throws when a sequence cannot be given values; the message says which and why. */
export function checkValueSequences(
  sequences: readonly { readonly tokens: ArrayLike<number> }[],
  limits: BatchLimits,
): void {
  sequences.forEach(({ tokens }, index) => {
    if (tokens.length === 0)
      throw new Error(`Sequence ${index} has no tokens, so there is nothing to judge.`);
    checkTokens(tokens, `Sequence ${index}`, limits);
  });
}

function checkPredictable(tokens: ArrayLike<number>, what: string): void {
  if (tokens.length < 2)
    throw new Error(`${what} has ${tokens.length} tokens; at least 2 are needed to predict one.`);
}

/** Throws when a sequence is too long, or holds an id outside the vocabulary. */
function checkTokens(tokens: ArrayLike<number>, what: string, limits: BatchLimits): void {
  if (tokens.length > limits.maxLength) {
    throw new Error(
      `${what} has ${tokens.length} tokens, the model holds ${limits.maxLength}. Shorten it, or lower maxCompletionLength.`,
    );
  }
  for (let t = 0; t < tokens.length; t += 1) {
    const id = tokens[t] as number;
    if (id >= 0 && id < limits.vocabSize) continue;
    throw new Error(
      `${what} holds token id ${id} at ${t}, outside the vocabulary of ${limits.vocabSize}. Was it made by this model's tokenizer?`,
    );
  }
}
