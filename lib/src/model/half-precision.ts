/**
 * 16-bit floats: the upper half of a float32 (bfloat16), and IEEE 754 half precision. Loops, because `from` of typed arrays first makes a
 * list of all numbers, which for the embedding table of a model of half a billion parameters is more than V8 allows.
 */

export function bfloat16ToFloat32(halves: Uint16Array): Float32Array {
  const words = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i++) words[i] = halves[i]! << 16;
  return new Float32Array(words.buffer);
}

/** Rounds to nearest, ties to even, as PyTorch does. */
export function float32ToBfloat16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < halves.length; i++) {
    const word = bits[i]!;
    halves[i] = Number.isNaN(values[i]) ? 0x7fc0 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
  }
  return halves;
}

export function float16ToFloat32(halves: Uint16Array): Float32Array {
  const values = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) values[i] = float16Value(halves[i]!);
  return values;
}

function float16Value(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Rounds to nearest, ties to even, as PyTorch does: magnitudes from 65,520 become infinite, those below 2^-25 vanish. */
export function float32ToFloat16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < halves.length; i++) halves[i] = float16Bits(bits[i]!, values[i]!);
  return halves;
}

/** @param word the bits of `value` as a float32 */
function float16Bits(word: number, value: number): number {
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7e00;
  if (magnitude >= 0x47800000) return sign | 0x7c00;
  if (magnitude < 0x38800000) return sign | roundHalfEven(Math.abs(value) * 2 ** 24);
  // the exponent's bias is 15 instead of 127, the fraction 10 bits instead of 23
  return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
}

/** Of a magnitude below 2^51: no double beyond has a fraction, so that the addition rounds it away. */
function roundHalfEven(magnitude: number): number {
  return magnitude + 2 ** 52 - 2 ** 52;
}
