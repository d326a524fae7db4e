/** Conversations as rows of tokens. */
import { type ChatMessage, renderCompletion, renderPrompt, type Tokenizer } from '../text/index.js';
import type { TokensRow } from '../trainers/index.js';

/**
 * A conversation to learn as a whole, up to the end of its last reply. Where the template shows earlier replies otherwise than they were
 * given (it drops thoughts), it becomes several rows.
 * Throws unless the last message is the assistant's.
 * @param assistantOnly learn the replies, each with the token that ends it, and nothing else
 */
export function conversationRows(
  messages: readonly ChatMessage[],
  tokenizer: Tokenizer,
  assistantOnly: boolean,
): TokensRow[] {
  if (messages.at(-1)?.role !== 'assistant')
    throw new Error(
      "the conversation does not end with the assistant's message; cut it behind the last reply",
    );
  const rows: { tokens: number[]; mask: number[] }[] = [];
  messages.forEach(({ role, content }, i) => {
    if (role !== 'assistant') return;
    const prompt = Array.from(renderPrompt(tokenizer, messages.slice(0, i)));
    const open = rows.at(-1);
    const row = open?.tokens.every((token, t) => token === prompt[t]) ? open : { tokens: [], mask: [] };
    if (row !== open) rows.push(row);
    append(row, prompt.slice(row.tokens.length), assistantOnly ? 0 : 1);
    append(row, Array.from(renderCompletion(tokenizer, content)), 1);
  });
  return rows.map(({ tokens, mask }) => ({ tokens: Int32Array.from(tokens), mask: Uint8Array.from(mask) }));
}

function append(row: { tokens: number[]; mask: number[] }, tokens: readonly number[], trained: 0 | 1): void {
  row.tokens = row.tokens.concat(tokens);
  row.mask = row.mask.concat(tokens.map(() => trained));
}
