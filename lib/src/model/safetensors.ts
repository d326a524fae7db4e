/**
 * The safetensors format: 8 bytes header length (little endian), a JSON header padded with spaces to a multiple
 * of 8, then the tensors' bytes. What is written equals, byte by byte, what the Python library writes.
 * Source: https://github.com/huggingface/safetensors#format
 */
import { z } from 'zod';
import {
  bfloat16ToFloat32,
  float16ToFloat32,
  float32ToBfloat16,
  float32ToFloat16,
} from './half-precision.js';

/** Bytes per number of the types that can be read and written. */
const itemSizes = { F32: 4, F16: 2, BF16: 2 } as const;

export type SafetensorsType = keyof typeof itemSizes;

export interface NamedTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export interface SafetensorsFile {
  readonly tensors: Map<string, NamedTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});
const metadataSchema = z.record(z.string(), z.string());

type Entry = z.infer<typeof entrySchema> & { readonly name: string };

/** A tensor that lies in a file, from byte `start` to before byte `end` of it. */
export interface StoredTensor {
  readonly name: string;
  readonly dtype: SafetensorsType;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** Bytes at the beginning of a file that tell how long its header is. */
export const HEADER_PREFIX = 8;

/**
 * The bytes of a safetensors file.
 * @param dtype `F32` keeps every bit; `F16` and `BF16` halve the size and round to nearest even
 * @param metadata free text; `{ format: 'pt' }` is what transformers writes and expects
 */
export function serializeSafetensors(
  tensors: ReadonlyMap<string, NamedTensor>,
  { dtype = 'F32', metadata }: { dtype?: SafetensorsType; metadata?: Readonly<Record<string, string>> } = {},
): Uint8Array {
  const sorted = [...tensors].sort(([a], [b]) => (a < b ? -1 : 1));
  const fields: [string, unknown][] = metadata ? [['__metadata__', metadata]] : [];
  let offset = 0;
  for (const [name, { shape, data }] of sorted) {
    if (data.length !== product(shape))
      throw new Error(
        `safetensors: ${name} has ${data.length} numbers, but its shape is [${shape.join(', ')}].`,
      );
    const end = offset + data.length * itemSizes[dtype];
    fields.push([name, { dtype, shape, data_offsets: [offset, end] }]);
    offset = end;
  }
  // Written by hand: an object literal would move names that look like integers to the front.
  const json = `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
  const header = new TextEncoder().encode(json);
  const headerLength = Math.ceil(header.length / 8) * 8;
  const bytes = new Uint8Array(8 + headerLength + offset);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerLength), true);
  bytes.fill(0x20, 8, 8 + headerLength);
  bytes.set(header, 8);
  let position = 8 + headerLength;
  for (const [, { data }] of sorted) {
    const encoded = encode(dtype, data);
    bytes.set(new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength), position);
    position += encoded.byteLength;
  }
  return bytes;
}

/**
 * Reads a safetensors file of `F32`, `F16` and `BF16` tensors; all become 32-bit floats.
 * Throws when the file is cut short, its header is broken, or tensors overlap or leave gaps.
 */
export function parseSafetensors(bytes: Uint8Array): SafetensorsFile {
  const { stored, metadata } = safetensorsHeader(bytes, bytes.length);
  const tensors = new Map(
    stored.map((tensor) => [
      tensor.name,
      { shape: tensor.shape, data: decodeTensor(tensor, bytes.subarray(tensor.start, tensor.end)) },
    ]),
  );
  return { tensors, metadata };
}

/** Where the header ends, counted from the beginning of the file. Throws when `bytes` has less than the first 8. */
export function headerEnd(bytes: Uint8Array): number {
  if (bytes.length < HEADER_PREFIX) throw corrupt(`it has ${bytes.length} bytes, too few for a header`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return HEADER_PREFIX + Number(view.getBigUint64(0, true));
}

/**
 * What a file of `fileLength` bytes holds, and where, from its beginning up to the end of the header at least. For files that are not
 * read at once. Throws as `parseSafetensors` does.
 */
export function safetensorsHeader(
  bytes: Uint8Array,
  fileLength: number,
): { readonly stored: StoredTensor[]; readonly metadata: Readonly<Record<string, string>> } {
  const { header, dataStart } = readHeader(bytes, fileLength);
  const entries: Entry[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(header)) {
    const parsed = (name === '__metadata__' ? metadataSchema : entrySchema).safeParse(value);
    if (!parsed.success)
      throw corrupt(`header entry ${JSON.stringify(name)}: ${parsed.error.issues[0]?.message}`);
    if (name === '__metadata__') metadata = metadataSchema.parse(value);
    else entries.push({ name, ...entrySchema.parse(value) });
  }
  checkLayout(entries, fileLength - dataStart);
  const stored = entries.map(({ name, dtype, shape, data_offsets: [start, end] }) => ({
    name,
    dtype: dtype as SafetensorsType,
    shape,
    start: dataStart + start,
    end: dataStart + end,
  }));
  return { stored, metadata };
}

function readHeader(bytes: Uint8Array, fileLength: number): { header: object; dataStart: number } {
  const dataStart = headerEnd(bytes);
  if (dataStart > fileLength)
    throw corrupt(`its header should end at byte ${dataStart}, but the file has ${fileLength}`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(8, dataStart));
    return { header: z.object({}).loose().parse(JSON.parse(text)), dataStart };
  } catch (cause) {
    throw corrupt('its header is not a JSON object', cause);
  }
}

/** The tensors must fill the data section exactly, each with as many bytes as its shape says. */
function checkLayout(entries: readonly Entry[], dataLength: number): void {
  let expected = 0;
  // By end too: a tensor without numbers starts where the next one does.
  const inOrder = entries.toSorted(({ data_offsets: a }, { data_offsets: b }) => a[0] - b[0] || a[1] - b[1]);
  for (const { name, dtype, shape, data_offsets } of inOrder) {
    if (!Object.hasOwn(itemSizes, dtype))
      throw new Error(
        `safetensors: ${name} has type ${dtype}; supported are ${Object.keys(itemSizes).join(', ')}.`,
      );
    const [start, end] = data_offsets;
    if (start !== expected)
      throw corrupt(`${name} starts at byte ${start} of the data; expected ${expected}`);
    const size = product(shape) * itemSizes[dtype as SafetensorsType];
    if (end - start !== size) throw corrupt(`${name} takes ${end - start} bytes; its shape needs ${size}`);
    expected = end;
  }
  if (expected !== dataLength)
    throw corrupt(`its tensors take ${expected} bytes, but it holds ${dataLength}`);
}

function encode(dtype: SafetensorsType, data: Float32Array): Float32Array | Uint16Array {
  if (dtype === 'F32') return data;
  return dtype === 'BF16' ? float32ToBfloat16(data) : float32ToFloat16(data);
}

/** The numbers of a tensor from its bytes in the file. */
export function decodeTensor({ dtype }: Pick<StoredTensor, 'dtype'>, bytes: Uint8Array): Float32Array {
  const { buffer } = new Uint8Array(bytes); // a copy, aligned
  if (dtype === 'F32') return new Float32Array(buffer);
  const halves = new Uint16Array(buffer);
  return dtype === 'BF16' ? bfloat16ToFloat32(halves) : float16ToFloat32(halves);
}

function product(shape: readonly number[]): number {
  return shape.reduce((size, axis) => size * axis, 1);
}

function corrupt(reason: string, cause?: unknown): Error {
  return new Error(`The safetensors file is damaged: ${reason}. Copy or save it again.`, { cause });
}
