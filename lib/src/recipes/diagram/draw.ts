import {
  applyActions,
  defaultRules,
  drawActionTypes,
  emptyCanvas,
  lint,
  observe,
  parseActions,
  type Canvas,
  type Direction,
  type Problem,
} from '../../envs/diagram/index.js';
import { generate, sampleKeys, type Model } from '../../model/index.js';
import { foldLabel } from '../../rewards/similarity.js';
import { renderPrompt, stopTokens, type Tokenizer } from '../../text/index.js';

export interface DrawOptions {
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  /** What to draw, in the user's words. */
  readonly request: string;
  /** Which way the arrows should run; default `LR`. */
  readonly direction?: Direction;
  /** 0 = greedy (default): the policy is at its best when it does not roll dice. */
  readonly temperature?: number;
  /** Fixes the dice; default 0. */
  readonly seed?: number;
  /** Samples drawn, of which the one with the fewest problems and strange labels is kept; default 1. */
  readonly bestOf?: number;
  /** Longest reply, tokens; default: whatever the model has room for. */
  readonly maxNewTokens?: number;
  readonly signal?: AbortSignal;
}

export interface DrawResult {
  readonly canvas: Canvas;
  /** Errors of the reply, then flaws of layout. Whether it is what was asked for only who asked can say. */
  readonly problems: readonly Problem[];
  /** Labels with a word that the request does not have: copied wrongly, or made up. */
  readonly strangeLabels: readonly string[];
  /** The policy's own words. */
  readonly reply: string;
}

/**
 * Draws what a request asks for with a trained policy.
 * Throws when the request is empty, or so long that the model has no room for a reply.
 */
export async function draw(options: DrawOptions): Promise<DrawResult> {
  const {
    model,
    tokenizer,
    request,
    direction = 'LR',
    temperature = 0,
    seed = 0,
    bestOf = 1,
    signal,
  } = options;
  if (request.trim() === '') throw new Error('The request is empty; say what to draw.');
  if (bestOf > 1 && temperature === 0) {
    throw new Error(
      `With temperature 0 all ${bestOf} samples are the same; raise the temperature, or draw one.`,
    );
  }
  const content = observe({ rules: defaultRules, direction, request });
  const prompt = renderPrompt(tokenizer, [{ role: 'user', content }]);
  const room = model.config.maxPositionEmbeddings - prompt.length;
  const maxNewTokens = Math.min(options.maxNewTokens ?? room, room);
  if (maxNewTokens < 1) {
    throw new Error(
      `The request takes ${prompt.length} tokens, but the model can hold ${model.config.maxPositionEmbeddings}; shorten it.`,
    );
  }
  const samples = await generate(
    model,
    Array.from({ length: bestOf }, () => prompt),
    { maxNewTokens, temperature, stopTokens: stopTokens(tokenizer) },
    sampleKeys(bestOf, seed, 'draw'),
    signal === undefined ? {} : { signal },
  );
  const results = samples.map(({ tokens }) =>
    execute(tokenizer.decode(tokens, { skipSpecial: true }), request),
  );
  return results.reduce((best, next) => (badness(next) < badness(best) ? next : best));
}

function execute(reply: string, request: string): DrawResult {
  const parsed = parseActions(reply, drawActionTypes);
  if (!parsed.ok)
    return { canvas: emptyCanvas(defaultRules), problems: [parsed.problem], strangeLabels: [], reply };
  const { canvas, log } = applyActions(emptyCanvas(defaultRules), parsed.actions);
  const problems = [...log.errors, ...lint(canvas)];
  return { canvas, problems, strangeLabels: strangeLabels(canvas, request), reply };
}

/** Labels with a word that the request does not have, whatever their case. */
export function strangeLabels({ shapes }: Canvas, request: string): string[] {
  const asked = new Set(foldLabel(request).tokens);
  return shapes
    .map(({ text }) => text)
    .filter((text) => foldLabel(text).tokens.some((word) => !asked.has(word)));
}

/** A wrong word is worse than a flaw of layout, an error worse than a wrong word, an empty canvas worse than anything. */
function badness({ canvas, problems, strangeLabels }: DrawResult): number {
  const errors = problems.filter(({ code }) => code.startsWith('E_')).length;
  return (canvas.shapes.length === 0 ? 1e6 : 0) + errors * 1000 + strangeLabels.length * 30 + problems.length;
}
