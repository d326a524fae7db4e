import fc from 'fast-check';
import { chatTokens, trainBpe } from 'posttrain/text';
import { describe, expect, it } from 'vitest';
import { smallPieces, smallTokenizer } from './small-tokenizer.js';

const tokenizer = smallTokenizer();
const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const textWithPieces = fc
  .array(fc.oneof(anyText, fc.constantFrom(...smallPieces, ...chatTokens, 'truth', ' ', '\n')), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

describe('round trip', () => {
  it('decode(encode(text)) is the text, for any Unicode and any mixture with pieces', () => {
    fc.assert(
      fc.property(textWithPieces, fc.boolean(), (text, allowSpecial) => {
        expect(tokenizer.decode(tokenizer.encode(text, { allowSpecial }))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('replaces lone surrogates by U+FFFD, as UTF-8 does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }), (units) => {
        const text = String.fromCharCode(...units);
        const wellFormed = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
          new TextEncoder().encode(text),
        );
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(wellFormed);
      }),
    );
    expect(tokenizer.decode(tokenizer.encode('a\ud800b'))).toBe('a\ufffdb');
  });

  it('takes a long run of one kind of character without hanging', () => {
    const text = '!?'.repeat(20_000) + 'a'.repeat(20_000);
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  });
});

describe('special tokens', () => {
  it('cannot be typed', () => {
    fc.assert(
      fc.property(textWithPieces, (text) => {
        expect(Math.min(chatTokens.length, ...tokenizer.encode(text))).toBe(chatTokens.length);
      }),
    );
  });

  it('are recognised on request, and can be left out of decoded text', () => {
    const ids = tokenizer.encode('<|user|>hi<|end|>', { allowSpecial: true });
    expect(ids[0]).toBe(3);
    expect(ids.at(-1)).toBe(1);
    expect(tokenizer.decode(ids, { skipSpecial: true })).toBe('hi');
  });
});

describe('pieces', () => {
  it('are one token each, the longest where several begin', () => {
    for (const piece of smallPieces) expect([...tokenizer.encode(piece)]).toEqual([tokenizer.tokenId(piece)]);
  });
});

describe('words', () => {
  it('have the same tokens wherever they stand', () => {
    const word = [...tokenizer.encode('neighbourhood')];
    for (const before of ['', ' ', '\n', '"', '","tags":["', '。', '7', '学', '(', '<|end|>'])
      for (const after of ['', ' ', '"', ',', '9', '学', '"],"price":']) {
        const ids = [...tokenizer.encode(before + 'neighbourhood' + after)];
        const start = tokenizer.encode(before).length;
        expect(ids.slice(start, start + word.length), before + '_' + after).toEqual(word);
      }
  });

  it('give one token or more to every Han character and to every whitespace character of its own', () => {
    expect(tokenizer.encode('学而').length).toBe(
      tokenizer.encode('学').length + tokenizer.encode('而').length,
    );
    expect(tokenizer.encode('    ').length).toBe(4);
  });
});

describe('decode then encode', () => {
  it('may give other ids, so trajectories keep the sampled ones', () => {
    const [t, h] = [tokenizer.tokenId('t')!, tokenizer.tokenId('h')!];
    const merged = tokenizer.encode('th');
    expect(merged.length).toBe(1);
    expect([...tokenizer.encode(tokenizer.decode([t, h]))]).toEqual([...merged]);
  });
});

describe('trainBpe', () => {
  it('merges the most frequent pair first and breaks ties by the smaller ids', () => {
    // Pairs: ab 3 (abc, ab, ab), bc 1, cd 2, xy 2; after ab: "cd" and "xy" tie at 2, c < x.
    const trained = trainBpe(['abc ab ab cd cd xy xy'], { vocabSize: 256 + 2, specialTokens: [] });
    expect(trained.tokenId('ab')).toBe(256);
    expect(trained.tokenId('cd')).toBe(257);
    expect(trained.tokenId('xy')).toBeUndefined();
  });

  it('counts overlapping repetitions as they are merged', () => {
    const trained = trainBpe(['aaaa aaaa'], { vocabSize: 300, specialTokens: [] });
    expect(trained.vocabSize).toBe(258);
    expect(trained.encode('aaaaa').length).toBe(2);
  });

  it('stops when no pair occurs twice', () => {
    expect(trainBpe(['abc'], { vocabSize: 1000, specialTokens: ['<|pad|>'] }).vocabSize).toBe(257);
  });

  it('says what is wrong with its options', () => {
    const train = (options: Partial<Parameters<typeof trainBpe>[1]>) => () =>
      trainBpe(['x'], { vocabSize: 300, specialTokens: [], ...options });
    expect(train({ vocabSize: 200 })).toThrow(/vocabSize is 200; expected 256/);
    expect(train({ vocabSize: NaN })).toThrow(/vocabSize is NaN/);
    expect(train({ pieces: ['ab', 'ab'] })).toThrow(/"ab" is given twice/);
    expect(train({ pieces: ['é!'] })).toThrow(/"é!" cannot be/);
    expect(train({ pieces: ['a'] })).toThrow(/"a" cannot be/);
  });
});

describe('decode', () => {
  it('refuses ids out of range', () => {
    expect(() => tokenizer.decode([3, tokenizer.vocabSize])).toThrow(
      /353 at position 1 is no token id; expected 0 to 352/,
    );
    expect(() => tokenizer.decode([-1])).toThrow(/-1/);
  });
});
