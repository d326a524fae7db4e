/**
 * Equality with the Hugging Face `tokenizers` library on the same tokenizer.json.
 * POSTTRAIN_UPDATE_GOLDEN=1 writes tokenizer.json anew; fixtures/make_ids.py then writes ids.json.
 */
import { writeFileSync } from 'node:fs';
import { tokenizerFromJSON } from 'posttrain/text';
import { describe, expect, it } from 'vitest';
import { readGolden, smallTokenizer } from './small-tokenizer.js';

interface Golden {
  readonly cases: readonly { text: string; ids: number[]; idsWithSpecial: number[]; decoded: string }[];
  readonly decode: readonly { ids: number[]; text: string }[];
}

if (process.env['POSTTRAIN_UPDATE_GOLDEN'])
  writeFileSync(new URL('./fixtures/tokenizer.json', import.meta.url), smallTokenizer().toJSON());

describe('tokenizer.json', () => {
  const golden = JSON.parse(readGolden('ids.json')) as Golden;
  const tokenizer = tokenizerFromJSON(readGolden('tokenizer.json'));

  it('is what training on the same corpus gives, byte by byte', () => {
    expect(smallTokenizer().toJSON()).toBe(readGolden('tokenizer.json'));
    expect(tokenizer.toJSON()).toBe(readGolden('tokenizer.json'));
  });

  it('encodes as the tokenizers library does', () => {
    expect(golden.cases.length).toBeGreaterThan(150);
    for (const { text, ids, idsWithSpecial } of golden.cases) {
      expect([...tokenizer.encode(text)], text).toEqual(ids);
      expect([...tokenizer.encode(text, { allowSpecial: true })], text).toEqual(idsWithSpecial);
    }
  });

  it('decodes as the tokenizers library does, invalid bytes included', () => {
    for (const { idsWithSpecial, decoded } of golden.cases)
      expect(tokenizer.decode(idsWithSpecial)).toBe(decoded);
    for (const { ids, text } of golden.decode) expect(tokenizer.decode(ids)).toBe(text);
    expect(golden.decode.some(({ text }) => text.includes('\ufffd'))).toBe(true);
  });
});
