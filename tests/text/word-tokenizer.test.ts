import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chatTokenId, chatTokens, wordTokenizer } from 'posttrain/text';

const words = ['red', 'green', 'blue'];
const tokenizer = wordTokenizer(words);

it('has the chat tokens first, then one token a word', () => {
  expect(tokenizer.vocabSize).toBe(chatTokens.length + 3);
  expect(chatTokenId(tokenizer, '<|end|>')).toBe(1);
  expect([...tokenizer.encode(' blue  red\n')]).toEqual([7, 5]);
  expect(tokenizer.tokenId('green')).toBe(6);
  expect(tokenizer.tokenId('pink')).toBeUndefined();
});

it('reads what it wrote', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words)), (text) => {
      expect(tokenizer.decode(tokenizer.encode(text.join(' ')))).toBe(text.join(' '));
    }),
  );
});

it('keeps special tokens apart from text', () => {
  expect(() => tokenizer.encode('red <|end|>')).toThrow(/"<\|end\|>" is not among the 3 words/);
  expect([...tokenizer.encode('red <|end|>', { allowSpecial: true })]).toEqual([5, 1]);
  expect(tokenizer.decode([5, 1])).toBe('red <|end|>');
  expect(tokenizer.decode([5, 1], { skipSpecial: true })).toBe('red');
});

it('names what it cannot take', () => {
  expect(() => tokenizer.encode('red pink')).toThrow(/"pink" is not among/);
  expect(() => tokenizer.decode([8])).toThrow(/Token 8 is not in the vocabulary of 8/);
  expect(() => wordTokenizer(['two words'])).toThrow(/"two words" is not one word/);
  expect(() => wordTokenizer(['red', 'red'])).toThrow(/stands twice/);
  expect(() => wordTokenizer(['<|end|>'])).toThrow(/stands twice/);
});
