/**
 * The chat format: who speaks is a special token, so no text a user types can pretend to be someone else.
 * A tokenizer that brings a format of its own (`chat`) is used as it says.
 */
import type { ChatMessage, Tokenizer } from './types.js';

/** Ids 0 to 4 of every tokenizer trained for this library. */
export const chatTokens = ['<|pad|>', '<|end|>', '<|system|>', '<|user|>', '<|assistant|>'] as const;

export type ChatToken = (typeof chatTokens)[number];

/** Id of a chat token. Throws when the tokenizer lacks it. */
export function chatTokenId(tokenizer: Tokenizer, token: ChatToken): number {
  const id = tokenizer.tokenId(token);
  if (id === undefined)
    throw new Error(
      `The tokenizer has no ${token}; train it with specialTokens: chatTokens, or load a model that has a chat template.`,
    );
  return id;
}

/**
 * Messages as the model sees them when it is its turn: `<|user|>` text `<|assistant|>`. Earlier assistant
 * messages end with `<|end|>`. Special tokens written inside a message stay text.
 */
export function renderPrompt(tokenizer: Tokenizer, messages: readonly ChatMessage[]): Int32Array {
  if (tokenizer.chat) return tokenizer.chat.prompt(messages);
  const ids: number[] = [];
  for (const { role, content } of messages) {
    ids.push(chatTokenId(tokenizer, `<|${role}|>`));
    for (const id of role === 'assistant' ? renderCompletion(tokenizer, content) : tokenizer.encode(content))
      ids.push(id);
  }
  ids.push(chatTokenId(tokenizer, '<|assistant|>'));
  return Int32Array.from(ids);
}

/** A reply to learn from: text `<|end|>`. Appended to the prompt's tokens, never encoded together with them. */
export function renderCompletion(tokenizer: Tokenizer, text: string): Int32Array {
  if (tokenizer.chat) return tokenizer.chat.completion(text);
  return Int32Array.from([...tokenizer.encode(text), chatTokenId(tokenizer, '<|end|>')]);
}

/** Tokens that end a reply: `<|end|>`, or what the tokenizer's own chat format ends replies with. */
export function stopTokens(tokenizer: Tokenizer): readonly number[] {
  return tokenizer.chat?.stopTokens ?? [chatTokenId(tokenizer, '<|end|>')];
}
