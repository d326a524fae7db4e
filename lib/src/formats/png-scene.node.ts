/** The drawing inside of a PNG, where Excalidraw keeps its own: a `tEXt` chunk, so that the picture can be opened and edited again. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { z } from 'zod';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const KEYWORD = 'application/vnd.excalidraw+json';
/** Length, name and checksum around the data of a chunk, bytes. */
const FRAME = 12;

/** The scene's text, compressed, as a string with one character a byte. */
const envelope = z.looseObject({
  encoding: z.literal('bstring'),
  compressed: z.boolean(),
  encoded: z.string(),
});

/** The picture with the scene (the text of an `.excalidraw` file) in it. */
export function addScene(png: Uint8Array, scene: string): Uint8Array {
  const encoded = deflateSync(scene).toString('latin1');
  const text = JSON.stringify({ version: '1', encoding: 'bstring', compressed: true, encoded });
  const data = Buffer.from(`${KEYWORD}\0${text}`, 'latin1');
  // before the last chunk, which says that there is no more
  const end = png.length - FRAME;
  return Buffer.concat([png.subarray(0, end), chunk('tEXt', data), png.subarray(end)]);
}

function chunk(name: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(FRAME + data.length);
  bytes.writeUInt32BE(data.length);
  bytes.write(name, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** @throws Error in one sentence for what is no PNG, has no scene, or has a damaged one. */
export function readScene(png: Uint8Array): string {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('This is not a PNG file.');
  for (let at = SIGNATURE.length; at + FRAME <= bytes.length; at += FRAME + bytes.readUInt32BE(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) !== 'tEXt') continue;
    const data = bytes.toString('latin1', at + 8, at + 8 + bytes.readUInt32BE(at));
    if (data.startsWith(`${KEYWORD}\0`)) return decodeScene(data.slice(KEYWORD.length + 1));
  }
  throw new Error(
    'This PNG is only a picture: no drawing lies in it. Export it with the scene embedded, or from posttrain.',
  );
}

function decodeScene(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const found = envelope.safeParse(value);
    // old files have the scene as it is
    if (!found.success) return JSON.stringify(value);
    const { encoded, compressed } = found.data;
    const bytes = Buffer.from(encoded, 'latin1');
    return (compressed ? inflateSync(bytes) : bytes).toString('utf8');
  } catch (error) {
    throw new Error(`The drawing inside of this PNG is damaged (${(error as Error).message}).`);
  }
}
