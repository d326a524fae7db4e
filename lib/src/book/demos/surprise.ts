/** What each token of a reply still costs a model, and which kinds of tokens it has learned. */
import { actionPieces } from '../../envs/index.js';
import type { Engine } from '../../engine/index.js';
import { mean } from '../../losses/index.js';
import { escapeMarkup } from '../../markup.js';
import type { Tokenizer } from '../../text/index.js';

export interface TokenCost {
  readonly text: string;
  /** −log of the probability that the model gave it, in nats. */
  readonly cost: number;
}

/** Brackets, keys and other fixed pieces; coordinates and ids; the words of labels. */
export type TokenKind = 'form' | 'numbers' | 'words';

const pieces = new Set([...actionPieces, '<|end|>']);

export function kindOf({ text }: TokenCost): TokenKind {
  if (pieces.has(text)) return 'form';
  return /^\d+$/.test(text) ? 'numbers' : 'words';
}

/** The cost of each token of `completion` after `prompt`. */
export async function costsOf(
  engine: Engine,
  tokenizer: Tokenizer,
  { prompt, completion }: { readonly prompt: Int32Array; readonly completion: Int32Array },
): Promise<TokenCost[]> {
  const tokens = Int32Array.of(...prompt, ...completion);
  const mask = new Uint8Array(tokens.length).fill(1, prompt.length);
  const [logprobs] = await engine.logprobs([{ tokens, mask }]);
  return Array.from(completion, (id, i) => ({
    text: tokenizer.decode(Int32Array.of(id)),
    cost: Math.max(0, -(logprobs![prompt.length + i] as number)),
  }));
}

/** Mean cost of each kind that occurs. */
export function costByKind(costs: readonly TokenCost[]): Readonly<Record<TokenKind, number>> {
  const of = (kind: TokenKind): number =>
    mean(costs.filter((token) => kindOf(token) === kind).map(({ cost }) => cost));
  return { form: of('form'), numbers: of('numbers'), words: of('words') };
}

/** That dark is as surprised as by a blind guess among 2,048 tokens. */
const DARKEST_AT = Math.log(2048);

/** The tokens as HTML, the darker the more they cost; each says its cost when it is pointed at. */
export function costStrip(costs: readonly TokenCost[]): string {
  const marks = costs.map(({ text, cost }) => {
    const heat = Math.round(60 * Math.min(1, cost / DARKEST_AT));
    return `<span class="demo-token" title="${cost.toFixed(2)} nats" style="background:color-mix(in srgb,var(--series-2) ${heat}%,transparent)">${escapeMarkup(text)}</span>`;
  });
  return `<p class="demo-tokens">${marks.join('<wbr>')}</p>`;
}
