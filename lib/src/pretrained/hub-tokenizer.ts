/** Any `tokenizer.json`, by Hugging Face's own tokenizers in JavaScript, with the chat template that lies beside it. */
import { z } from 'zod';
import type { Tokenizer } from '../text/index.js';
import { escapeRegExp } from '../text/split.js';
import { templateFormat } from './chat-template.js';
import { specialTextCutter } from './special-text.js';
import { messageOf } from '../message-of.js';

/** The files of a tokenizer, as text. */
export interface TokenizerFiles {
  /** `tokenizer.json` */
  readonly tokenizer: string;
  /** `tokenizer_config.json` */
  readonly config?: string;
  /** `chat_template.jinja`; default: the template in the config. */
  readonly chatTemplate?: string;
  /** `eos_token_id` of the model, at which generation ends. */
  readonly endTokens?: readonly number[];
}

const tokenText = z.union([
  z.string(),
  z.object({ content: z.string() }).transform(({ content }) => content),
]);
const namedTokens = [
  'bos_token',
  'eos_token',
  'pad_token',
  'unk_token',
  'sep_token',
  'cls_token',
  'mask_token',
];
const configSchema = z.looseObject({
  ...Object.fromEntries(namedTokens.map((name) => [name, tokenText.nullable().optional()])),
  chat_template: z
    .union([z.string(), z.array(z.object({ name: z.string(), template: z.string() }))])
    .nullable()
    .optional(),
});
type Config = z.infer<typeof configSchema>;

const tokenizerSchema = z.looseObject({
  added_tokens: z.array(
    z.looseObject({ id: z.int().nonnegative(), content: z.string(), special: z.boolean() }),
  ),
});

/**
 * A tokenizer from its files. It has a `chat` where there is a template. Ids beyond its vocabulary, which padded models can sample,
 * decode to nothing, as in transformers.
 * Throws, naming the file, when one cannot be read; `encode` throws on text with a special token that cannot be cut in two.
 */
export async function hubTokenizer(files: TokenizerFiles): Promise<Tokenizer> {
  const json = readFile('tokenizer.json', files.tokenizer, tokenizerSchema);
  const config = readFile('tokenizer_config.json', files.config ?? '{}', configSchema);
  const { Tokenizer: HubTokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = named('tokenizer.json', () => new HubTokenizer(json, config));

  const special = json.added_tokens.filter((token) => token.special);
  const specialIds = new Set(special.map(({ id }) => id));
  const longestFirst = special.map(({ content }) => content).sort((a, b) => b.length - a.length);
  const cut = specialTextCutter(longestFirst);
  const vocabSize = 1 + [...tokenizer.get_vocab().values()].reduce((last, id) => Math.max(last, id), -1);
  const encode = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
  const encodePlain = (text: string): number[] => {
    const ids = cut(text).flatMap(encode);
    const forged = ids.find((id) => specialIds.has(id));
    if (forged === undefined) return ids;
    throw new Error(
      `The text spells the special token ${JSON.stringify(tokenizer.id_to_token(forged))}, which cannot be encoded otherwise; remove it.`,
    );
  };

  const plain: Tokenizer = {
    vocabSize,
    encode: (text, { allowSpecial = false } = {}) =>
      Int32Array.from(allowSpecial ? encode(text) : encodePlain(text)),
    decode(ids, { skipSpecial = false } = {}) {
      const known = knownIds(ids, vocabSize);
      if (known.length === 0) return '';
      return tokenizer.decode(known, {
        skip_special_tokens: skipSpecial,
        clean_up_tokenization_spaces: false,
      });
    },
    tokenId: (token) => tokenizer.token_to_id(token),
    toJSON: () => files.tokenizer,
  };

  const template = files.chatTemplate ?? defaultTemplate(config);
  if (template === undefined) return plain;
  const chat = await templateFormat(template, {
    named: Object.fromEntries(
      namedTokens.flatMap((name) => (typeof config[name] === 'string' ? [[name, config[name]]] : [])),
    ),
    encode,
    cut,
    firstSpecialEnd: firstEnd(longestFirst),
    endTokens: files.endTokens ?? [],
  });
  return { ...plain, chat };
}

function knownIds(ids: ArrayLike<number>, vocabSize: number): number[] {
  const all = Array.from(ids);
  const wrong = all.findIndex((id) => !(Number.isInteger(id) && id >= 0));
  if (wrong >= 0) throw new RangeError(`decode: ${all[wrong]} at position ${wrong} is no token id.`);
  return all.filter((id) => id < vocabSize);
}

function defaultTemplate({ chat_template: template }: Config): string | undefined {
  if (!Array.isArray(template)) return template ?? undefined;
  return template.find(({ name }) => name === 'default')?.template;
}

function firstEnd(specialTokens: readonly string[]): (text: string) => number | undefined {
  const pattern = new RegExp(specialTokens.map(escapeRegExp).join('|'), 'u');
  return (text) => {
    const match = specialTokens.length === 0 ? null : pattern.exec(text);
    return match ? match.index + match[0].length : undefined;
  };
}

function readFile<T>(file: string, text: string, schema: z.ZodType<T>): T {
  return named(file, () => {
    const parsed = schema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  });
}

function named<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`${file} cannot be used: ${reason}. Copy or download it again.`, { cause });
  }
}
