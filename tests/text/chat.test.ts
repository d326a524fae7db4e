import fc from 'fast-check';
import {
  chatTokenId,
  chatTokens,
  renderCompletion,
  renderPrompt,
  trainBpe,
  type ChatMessage,
} from 'posttrain/text';
import { describe, expect, it } from 'vitest';
import { smallTokenizer } from './small-tokenizer.js';

const tokenizer = smallTokenizer();
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...chatTokens));
const conversation: fc.Arbitrary<ChatMessage[]> = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 }))
  .map(([system, turns]) => [
    ...(system ? [{ role: 'system', content: 'Draw.' } as const] : []),
    ...turns.flatMap(([user, assistant]): ChatMessage[] => [
      { role: 'user', content: user },
      { role: 'assistant', content: assistant },
    ]),
  ]);

describe('chat format', () => {
  it('is <|user|> text <|assistant|>, reply, <|end|>', () => {
    const prompt = [...renderPrompt(tokenizer, [{ role: 'user', content: 'hi' }])];
    expect(prompt).toEqual([3, ...tokenizer.encode('hi'), 4]);
    expect([...renderCompletion(tokenizer, 'ok')]).toEqual([...tokenizer.encode('ok'), 1]);
    expect(chatTokens.map((token) => chatTokenId(tokenizer, token))).toEqual([0, 1, 2, 3, 4]);
  });

  it('renders every prompt as a prefix of the conversation that follows', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const whole = renderPrompt(tokenizer, messages);
        messages.forEach(({ role, content }, i) => {
          if (role !== 'assistant') return;
          const prompt = renderPrompt(tokenizer, messages.slice(0, i));
          const withReply = [...prompt, ...renderCompletion(tokenizer, content)];
          expect([...whole.slice(0, withReply.length)]).toEqual(withReply);
        });
      }),
    );
  });

  it('keeps special tokens inside messages as text: one per message and one per reply end', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const special = renderPrompt(tokenizer, messages).filter((id) => id < chatTokens.length).length;
        const replies = messages.filter(({ role }) => role === 'assistant').length;
        expect(special).toBe(messages.length + replies + 1);
      }),
    );
  });

  it('says which token a tokenizer lacks', () => {
    const bare = trainBpe(['x'], { vocabSize: 256, specialTokens: [] });
    expect(() => renderPrompt(bare, [])).toThrow(/no <\|assistant\|>/);
  });
});
