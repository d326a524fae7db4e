/** A small tokenizer for tests, trained on the golden corpus. */
import { readFileSync } from 'node:fs';
import { chatTokens, trainBpe, type Tokenizer } from 'posttrain/text';

const golden = new URL('./fixtures/', import.meta.url);

export const readGolden = (name: string): string => readFileSync(new URL(name, golden), 'utf8');

export const smallPieces: readonly string[] = [
  '{"kind":"',
  '{"kind":"note","title":"',
  '","tags":["',
  '"],"price":',
];

export const smallTokenizer = (): Tokenizer =>
  trainBpe(readGolden('corpus.txt').split('\n'), {
    vocabSize: 353,
    specialTokens: chatTokens,
    pieces: smallPieces,
  });
