import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parseSafetensors, serializeSafetensors, type NamedTensor } from 'posttrain/model';
import { bfloat16ToFloat32 } from 'posttrain/model/half-precision';
import { describe, expect, it } from 'vitest';
import { families, fixturePath } from './fixture.js';

const read = (name: string): Uint8Array => new Uint8Array(readFileSync(fixturePath(name)));

const fileOf = (header: unknown, data: number): Uint8Array => {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + data);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
};

describe('safetensors', () => {
  it.each([...families.map((family) => `${family}/model.safetensors`), 'halves-f32.safetensors'])(
    'writes %s as Python does, byte by byte',
    (name) => {
      const bytes = read(name);
      const { tensors, metadata } = parseSafetensors(bytes);
      expect(Buffer.compare(serializeSafetensors(tensors, { metadata }), bytes)).toBe(0);
    },
  );

  it.each(['F16', 'BF16'] as const)('writes %s as Python does, byte by byte', (dtype) => {
    const { tensors, metadata } = parseSafetensors(read('halves-f32.safetensors'));
    const bytes = serializeSafetensors(tensors, { dtype, metadata });
    expect(Buffer.compare(bytes, read(`halves-${dtype.toLowerCase()}.safetensors`))).toBe(0);
  });

  it('writes back every half-precision number that it reads', () => {
    const halves = Uint16Array.from({ length: 2 ** 16 }, (_, half) => half);
    const bytes = fileOf(
      { x: { dtype: 'F16', shape: [halves.length], data_offsets: [0, halves.byteLength] } },
      halves.byteLength,
    );
    bytes.set(new Uint8Array(halves.buffer), bytes.length - halves.byteLength);
    const written = serializeSafetensors(parseSafetensors(bytes).tensors, { dtype: 'F16' });
    const back = new Uint16Array(written.slice(written.length - halves.byteLength).buffer);
    const isNaNHalf = (half: number): boolean => (half & 0x7fff) > 0x7c00;
    expect(halves.filter((half, i) => (isNaNHalf(half) ? !isNaNHalf(back[i]!) : back[i] !== half))).toEqual(
      new Uint16Array(0),
    );
  });

  it('rounds to the nearest half-precision number, ties to even', () => {
    const written = (value: number): number => {
      const tensors = new Map([['x', { shape: [1], data: Float32Array.of(value) }]]);
      return parseSafetensors(serializeSafetensors(tensors, { dtype: 'F16' })).tensors.get('x')!.data[0]!;
    };
    const [even, odd] = [1, 1 + 2 ** -10];
    expect(written((even + odd) / 2)).toBe(even);
    expect(written(odd + 2 ** -11)).toBe(1 + 2 ** -9);
    expect(written(65519.99)).toBe(65504);
    expect(written(-65520)).toBe(-Infinity);
    expect(written(2 ** -25)).toBe(0);
    expect(written(1.5 * 2 ** -24)).toBe(2 ** -23);
    fc.assert(
      fc.property(fc.float({ min: -65504, max: 65504, noNaN: true }), (value) => {
        const unit = Math.max(2 ** -24, 2 ** (Math.floor(Math.log2(Math.abs(value))) - 10));
        expect(Math.abs(written(value) - value)).toBeLessThanOrEqual(unit / 2);
      }),
    );
  });

  it.each(['f32', 'f16', 'bf16'])('reads %s exactly', (dtype) => {
    const expected = parseSafetensors(read(`halves-${dtype}-read.safetensors`)).tensors.get('9.b')!;
    const actual = parseSafetensors(read(`halves-${dtype}.safetensors`)).tensors.get('9.b')!;
    expect(actual).toEqual(expected);
    expect(Object.is(actual.data[1], -0)).toBe(true);
  });

  it('reads half-precision infinities and NaN', () => {
    const bytes = fileOf({ x: { dtype: 'F16', shape: [3], data_offsets: [0, 6] } }, 6);
    bytes.set(new Uint8Array(Uint16Array.of(0x7c00, 0xfc00, 0x7e00).buffer), bytes.length - 6);
    expect([...parseSafetensors(bytes).tensors.get('x')!.data]).toEqual([Infinity, -Infinity, NaN]);
  });

  it('gives back what was written, at any offset in memory', () => {
    const tensor = fc.array(fc.float(), { maxLength: 9 }).map((values): NamedTensor => ({
      shape: [1, values.length],
      data: Float32Array.from(values),
    }));
    const name = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => text !== '__metadata__');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, tensor)), fc.nat(7), (entries, shift) => {
        const tensors = new Map(entries);
        const bytes = serializeSafetensors(tensors);
        const shifted = new Uint8Array(bytes.length + shift).subarray(shift);
        shifted.set(bytes);
        const back = parseSafetensors(shifted).tensors;
        expect(new Map([...back].sort())).toEqual(new Map([...tensors].sort()));
      }),
    );
  });

  it('gives back a tensor without numbers, wherever JSON puts its name', () => {
    const tensors = new Map<string, NamedTensor>([
      ['-', { shape: [0], data: new Float32Array(0) }],
      ['5', { shape: [1], data: Float32Array.of(1) }],
    ]);
    expect(parseSafetensors(serializeSafetensors(tensors)).tensors).toEqual(tensors);
  });

  const entry = (start: number, end: number, more: object = {}): object => ({
    dtype: 'F32',
    shape: [1],
    data_offsets: [start, end],
    ...more,
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['an empty file', new Uint8Array(0), /0 bytes, too few/],
    [
      'a file cut in the data',
      read('qwen2-gqa/model.safetensors').subarray(0, 15_000),
      /tensors take \d+ bytes/,
    ],
    [
      'a file cut in the header',
      read('qwen2-gqa/model.safetensors').subarray(0, 500),
      /header should end at/,
    ],
    ['a huge header', fileOf('', 0).fill(255), /header should end at/],
    ['no JSON', fileOf('{"x":', 0), /not a JSON object/],
    ['an array', fileOf('[]', 0), /not a JSON object/],
    [
      'a broken entry',
      fileOf({ x: { dtype: 'F32', shape: [-1], data_offsets: [0, 4] } }, 4),
      /header entry "x"/,
    ],
    [
      'overlapping tensors',
      fileOf({ a: entry(0, 4), b: entry(2, 6) }, 6),
      /b starts at byte 2 of the data; expected 4/,
    ],
    ['a gap', fileOf({ a: entry(0, 4), b: entry(8, 12) }, 12), /b starts at byte 8/],
    ['bytes left over', fileOf({ a: entry(0, 4) }, 8), /tensors take 4 bytes, but it holds 8/],
    ['a wrong size', fileOf({ a: entry(0, 8) }, 8), /a takes 8 bytes; its shape needs 4/],
    [
      'another type',
      fileOf({ a: entry(0, 4, { dtype: 'I32' }) }, 4),
      /a has type I32; supported are F32, F16, BF16/,
    ],
    [
      'a type named like a property',
      fileOf({ a: entry(0, 4, { dtype: 'toString' }) }, 4),
      /a has type toString/,
    ],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => parseSafetensors(bytes)).toThrow(message);
  });

  it('refuses to write a tensor that does not fit its shape', () => {
    const tensors = new Map([['a', { shape: [2, 2], data: new Float32Array(3) }]]);
    expect(() => serializeSafetensors(tensors)).toThrow(/a has 3 numbers, but its shape is \[2, 2\]/);
  });
});

describe('bfloat16', () => {
  it('is read in tables of more numbers than a list may have', () => {
    const halves = new Uint16Array(2 ** 27 + 1).fill(0x3f80, 2 ** 27);
    const values = bfloat16ToFloat32(halves);
    expect([values.length, values[0], values[2 ** 27]]).toEqual([2 ** 27 + 1, 0, 1]);
  });
});
