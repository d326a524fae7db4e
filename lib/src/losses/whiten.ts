import { mean, standardDeviation } from './advantages.js';

/** Keeps the division finite where all values are equal. */
const VARIANCE_FLOOR = 1e-8;

/**
 * Per-token values of variance 1 (over N − 1) and mean 0, counted over the masked tokens of all streams together; 0 at all others.
 * With `shiftMean` false they keep their mean, as rewards must, whose sign matters. A single value has no variance and is not divided.
 *
 * @param streams `[T]` each; what stands at mask 0 is not read
 * @param masks `[T]` each; 1 = counts
 *
 * Source: TRL's `masked_whiten`.
 */
export function whiten(
  streams: readonly Float32Array[],
  masks: readonly Uint8Array[],
  { shiftMean = true }: { readonly shiftMean?: boolean } = {},
): Float32Array[] {
  const counted = streams.flatMap((stream, row) => [...stream].filter((_, t) => masks[row]?.[t] === 1));
  const centre = mean(counted);
  const scale = counted.length < 2 ? 1 : Math.sqrt(standardDeviation(counted) ** 2 + VARIANCE_FLOOR);
  return streams.map((stream, row) =>
    stream.map((value, t) =>
      masks[row]?.[t] === 1 ? (value - centre) / scale + (shiftMean ? 0 : centre) : 0,
    ),
  );
}
