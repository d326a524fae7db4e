/** What SFT learns from: rows of tokens, and which of them to predict. */

/** Answer `prompt` with `completion`; the completion ends with the stop token, or the model never learns to stop. */
export interface PromptCompletionRow {
  readonly prompt: Int32Array;
  readonly completion: Int32Array;
}

/** Continue a text (language modeling), or a conversation whose `mask` marks the tokens to learn. */
export interface TokensRow {
  readonly tokens: Int32Array;
  /** 1 = learn this token; absent = all. */
  readonly mask?: Uint8Array;
}

export type SFTRow = PromptCompletionRow | TokensRow;

/** One row, ready for a batch. */
export interface Example {
  /** `[T]` */
  readonly tokens: Int32Array;
  /** `[T]`; 1 = trained. The first is always 0. */
  readonly mask: Uint8Array;
  readonly truncated: boolean;
}

/** A row without a single token to learn would report a loss of 0 and look perfect. */
export class NoTrainableTokensError extends Error {
  override readonly name = 'NoTrainableTokensError';
}

/**
 * Tokens and mask of a row, cut to `maxLength`.
 * @throws NoTrainableTokensError, naming the row, when nothing is left to learn.
 */
export function exampleOf(
  row: SFTRow,
  index: number,
  config: { readonly maxLength: number; readonly completionOnlyLoss: boolean },
): Example {
  const { tokens, mask } = 'tokens' in row ? wholeRow(row) : joinedRow(row, config.completionOnlyLoss);
  if (mask.length !== tokens.length) {
    throw new Error(`Row ${index}: the mask has ${mask.length} entries for ${tokens.length} tokens.`);
  }
  mask[0] = 0;
  const truncated = tokens.length > config.maxLength;
  const example = truncated
    ? { tokens: tokens.subarray(0, config.maxLength), mask: mask.subarray(0, config.maxLength), truncated }
    : { tokens, mask, truncated };
  if (!example.mask.includes(1)) {
    const why = truncated
      ? `maxLength ${config.maxLength} cuts away everything that is trained; raise it`
      : 'its completion is empty or its mask all 0; remove the row';
    throw new NoTrainableTokensError(`Row ${index} has no trainable token: ${why}.`);
  }
  return example;
}

function wholeRow({ tokens, mask }: TokensRow): { tokens: Int32Array; mask: Uint8Array } {
  return { tokens, mask: mask === undefined ? new Uint8Array(tokens.length).fill(1) : mask.slice() };
}

function joinedRow(
  { prompt, completion }: PromptCompletionRow,
  completionOnly: boolean,
): { tokens: Int32Array; mask: Uint8Array } {
  const tokens = new Int32Array(prompt.length + completion.length);
  tokens.set(prompt);
  tokens.set(completion, prompt.length);
  return { tokens, mask: new Uint8Array(tokens.length).fill(1, completionOnly ? prompt.length : 0) };
}

/**
 * Documents laid end to end, each followed by `separator`, and cut into rows of exactly `length` tokens, so that no computation is
 * spent on padding. The last incomplete row is dropped.
 * @throws RangeError unless `length` is an integer of at least 2, the shortest row that can be trained on.
 */
export function packTokens(documents: Iterable<Int32Array>, length: number, separator: number): TokensRow[] {
  if (!(Number.isInteger(length) && length >= 2))
    throw new RangeError(`packTokens: length is ${length}; expected an integer of at least 2.`);
  const rows: TokensRow[] = [];
  let row = new Int32Array(length);
  let filled = 0;
  const push = (tokens: Int32Array): void => {
    for (let start = 0; start < tokens.length;) {
      const part = tokens.subarray(start, start + length - filled);
      row.set(part, filled);
      filled += part.length;
      start += part.length;
      if (filled < length) continue;
      rows.push({ tokens: row });
      row = new Int32Array(length);
      filled = 0;
    }
  };
  const end = Int32Array.of(separator);
  for (const tokens of documents) {
    push(tokens);
    push(end);
  }
  return rows;
}
