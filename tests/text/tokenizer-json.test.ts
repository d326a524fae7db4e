import { tokenizerFromJSON } from 'posttrain/text';
import { describe, expect, it } from 'vitest';
import { readGolden } from './small-tokenizer.js';

type Json = Record<string, unknown>;

const changed = (change: (json: Json & { model: Json; added_tokens: Json[] }) => void): string => {
  const json = JSON.parse(readGolden('tokenizer.json')) as Json & { model: Json; added_tokens: Json[] };
  change(json);
  return JSON.stringify(json);
};

describe('tokenizerFromJSON names what is wrong', () => {
  it.each<[string, string, RegExp]>([
    ['no JSON', '{"version":', /not JSON/],
    ['a normalizer', changed((json) => (json['normalizer'] = { type: 'NFC' })), /normalizer/],
    ['another model', changed((json) => (json.model['type'] = 'Unigram')), /model\.type/],
    ['byte fallback', changed((json) => (json.model['byte_fallback'] = true)), /model\.byte_fallback/],
    [
      'another pre-tokenizer',
      changed((json) => (json['pre_tokenizer'] = { type: 'Whitespace' })),
      /pre_tokenizer/,
    ],
    [
      'a stripping token',
      changed((json) => (json.added_tokens[0]!['lstrip'] = true)),
      /added_tokens\.0\.lstrip/,
    ],
    ['two tokens with one id', changed((json) => ((json.model['vocab'] as Json)['!'] = 300)), /id 300/],
    ['a missing byte', changed((json) => delete (json.model['vocab'] as Json)['!']), /ids must be/],
    [
      'an unknown merge',
      changed((json) => (json.model['merges'] = [['zzz', 'q']])),
      /"zzz" is not in the vocabulary/,
    ],
  ])('%s', (_, json, message) => {
    expect(() => tokenizerFromJSON(json)).toThrow(message);
  });
});
