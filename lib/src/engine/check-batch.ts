import type { MaskedSequence, ModelConfig } from '../model/index.js';
import type { Datum } from './types.js';

/** What a model can take. */
export interface BatchLimits {
  readonly maxLength: number;
  readonly vocabSize: number;
}

export function limitsOf({ maxPositionEmbeddings, vocabSize }: ModelConfig): BatchLimits {
  return { maxLength: maxPositionEmbeddings, vocabSize };
}

const streamNames = ['weights', 'advantages', 'oldLogprobs', 'refLogprobs'] as const;

/** Throws when a batch cannot be trained on; the message says which datum and why. */
export function checkBatch(batch: readonly Datum[], limits: BatchLimits): void {
  batch.forEach((datum, index) => {
    checkTokens(datum.tokens, `Datum ${index}`, limits);
    for (const name of streamNames) {
      const stream = datum[name];
      if ((stream === undefined) !== (batch[0]?.[name] === undefined)) {
        throw new Error(`Only some of the data have \`${name}\`: fill it in all or in none.`);
      }
      if (stream !== undefined && stream.length !== datum.tokens.length) {
        throw new Error(
          `Datum ${index}: \`${name}\` has ${stream.length} entries for ${datum.tokens.length} tokens; streams are aligned with tokens.`,
        );
      }
    }
    if (datum.weights[0] !== 0) {
      throw new Error(
        `Datum ${index}: its first token has weight ${datum.weights[0]}, but nothing predicts it. Give it 0.`,
      );
    }
  });
}

/** Throws when a sequence cannot be scored; the message says which and why. */
export function checkSequences(sequences: readonly MaskedSequence[], limits: BatchLimits): void {
  sequences.forEach(({ tokens }, index) => checkTokens(tokens, `Sequence ${index}`, limits));
}

/** Throws when a sequence is too short, too long, or holds an id outside the vocabulary. */
function checkTokens(tokens: ArrayLike<number>, what: string, limits: BatchLimits): void {
  if (tokens.length < 2)
    throw new Error(`${what} has ${tokens.length} tokens; at least 2 are needed to predict one.`);
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
