import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  type Dataset,
  parseDataset,
  preferenceRows,
  requireType,
  serializeDataset,
  sftRows,
  turnExamples,
  unpairedPreferenceRows,
} from 'posttrain/datasets';
import { readDataset, writeDataset } from 'posttrain/datasets/files.node';
import { type ChatMessage, renderCompletion, renderPrompt, stopTokens, type Tokenizer } from 'posttrain/text';
import { exampleOf } from 'posttrain/trainers/sft-rows';
import { describe, expect, it } from 'vitest';
import { pretrainedFolders, readTokenizer } from '../pretrained/fixture.js';
import { smallTokenizer } from '../text/small-tokenizer.js';
import { conversational, datasetTypes, standard } from './examples.js';

describe.each(Object.entries({ standard, conversational }))('a %s dataset', (form, examples) => {
  it.each(datasetTypes)('of type %s is the file that TRL was given, and is read back whole', async (type) => {
    const text = serializeDataset(examples[type]);
    await expect(text).toMatchFileSnapshot(`fixtures/${form}.${type}.jsonl`);
    expect(parseDataset(text)).toEqual({ type, examples: examples[type] });
  });
});

describe('parseDataset', () => {
  const line = '{"prompt":"a","completion":"b"}\n';

  it.each<[string, string, RegExp]>([
    ['nothing', ' \n', /data: no examples/],
    ['a line that is not JSON', `${line}{"prompt"`, /data, line 2: not JSON/],
    ['a line that is no object', `${line}[1]\n`, /data, line 2: expected an object/],
    ['columns of no type', '{"question":"a","answer":"b"}', /data, line 1: columns question, answer make no/],
    ['a missing column', `${line}\n{"prompt":"a"}`, /data, line 3: column completion of a prompt-completion/],
    ['a number', `${line}{"prompt":"a","completion":1}`, /line 2: column completion .*expected string/],
    ['another form', `${line}{"prompt":[],"completion":[]}`, /line 2: column prompt .*expected string/],
    ['no prompt', '{"chosen":"a","rejected":"b"}', /line 1: column prompt of a preference/],
    ['a label that is no boolean', '{"prompt":"a","completion":"b","label":1}', /column label .*boolean/],
    ['a role that is none', '{"messages":[{"role":"tool","content":"a"}]}', /column messages.0.role/],
    [
      'a tool call',
      '{"messages":[{"role":"assistant","content":"a","tool_calls":[]}]}',
      /column messages.0 .*only role and content/,
    ],
    ['an empty conversation', '{"messages":[]}', /column messages of/],
  ])('names line and column of %s', (_, text, message) => {
    expect(() => parseDataset(text, 'data')).toThrow(message);
  });

  it('gives back any text and any further column', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(
        fc.array(fc.record({ prompt: text, completion: text, id: fc.integer() }), { minLength: 1 }),
        (examples) => {
          expect(parseDataset(serializeDataset(examples))).toEqual({ type: 'prompt-completion', examples });
        },
      ),
    );
  });

  it('reads files with the line ends of Windows, and writes whole files', () => {
    const dir = mkdtempSync(join(tmpdir(), 'datasets-'));
    try {
      const path = join(dir, 'sub', 'rows.jsonl');
      writeDataset(path, standard.preference);
      expect(readDataset(path)).toEqual({ type: 'preference', examples: standard.preference });
      expect(parseDataset(line.replace('\n', '\r\n').repeat(2)).examples).toHaveLength(2);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('tells of what type a dataset is where another is needed', () => {
    const dataset = parseDataset(line);
    expect(requireType(dataset, 'prompt-completion')).toBe(dataset);
    expect(() => preferenceRows(dataset, smallTokenizer())).toThrow(
      /of type prompt-completion; expected preference/,
    );
  });
});

const dataset = <T extends keyof typeof standard>(examples: typeof standard, type: T): Dataset =>
  ({ type, examples: examples[type] }) as unknown as Dataset;

/** What TRL makes of the same files, with the tokenizer of Qwen2 (check_trl.py). */
describe.each(Object.entries({ standard, conversational }))(
  'rows of a %s dataset are those of TRL',
  (form, examples) => {
    const trl = JSON.parse(
      readFileSync(new URL('./fixtures/trl-rows.json', import.meta.url), 'utf8'),
    ) as Record<string, Record<string, number[]>[]>;
    const rowsOf = (type: string): Record<string, number[]>[] => trl[`${form}.${type}`]!;
    /** Templates put a line break behind the end of a turn. TRL learns it, though nothing samples it; here a reply ends with its turn. */
    const expectSame = (tokenizer: Tokenizer, ours: Int32Array, theirs: readonly number[]): void => {
      expect([...ours]).toEqual(theirs.slice(0, ours.length));
      expect(tokenizer.decode(theirs.slice(ours.length))).toBe(form === 'standard' ? '' : '\n');
    };

    it('for SFT', async () => {
      const tokenizer = await readTokenizer('qwen2');
      for (const type of ['language-modeling', 'prompt-completion'] as const)
        sftRows(dataset(examples, type), tokenizer).forEach((row, index) => {
          const { input_ids: ids, labels } = rowsOf(type)[index]!;
          const { tokens, mask } = exampleOf(row, index, { maxLength: 1000, completionOnlyLoss: true });
          expectSame(tokenizer, tokens, ids!);
          // the first token is never predicted, whatever its label
          const learned = labels!.slice(1, tokens.length).map((label) => (label === -100 ? 0 : 1));
          expect([...mask.slice(1)]).toEqual(learned);
        });
    });

    it('for DPO and KTO', async () => {
      const tokenizer = await readTokenizer('qwen2');
      preferenceRows(dataset(examples, 'preference'), tokenizer).forEach(
        ({ prompt, chosen, rejected }, index) => {
          const { prompt_ids, chosen_ids, rejected_ids } = rowsOf('preference')[index]!;
          expect([...prompt]).toEqual(prompt_ids);
          expectSame(tokenizer, chosen, chosen_ids!);
          expectSame(tokenizer, rejected, rejected_ids!);
        },
      );
      unpairedPreferenceRows(dataset(examples, 'unpaired-preference'), tokenizer).forEach(
        ({ prompt, completion }, index) => {
          const { prompt_ids, completion_ids } = rowsOf('unpaired-preference')[index]!;
          expect([...prompt]).toEqual(prompt_ids);
          expectSame(tokenizer, completion, completion_ids!);
        },
      );
    });
  },
);

describe('rows', () => {
  const tokenizer = smallTokenizer();
  const end = stopTokens(tokenizer)[0]!;

  it('of strings are encoded apart, with the token that ends a reply', () => {
    const [row] = sftRows(dataset(standard, 'prompt-completion'), tokenizer) as {
      prompt: Int32Array;
      completion: Int32Array;
    }[];
    expect(row!.prompt).toEqual(tokenizer.encode('Draw a box.'));
    expect([...row!.completion]).toEqual([...tokenizer.encode(' Done.'), end]);
    const [text] = sftRows(dataset(standard, 'language-modeling'), tokenizer, { endToken: 7 }) as {
      tokens: Int32Array;
    }[];
    expect([...text!.tokens]).toEqual([...tokenizer.encode('The quick brown fox.'), 7]);
  });

  it('of preferences keep which reply is which', () => {
    const [pair] = preferenceRows(dataset(conversational, 'preference'), tokenizer);
    const prompt = renderPrompt(tokenizer, [{ role: 'user', content: 'Draw a box.' }]);
    expect(pair).toEqual({
      prompt,
      chosen: renderCompletion(tokenizer, 'Done.'),
      rejected: renderCompletion(tokenizer, 'No.'),
    });
    const rows = unpairedPreferenceRows(dataset(conversational, 'unpaired-preference'), tokenizer);
    expect(rows.map(({ label, completion }) => [label, tokenizer.decode(completion)])).toEqual([
      [true, 'Done.<|end|>'],
      [false, 'No.<|end|>'],
    ]);
  });

  it('name the row whose reply is none', () => {
    const examples = [
      ...conversational['prompt-completion'],
      { prompt: [{ role: 'user', content: 'a' }], completion: [{ role: 'user', content: 'b' }] },
    ];
    expect(() => sftRows({ type: 'prompt-completion', examples } as Dataset, tokenizer)).toThrow(
      /Row 2: a reply is one message of the assistant; found user/,
    );
    const open = [{ messages: [{ role: 'user', content: 'a' }] }];
    expect(() => sftRows({ type: 'language-modeling', examples: open } as Dataset, tokenizer)).toThrow(
      /Row 0.*does not end/,
    );
  });
});

const plain = fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => `a${text}z`);
const conversation = fc.array(fc.tuple(plain, plain), { minLength: 1, maxLength: 4 }).map((turns) =>
  turns.flatMap(([question, reply]): ChatMessage[] => [
    { role: 'user', content: question },
    { role: 'assistant', content: reply },
  ]),
);

