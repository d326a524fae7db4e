/** What must hold for any conversation and every template. */
import fc from 'fast-check';
import { hubTokenizer } from 'posttrain/pretrained/hub-tokenizer';
import { specialTextCutter } from 'posttrain/pretrained/special-text';
import { type ChatMessage, renderCompletion, renderPrompt, stopTokens, type Tokenizer } from 'posttrain/text';
import { exampleOf } from 'posttrain/trainers/sft-rows';
import { beforeAll, describe, expect, it } from 'vitest';
import { pretrainedFolders, readTokenizer } from './fixture.js';

const spelled = [
  '<|im_start|>',
  '<|im_end|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|start_header_id|>',
  '<|begin_of_text|>',
  '<|<|im_end|>|>',
];
const word = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('draw', '数据库', ' \n\n', '🎉', 'user\n', 'assistant', ...spelled),
);
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(''));
/** 1 to 4 turns, with a system prompt or without; ends with a question. */
const conversation = (content: fc.Arbitrary<string>): fc.Arbitrary<ChatMessage[]> =>
  fc
    .tuple(
      fc.option(content, { nil: undefined }),
      fc.array(fc.tuple(content, content), { maxLength: 3 }),
      content,
    )
    .map(([system, turns, last]) => [
      ...(system === undefined ? [] : [{ role: 'system', content: system } as const]),
      ...turns.flatMap(([user, assistant]): ChatMessage[] => [
        { role: 'user', content: user },
        { role: 'assistant', content: assistant },
      ]),
      { role: 'user', content: last },
    ]);
const runs = { numRuns: 40 };

describe.each(pretrainedFolders)('%s', (name) => {
  let tokenizer: Tokenizer;
  let special: Set<number>;
  const specialIn = (ids: ArrayLike<number>): number[] => Array.from(ids).filter((id) => special.has(id));

  beforeAll(async () => {
    tokenizer = await readTokenizer(name);
    special = new Set(spelled.flatMap((token) => tokenizer.tokenId(token) ?? []));
  });

  it('never makes a special token of what a text spells, and gives the text back', () => {
    fc.assert(
      fc.property(text, (content) => {
        const ids = tokenizer.encode(content);
        expect(specialIn(ids)).toEqual([]);
        // the tokenizers of Qwen compose characters (NFC), piece by piece
        const same = name.startsWith('qwen') ? (s: string): string => s.normalize('NFC') : String;
        expect(same(tokenizer.decode(ids))).toBe(same(content));
      }),
      runs,
    );
  });

  it('gives any conversation the special tokens of one that spells none: who speaks cannot be forged', () => {
    fc.assert(
      fc.property(conversation(text), (messages) => {
        const harmless = messages.map(({ role }) => ({ role, content: 'ok' }));
        expect(specialIn(renderPrompt(tokenizer, messages))).toEqual(
          specialIn(renderPrompt(tokenizer, harmless)),
        );
      }),
      runs,
    );
  });

  it('begins every prompt with its beginning-of-text token once, or not at all', () => {
    const begin = tokenizer.tokenId('<|begin_of_text|>');
    fc.assert(
      fc.property(conversation(text), (messages) => {
        const ids = [...renderPrompt(tokenizer, messages)];
        expect(ids.filter((id) => id === begin)).toHaveLength(begin === undefined ? 0 : 1);
        if (begin !== undefined) expect(ids[0]).toBe(begin);
      }),
      runs,
    );
  });

  it('ends every completion with the token that ends the turn, which is trained, whatever the padding', () => {
    fc.assert(
      fc.property(conversation(text), text, (messages, reply) => {
        const prompt = renderPrompt(tokenizer, messages);
        const completion = renderCompletion(tokenizer, reply);
        expect(specialIn(completion)).toEqual([stopTokens(tokenizer)[0]]);
        const { tokens, mask } = exampleOf({ prompt, completion }, 0, {
          maxLength: 10_000,
          completionOnlyLoss: true,
        });
        expect(tokens.at(-1)).toBe(stopTokens(tokenizer)[0]);
        expect(mask.slice(prompt.length)).toEqual(new Uint8Array(completion.length).fill(1));
        expect(mask.slice(0, prompt.length).includes(1)).toBe(false);
      }),
      runs,
    );
  });

  // Qwen3 drops the thoughts of earlier turns
  it.runIf(name !== 'qwen3')('makes a prompt and its reply the beginning of the next prompt', () => {
    // letters at both ends: templates trim, and white space beside a line break would merge with it
    const plain = text.map((content) => `a${content}z`);
    fc.assert(
      fc.property(conversation(plain), plain, plain, (messages, reply, next) => {
        const before = [...renderPrompt(tokenizer, messages), ...renderCompletion(tokenizer, reply)];
        const after = renderPrompt(tokenizer, [
          ...messages,
          { role: 'assistant', content: reply },
          { role: 'user', content: next },
        ]);
        expect([...after.slice(0, before.length)]).toEqual(before);
      }),
      runs,
    );
  });
});

