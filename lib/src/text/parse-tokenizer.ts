import { z } from 'zod';
import { bpeTokenizer } from './bpe-tokenizer.js';
import type { Tokenizer } from './types.js';

const off = z.literal(false).optional();

/** The family of tokenizers this library speaks: words by a regular expression, then BPE over bytes. */
const tokenizerSchema = z.object({
  normalizer: z.null().optional(),
  post_processor: z.null().optional(),
  added_tokens: z.array(
    z.object({
      id: z.int().nonnegative(),
      content: z.string().min(1),
      special: z.boolean(),
      single_word: off,
      lstrip: off,
      rstrip: off,
    }),
  ),
  pre_tokenizer: z.object({
    type: z.literal('Sequence'),
    pretokenizers: z.tuple([
      z.object({
        type: z.literal('Split'),
        pattern: z.object({ Regex: z.string() }),
        behavior: z.literal('Isolated'),
        invert: off,
      }),
      z.object({
        type: z.literal('ByteLevel'),
        add_prefix_space: z.literal(false),
        use_regex: z.literal(false),
      }),
    ]),
  }),
  model: z.object({
    type: z.literal('BPE'),
    unk_token: z.null().optional(),
    byte_fallback: off,
    ignore_merges: off,
    vocab: z.record(z.string(), z.int().nonnegative()),
    merges: z.array(z.tuple([z.string(), z.string()])),
  }),
});

/**
 * Reads a `tokenizer.json` of a byte-level BPE.
 * Throws, naming the first field that is wrong or that this library does not support.
 */
export function tokenizerFromJSON(json: string): Tokenizer {
  const parsed = tokenizerSchema.safeParse(parseJSON(json));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      `tokenizer.json: ${issue?.path.join('.') || 'the file'}: ${issue?.message}. Only byte-level BPE with a Split pattern is supported.`,
    );
  }
  const { added_tokens, pre_tokenizer, model } = parsed.data;
  return bpeTokenizer({
    vocab: denseVocab(
      new Map([...Object.entries(model.vocab), ...added_tokens.map((t) => [t.content, t.id] as const)]),
    ),
    merges: model.merges,
    addedTokens: added_tokens.map(({ id, content, special }) => ({ id, content, special })),
    wordPattern: pre_tokenizer.pretokenizers[0].pattern.Regex,
  });
}

function parseJSON(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error('tokenizer.json is not JSON; write it again with saveModel.', { cause });
  }
}

function denseVocab(ids: ReadonlyMap<string, number>): string[] {
  const vocab: string[] = [];
  for (const [token, id] of ids) {
    if (vocab[id] !== undefined || id >= ids.size)
      throw new Error(
        `tokenizer.json: id ${id} of ${JSON.stringify(token)}: ids must be 0 to ${ids.size - 1}, each once.`,
      );
    vocab[id] = token;
  }
  return vocab;
}
