import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt, marked } from '../../lib/src/book/search/excerpt.js';
import { createFinder } from '../../lib/src/book/search/finder.js';
import { tokenize } from '../../lib/src/book/search/tokenize.js';
import { searchData } from '../../lib/src/book/shell/search-data.js';
import { book } from './shell-fixture.js';

describe('terms', () => {
  it('are words in small letters', () => {
    expect(tokenize('The Policy, again: it’s ok.')).toEqual([
      'the',
      'policy',
      'again',
      'it’s',
      'it',
      's',
      'ok',
    ]);
  });

  it('are names of code, whole and in parts', () => {
    expect(tokenize('clippedObjective')).toEqual(['clippedobjective', 'clipped', 'objective']);
    expect(tokenize('pass@k')).toEqual(['pass@k', 'pass', 'k']);
    expect(tokenize('off-policy')).toEqual(['off', 'policy']);
    expect(tokenize('k1 0.2')).toEqual(['k1', '0.2', '0', '2']);
  });

  it('are Chinese words and pairs of characters', () => {
    expect(tokenize('策略')).toEqual(['策略']);
    expect(tokenize('近端策略优化')).toEqual(expect.arrayContaining(['策略', '优化', '近端', '端策']));
    expect(tokenize('KL散度 and 奖')).toEqual(expect.arrayContaining(['kl', '散度', 'and', '奖']));
  });

  it('make every two-character word of a Chinese text findable', () => {
    const han = fc.string({
      unit: fc.constantFrom(...'策略优势奖励模型学习环境动作状态'),
      minLength: 2,
      maxLength: 20,
    });
    fc.assert(
      fc.property(han, fc.nat(), (text, at) => {
        const start = at % (text.length - 1);
        return tokenize(text).includes(text.slice(start, start + 2));
      }),
    );
  });
});

describe('finding', () => {
  const find = createFinder(searchData(book));
  const places = (query: string): string[] =>
    find(query).flatMap(({ passages }) => passages.map(({ document }) => document.place));

  it('goes by page and heading', () => {
    expect(find('advantage').map(({ page }) => page)).toEqual(
      expect.arrayContaining(['Rewards & gates', 'Glossary']),
    );
    expect(places('advantage')).toEqual(
      expect.arrayContaining(['03-rewards.html#gates', 'glossary.html#advantage']),
    );
  });

  it('finds by parts of names, beginnings of words, and words with a wrong letter', () => {
    expect(places('objective')).toContain('03-rewards.html#gates');
    expect(places('clippedObj')).toContain('03-rewards.html#gates');
    expect(places('advantgae')).toContain('03-rewards.html#gates');
    expect(places('pass@k')).toEqual(['03-rewards.html#gates']);
  });

  it('finds what a Chinese word means, in the glossary and in English text', () => {
    expect(places('优势')[0]).toBe('glossary.html#advantage');
    expect(places('优势')).toContain('03-rewards.html#gates');
    expect(places('策略')).toEqual(expect.arrayContaining(['glossary.html#policy', '03-rewards.html#gates']));
    expect(places('策略 优势')).toContain('03-rewards.html#gates');
  });

  it('wants all words, and is content with some where none has all', () => {
    expect(places('policy reward')).toEqual(expect.arrayContaining(['03-rewards.html#gates']));
    expect(places('policy nowhere')).toContain('glossary.html#policy');
  });

  it('finds nothing for nothing, and for what is not there', () => {
    expect(find('')).toEqual([]);
    expect(find('zzzzqq')).toEqual([]);
    expect(find('，。')).toEqual([]);
  });

  it('leaves markup out of definitions', () => {
    const documents = searchData(book).documents;
    expect(documents.find(({ place }) => place === 'glossary.html#policy')?.text).toBe(
      'What acts, given <what is seen>. policies',
    );
  });
});

describe('excerpts', () => {
  it('mark whole words and Chinese ones, in any case', () => {
    expect(marked('A Policy, no policymaker: 策略.', ['policy', '策略'])).toEqual([
      { text: 'A ', found: false },
      { text: 'Policy', found: true },
      { text: ', no policymaker: ', found: false },
      { text: '策略', found: true },
      { text: '.', found: false },
    ]);
  });

  it('lose no letter', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string({ minLength: 1 })), (text, terms) => {
        const pieces = marked(text, terms).map((piece) => piece.text);
        expect(pieces.join('')).toBe(text);
      }),
      { numRuns: 40 },
    );
  });

  it('begin a little before the first hit, at a word', () => {
    const text = `${'word '.repeat(60)}needle ${'more '.repeat(60)}`;
    expect(excerpt(text, ['needle'])).toMatch(/^… word .*needle more .* …$/);
    expect(excerpt(text, ['needle']).length).toBeLessThan(170);
    expect(excerpt('Short needle.', ['needle'])).toBe('Short needle.');
  });
});
