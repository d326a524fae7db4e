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