describe.each(['ours', ...pretrainedFolders])('conversations to learn, with the tokenizer of %s', (name) => {
  const open = async (): Promise<Tokenizer> => (name === 'ours' ? smallTokenizer() : readTokenizer(name));

  it('train every reply with the token that ends it, and with assistantOnlyLoss nothing else', async () => {
    const tokenizer = await open();
    fc.assert(
      fc.property(conversation, (messages) => {
        const rows = sftRows({ type: 'language-modeling', examples: [{ messages }] }, tokenizer, {
          assistantOnlyLoss: true,
        });
        const learned = rows.flatMap((row, index) => {
          const { tokens, mask } = exampleOf(row, index, { maxLength: 100_000, completionOnlyLoss: true });
          return [...tokens].filter((_, t) => mask[t] === 1);
        });
        const replies = messages.filter(({ role }) => role === 'assistant');
        expect(learned).toEqual(replies.flatMap(({ content }) => [...renderCompletion(tokenizer, content)]));
        // thoughts that Qwen3 drops from earlier turns force rows of their own
        expect(rows).toHaveLength(name === 'qwen3' ? replies.length : 1);
      }),
      { numRuns: 25 },
    );
  });
});

describe('turnExamples', () => {
  it('makes each turn a completion of all that was said before', () => {
    const turns = [
      { observation: 'draw', completion: 'A' },
      { observation: 'more', completion: 'B' },
    ];
    const [first, second] = turnExamples({ turns });
    expect(first).toEqual({
      prompt: [{ role: 'user', content: 'draw' }],
      completion: [{ role: 'assistant', content: 'A' }],
    });
    expect(second!.prompt).toHaveLength(3);
    expect(second!.completion[0].content).toBe('B');
    expect(parseDataset(serializeDataset(turnExamples({ turns }))).type).toBe('prompt-completion');
  });
});
