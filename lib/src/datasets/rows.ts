/** Examples as the trainers take them: tokens, each reply with the token that ends it. */
import {
  type ChatMessage,
  renderCompletion,
  renderPrompt,
  stopTokens,
  type Tokenizer,
} from '../text/index.js';
import type { PreferenceRow, SFTRow, UnpairedPreferenceRow } from '../trainers/index.js';
import { conversationRows } from './conversation-rows.js';
import { requireType } from './json-lines.js';
import type { Dataset } from './types.js';
import { messageOf } from '../message-of.js';

export interface RowOptions {
  /** Token behind texts and replies given as strings; default: the tokenizer's first stop token. */
  readonly endToken?: number;
}

export interface SFTRowOptions extends RowOptions {
  /** Of `messages`, learn the assistant's alone. false, as in TRL. */
  readonly assistantOnlyLoss?: boolean;
}

type Value = string | readonly ChatMessage[];

/**
 * Rows for `sft` from a language-modeling or a prompt-completion dataset. Prompt and reply are encoded apart, on purpose: together they
 * could merge at the seam.
 * Throws for another type, and, naming the row, for a conversation or completion that does not end with one message of the assistant.
 */
export function sftRows(dataset: Dataset, tokenizer: Tokenizer, options: SFTRowOptions = {}): SFTRow[] {
  const { examples } = requireType(dataset, 'language-modeling', 'prompt-completion');
  const encoders = { tokenizer, ...options };
  return examples.flatMap((example, index) =>
    named(index, (): SFTRow[] => {
      if ('text' in example) return [{ tokens: encodeReply(example.text, encoders) }];
      if ('messages' in example)
        return conversationRows(example.messages, tokenizer, options.assistantOnlyLoss ?? false);
      return [
        {
          prompt: encodePrompt(example.prompt, tokenizer),
          completion: encodeReply(example.completion, encoders),
        },
      ];
    }),
  );
}

/** Rows for `dpo` and `reward` from a preference dataset. Throws as `sftRows` does. */
export function preferenceRows(
  dataset: Dataset,
  tokenizer: Tokenizer,
  options: RowOptions = {},
): PreferenceRow[] {
  const encoders = { tokenizer, ...options };
  return requireType(dataset, 'preference').examples.map(({ prompt, chosen, rejected }, index) =>
    named(index, () => ({
      prompt: encodePrompt(prompt, tokenizer),
      chosen: encodeReply(chosen, encoders),
      rejected: encodeReply(rejected, encoders),
    })),
  );
}

/** Rows for `kto` from an unpaired preference dataset. Throws as `sftRows` does. */
export function unpairedPreferenceRows(
  dataset: Dataset,
  tokenizer: Tokenizer,
  options: RowOptions = {},
): UnpairedPreferenceRow[] {
  const encoders = { tokenizer, ...options };
  return requireType(dataset, 'unpaired-preference').examples.map(({ prompt, completion, label }, index) =>
    named(index, () => ({
      prompt: encodePrompt(prompt, tokenizer),
      completion: encodeReply(completion, encoders),
      label,
    })),
  );
}

function encodePrompt(prompt: Value, tokenizer: Tokenizer): Int32Array {
  return typeof prompt === 'string' ? tokenizer.encode(prompt) : renderPrompt(tokenizer, prompt);
}

function encodeReply(
  reply: Value,
  { tokenizer, endToken }: RowOptions & { readonly tokenizer: Tokenizer },
): Int32Array {
  if (typeof reply === 'string')
    return Int32Array.from([...tokenizer.encode(reply), endToken ?? (stopTokens(tokenizer)[0] as number)]);
  const [message, ...more] = reply;
  if (message?.role !== 'assistant' || more.length > 0)
    throw new Error(
      `a reply is one message of the assistant; found ${reply.map(({ role }) => role).join(', ')}`,
    );
  return renderCompletion(tokenizer, message.content);
}

function named<T>(index: number, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new Error(`Row ${index}: ${messageOf(cause)}.`, { cause });
  }
}
