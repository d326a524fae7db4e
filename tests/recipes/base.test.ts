import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseActions } from 'posttrain/envs/diagram';
import { exerciseRow, buildCorpus, proseRow } from 'posttrain/recipes/base/corpus';
import { readSources, trainTokenizer } from 'posttrain/recipes/base/pretrain.node';
import { baseRecipe } from 'posttrain/recipes/base/recipe';
import { distinctLabels } from 'posttrain/recipes/base/labels';
import { drawExercise } from 'posttrain/recipes/base/records';
import { randomStream } from 'posttrain/tensor/random';
import { chatTokens, trainBpe } from 'posttrain/text';

const book =
  `Call me Ishmael. Some years ago - never mind how long precisely - having little or no money in my purse,
and nothing particular to interest me on shore, I thought I would sail about a little and see the watery part of the world.`.repeat(
    20,
  );
const words = ['whale', 'Purse', 'shore', 'Ishmael', 'world', 'sail', 'money', 'years', 'water', 'part'];
const exercises = Array.from({ length: 2000 }, (_, i) => drawExercise(randomStream(1, 'test', 0, i), words));

describe('what the base model is trained on', () => {
  it('never shows an action, nor a reply that the diagram world could read', () => {
    for (const { prompt, completion } of exercises) {
      expect(`${prompt}${completion}`).not.toMatch(
        /"(actions|type|shape|width|height|from|to|text|id|x|y)":/,
      );
      expect(parseActions(completion).ok).toBe(false);
    }
  });

  it('answers with valid JSON or with words of the question', () => {
    for (const { prompt, completion } of exercises) {
      if (completion.startsWith('{')) expect(() => JSON.parse(completion) as unknown).not.toThrow();
      else expect(prompt).toContain(completion.replace(/^"|"$/g, ''));
    }
  });

  it('draws labels that differ from one another', () => {
    for (let i = 0; i < 200; i++) {
      const labels = distinctLabels(randomStream(2, 'labels', 0, i), words, 6);
      expect(new Set(labels).size).toBe(6);
    }
  });
});

describe('rows', () => {
  const tokenizer = trainBpe([book], { vocabSize: 300, specialTokens: chatTokens, pieces: [] });
  const corpus = buildCorpus(tokenizer, { books: [book], modernWords: ['browser'] });

  it('learns answers only, and answers end with <|end|>', () => {
    const { tokens, mask } = exerciseRow(corpus, tokenizer, randomStream(3, 'row', 0, 0), 400);
    expect(tokens).toHaveLength(400);
    const end = tokenizer.tokenId('<|end|>');
    const assistant = tokenizer.tokenId('<|assistant|>');
    for (let t = 1; t < 400; t++) {
      if (tokens[t] === end) expect(mask[t]).toBe(1);
      if (tokens[t - 1] === assistant) expect([mask[t - 1], mask[t]]).toEqual([0, 1]);
    }
    expect(mask).toContain(1);
  });

  it('never trains on the held-out end of the books', () => {
    const training = corpus.prose.subarray(0, corpus.prose.length - corpus.heldOut).join(',');
    for (let i = 0; i < 50; i++)
      expect(training).toContain(proseRow(corpus, randomStream(4, 'row', 0, i), 32).tokens.join(','));
  });
});

describe('the committed base', () => {
  it('was made by the recipe in the library', () => {
    expect(JSON.parse(readFileSync('data/base/recipe.json', 'utf8'))).toEqual(baseRecipe);
  });

  it('has the tokenizer that the recipe makes of data/corpus', () => {
    const tokenizer = trainTokenizer(readSources('data/corpus'), baseRecipe);
    expect(tokenizer.toJSON()).toBe(readFileSync('data/base/tokenizer.json', 'utf8'));
  });
});
