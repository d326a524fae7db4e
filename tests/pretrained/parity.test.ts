/** Equality with transformers: token ids of texts and conversations, and logits. */
import * as tf from '@tensorflow/tfjs-core';
import { disposeModel, forward, outputLogits } from 'posttrain/model';
import { loadPretrained, type Pretrained } from 'posttrain/pretrained/load.node';
import { initBackend } from 'posttrain/tensor';
import { renderCompletion, renderPrompt } from 'posttrain/text';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxDifference } from '../model/fixture.js';
import { testedBackends } from '../tensor/backends.js';
import { valuesOf } from '../values.js';
import { pretrainedFolders, pretrainedPath, readLogits, readReference, readTokenizer } from './fixture.js';

describe.each(pretrainedFolders)('%s: its tokenizer', (name) => {
  const { texts, chats, vocab_size } = readReference(name);

  it('gives the ids of transformers, and the text back', async () => {
    const tokenizer = await readTokenizer(name);
    expect(tokenizer.vocabSize).toBe(vocab_size);
    for (const { text, ids, decoded } of texts) {
      expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual(ids);
      expect(tokenizer.decode(ids), JSON.stringify(text)).toBe(decoded);
    }
  });

  it('gives the prompts of apply_chat_template', async () => {
    const tokenizer = await readTokenizer(name);
    for (const { messages, prompt } of chats)
      expect([...renderPrompt(tokenizer, messages.slice(0, -1))]).toEqual(prompt);
  });

  it('makes prompt and completion the beginning of the whole conversation, up to the end of the turn', async () => {
    const tokenizer = await readTokenizer(name);
    for (const { messages, whole } of chats) {
      const reply = renderCompletion(tokenizer, messages.at(-1)!.content);
      const joined = [...renderPrompt(tokenizer, messages.slice(0, -1)), ...reply];
      expect(joined).toEqual(whole.slice(0, joined.length));
      expect(reply.at(-1)).toBe(tokenizer.chat!.stopTokens[0]);
      // what follows the end of the turn is a line break at most
      expect(tokenizer.decode(whole.slice(joined.length)).trim()).toBe('');
    }
  });
});

describe.each(testedBackends)('on %s', (backend) => {
  beforeAll(() => initBackend({ backend }));

  describe.each(pretrainedFolders)('%s', (name) => {
    let pretrained: Pretrained;
    beforeAll(async () => void (pretrained = await loadPretrained(pretrainedPath(name))));
    afterAll(() => disposeModel(pretrained.model));

    it('gives the logits of transformers within 1e-4', async () => {
      const { model, tokenizer } = pretrained;
      const { sequence } = readReference(name);
      const expected = readLogits(name);
      const logits = await valuesOf(() =>
        outputLogits(model, forward(model, tf.tensor2d([[...sequence]], undefined, 'int32'))),
      );
      expect(maxDifference(logits.slice(-expected.length), expected)).toBeLessThan(1e-4);
      expect(model.config.vocabSize).toBeGreaterThan(tokenizer.vocabSize);
    });
  });
});