describe('specialTextCutter', () => {
  const cut = specialTextCutter(['<|a|>', '<|']);

  it('cuts after the first character of each, and after a whole character', () => {
    expect(cut('x<|a|>y')).toEqual(['x<', '|a|>y']);
    expect(cut('<|<|a|>')).toEqual(['<', '|<', '|a|>']);
    expect(cut('plain')).toEqual(['plain']);
    expect(specialTextCutter(['𝒜b'])('𝒜b')).toEqual(['𝒜', 'b']);
  });
});

describe('hubTokenizer', () => {
  it('names the file that cannot be used, and what is wrong', async () => {
    await expect(hubTokenizer({ tokenizer: '{' })).rejects.toThrow(/tokenizer\.json cannot be used/);
    await expect(hubTokenizer({ tokenizer: '{}' })).rejects.toThrow(/added_tokens/);
  });

  it('refuses a template that cannot be read, that ends replies with nothing, or that refuses the messages', async () => {
    const { toJSON } = await readTokenizer('qwen2');
    const withTemplate = (chatTemplate: string): Promise<Tokenizer> =>
      hubTokenizer({ tokenizer: toJSON(), chatTemplate });
    await expect(withTemplate('{% if %}')).rejects.toThrow(/cannot be read/);
    await expect(withTemplate('{% for m in messages %}{{ m.content }}{% endfor %}')).rejects.toThrow(
      /no special token behind a reply/,
    );
    const picky = await withTemplate(
      "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}{{ m.content + '<|im_end|>' }}{% endfor %}",
    );
    expect(() => renderPrompt(picky, [{ role: 'system', content: 'x' }])).toThrow(/refuses.*no system/);
  });

  it('takes the template of tokenizer_config.json where there is no file, and named tokens of either form', async () => {
    const { toJSON } = await readTokenizer('qwen2');
    const template = '{% for m in messages %}{{ m.content + eos_token }}{% endfor %}';
    for (const chat_template of [
      template,
      [
        { name: 'tool', template: 'x' },
        { name: 'default', template },
      ],
    ])
      for (const eos_token of ['<|im_end|>', { content: '<|im_end|>', lstrip: false }]) {
        const config = JSON.stringify({ chat_template, eos_token, bos_token: null });
        const tokenizer = await hubTokenizer({ tokenizer: toJSON(), config, endTokens: [400] });
        expect(tokenizer.decode(renderCompletion(tokenizer, 'hi'))).toBe('hi<|im_end|>');
        expect(stopTokens(tokenizer)).toEqual([tokenizer.tokenId('<|im_end|>'), 400]);
      }
  });

  it('has no chat without a template, and says so when one is needed', async () => {
    const { toJSON } = await readTokenizer('qwen2');
    const base = await hubTokenizer({ tokenizer: toJSON() });
    expect(base.chat).toBeUndefined();
    expect(() => renderPrompt(base, [])).toThrow(/chat template/);
  });

  it('decodes ids beyond its vocabulary to nothing, and refuses what is no id', async () => {
    const tokenizer = await readTokenizer('qwen2');
    const ids = [...tokenizer.encode('hi'), tokenizer.vocabSize, tokenizer.vocabSize + 5];
    expect(tokenizer.decode(ids)).toBe('hi');
    expect(tokenizer.decode([])).toBe('');
    expect(tokenizer.decode([tokenizer.vocabSize])).toBe('');
    expect(() => tokenizer.decode([-1])).toThrow(/-1 at position 0/);
  });
});

describe('a reply of a model that thinks (Qwen3)', () => {
  it('gets the empty thought that its template writes, unless it brings its own', async () => {
    const tokenizer = await readTokenizer('qwen3');
    const learned = (reply: string): string => tokenizer.decode(renderCompletion(tokenizer, reply));
    expect(learned('Yes.')).toBe('<think>\n\n</think>\n\nYes.<|im_end|>');
    expect(learned('<think>\nhm\n</think>\n\nYes.')).toBe('<think>\nhm\n</think>\n\nYes.<|im_end|>');
  });
});
