/** Pairs of replies, one preferred to the other. */
import { type Example, exampleOf } from './sft-rows.js';

/** Two replies to one prompt, and which is preferred. Replies end with the stop token, or the model never learns to stop. */
export interface PreferenceRow {
  readonly prompt: Int32Array;
  /** The preferred reply. */
  readonly chosen: Int32Array;
  readonly rejected: Int32Array;
}

/** Both replies with their prompt, ready for a batch. */
export interface Pair {
  readonly chosen: Example;
  readonly rejected: Example;
}

/**
 * Both sequences of a row, cut to `maxLength`.
 * @throws NoTrainableTokensError when nothing is left of a reply, and an Error when both are the same; they name the row.
 */
export function pairOf(
  { prompt, chosen, rejected }: PreferenceRow,
  index: number,
  { maxLength }: { readonly maxLength: number },
): Pair {
  const settings = { maxLength, completionOnlyLoss: true };
  const pair = {
    chosen: exampleOf({ prompt, completion: chosen }, index, settings),
    rejected: exampleOf({ prompt, completion: rejected }, index, settings),
  };
  const [left, right] = [pair.chosen.tokens, pair.rejected.tokens];
  if (left.length === right.length && left.every((token, t) => token === right[t])) {
    const cut = countTruncated([pair]) > 0;
    throw new Error(
      `Row ${index}: chosen and rejected are the same${cut ? ` up to maxLength ${maxLength}; raise it` : ''}, so there is nothing to prefer. Remove the row.`,
    );
  }
  return pair;
}

/** Pairs of which a reply was cut. */
export function countTruncated(pairs: readonly Pair[]): number {
  return pairs.filter(({ chosen, rejected }) => chosen.truncated || rejected.truncated).length;
}
