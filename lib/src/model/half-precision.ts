/** 16-bit floats: the upper half of a float32 (bfloat16), and IEEE 754 half precision. */

export function bfloat16ToFloat32(halves: Uint16Array): Float32Array {
  return new Float32Array(Uint32Array.from(halves, (half) => half << 16).buffer);
}

/** Rounds to nearest, ties to even, as PyTorch does. */
export function float32ToBfloat16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(bits, (word, i) => {
    if (Number.isNaN(values[i])) return 0x7fc0;
    return (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
  });
}

export function float16ToFloat32(halves: Uint16Array): Float32Array {
  return Float32Array.from(halves, (half) => {
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}
