import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { emptyCanvas } from 'posttrain/envs/diagram/canvas';
import { toExcalidraw } from 'posttrain/formats';
import { fromPng, toPng } from 'posttrain/formats/png.node';
import { addScene, readScene } from 'posttrain/formats/png-scene.node';
import type { Canvas } from 'posttrain/envs/diagram/types';
import { awkwardLabels, busy, labelled, realDrawings, small } from './canvases.js';

const KEYWORD = 'application/vnd.excalidraw+json';

/** The chunks of a PNG, with their checksums tested. */
function chunksOf(png: Uint8Array): { name: string; data: Buffer }[] {
  const bytes = Buffer.from(png);
  const chunks = [];
  for (let at = 8; at < bytes.length; at += 12 + chunks.at(-1)!.data.length) {
    const end = at + 8 + bytes.readUInt32BE(at);
    expect(bytes.readUInt32BE(end)).toBe(crc32(bytes.subarray(at + 4, end)));
    chunks.push({ name: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, end) });
  }
  return chunks;
}

/** Signature, one chunk of text, the end: all that a reader of scenes looks at. */
function pngWith(text: string): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const numbers = Buffer.alloc(8);
    numbers.writeUInt32BE(data.length);
    numbers.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)]);
  };
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('tEXt', Buffer.from(text, 'latin1')),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('a PNG picture', () => {
  it('is twice as large as the drawing, whose scene lies in it as Excalidraw keeps its own', async () => {
    const { bytes } = await toPng(small);
    const chunks = chunksOf(bytes);
    expect(chunks[0]!.name).toBe('IHDR');
    // 100..600 × 100..322, with a margin of 20 all around
    const svgSize = [100 - 20, 600 + 20].reduce((from, to) => to - from);
    expect(chunks[0]!.data.readUInt32BE(0)).toBe(2 * svgSize);
    expect(chunks.at(-1)!.name).toBe('IEND');
    const [keyword, text] = chunks.at(-2)!.data.toString('latin1').split('\0');
    expect(keyword).toBe(KEYWORD);
    const { version, encoding, compressed, encoded } = JSON.parse(text!);
    expect({ version, encoding, compressed }).toEqual({
      version: '1',
      encoding: 'bstring',
      compressed: true,
    });
    expect(inflateSync(Buffer.from(encoded, 'latin1')).toString()).toBe(toExcalidraw(small));
  });

  it.each<readonly [string, Canvas]>([
    ['an empty canvas', emptyCanvas()],
    ['a small one', small],
    ['a busy one', busy],
    ...realDrawings.slice(0, 4).map(({ id, canvas }) => [id, canvas] as const),
    ...awkwardLabels.slice(0, 8).map((label) => [label, labelled(label)] as const),
  ])('brings %s back', async (_name, canvas) => {
    const { bytes } = await toPng(canvas, { scale: 0.5 });
    expect(fromPng(bytes)).toEqual({ canvas, dropped: [] });
  });

  it('says which characters no font has', async () => {
    const fonts = { systemFonts: false };
    expect((await toPng(labelled('Tür 门'), fonts)).missing).toEqual(['T', 'r', 'ü', '门']);
    expect((await toPng(emptyCanvas(), fonts)).missing).toEqual([]);
  });

  it.each([0, -1, NaN, 9])('has no scale of %s', async (scale) => {
    await expect(toPng(small, { scale })).rejects.toThrow(
      `scale is ${scale}; expected a number above 0, at most 8.`,
    );
  });
});

describe('the scene in a PNG', () => {
  const scene = toExcalidraw(small);
  const bstring = (bytes: Buffer, compressed: boolean): string =>
    JSON.stringify({ version: '1', encoding: 'bstring', compressed, encoded: bytes.toString('latin1') });

  it.each([
    ['compressed', bstring(deflateSync(scene), true)],
    ['not compressed', bstring(Buffer.from(scene), false)],
    // old ones are Latin-1 text as it stands
    [
      'without an envelope',
      JSON.stringify(JSON.parse(scene)).replaceAll(
        /[^ -~]/g,
        (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    ],
  ])('is read when it is %s', (_how, text) => {
    expect(fromPng(pngWith(`${KEYWORD}\0${text}`)).canvas).toEqual(small);
  });

  it('is added to any picture, and found behind other texts', () => {
    expect(readScene(addScene(pngWith('Software\0something'), scene))).toBe(scene);
  });

  it.each([
    ['no PNG', Buffer.from('<svg/>'), /This is not a PNG file/],
    ['an empty file', Buffer.alloc(0), /This is not a PNG file/],
    ['a picture only', pngWith('Software\0something'), /only a picture: no drawing lies in it/],
    ['a scene that is cut', pngWith(`${KEYWORD}\0{"encoding":"bst`), /is damaged/],
    ['compressed rubbish', pngWith(`${KEYWORD}\0${bstring(Buffer.from('rubbish'), true)}`), /is damaged/],
    ['a file that was cut', pngWith(`${KEYWORD}\0{}`).subarray(0, 30), /no drawing lies in it|is damaged/],
  ])('%s is refused', (_what, bytes, message) => {
    expect(() => fromPng(bytes)).toThrow(message);
  });
});
