/** Takes the place of tfjs's matrix product, whose transposed and batched forms are a plain loop. */
import * as tf from '@tensorflow/tfjs-core';
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { addressOf, makeOutput, run, scratch } from './heap.js';

/** Rows, columns and byte strides of the last two axes, transposed on request. */
interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

function asMatrix(shape: number[], transpose: boolean): Matrix {
  const [rows, columns] = shape.slice(-2) as [number, number];
  const plain = { rows, columns, rowStride: columns * 4, columnStride: 4 };
  return transpose ? { rows: columns, columns: rows, rowStride: 4, columnStride: columns * 4 } : plain;
}

/** For each batch of the output, which batch of an operand it reads. */
function batchIndices(batchShape: number[], outShape: number[]): number[] {
  const strides = tf.util.computeStrides([...batchShape, 1]);
  const padding = outShape.length - batchShape.length;
  const outStrides = tf.util.computeStrides([...outShape, 1]);
  return Array.from({ length: tf.util.sizeFromShape(outShape) }, (_, flat) =>
    batchShape.reduce((sum, size, axis) => {
      const at =
        Math.floor(flat / (outStrides[axis + padding] as number)) % (outShape[axis + padding] as number);
      return sum + (size === 1 ? 0 : at * (strides[axis] as number));
    }, 0),
  );
}

interface Product {
  readonly a: TensorInfo;
  readonly b: TensorInfo;
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
  /** What the product is added to: `[M, N]`, or `[N]` for every row. */
  readonly start?: TensorInfo;
}

/** `[..., M, K] × [..., K, N]` with broadcast over the leading axes, of which there are none where `start` is given. */
export function multiply({ a, b, transposeA = false, transposeB = false, start }: Product): TensorInfo {
  if (a.dtype !== 'float32' || b.dtype !== 'float32')
    throw new Error(`matMul of ${a.dtype} and ${b.dtype}: only float32`);
  const [left, right] = [asMatrix(a.shape, transposeA), asMatrix(b.shape, transposeB)];
  if (left.columns !== right.rows)
    throw new Error(
      `matMul: inner sizes ${left.columns} and ${right.rows} differ, shapes [${a.shape}] and [${b.shape}]`,
    );
  const [m, k, n] = [left.rows, left.columns, right.columns];
  const [aBatches, bBatches] = [a.shape.slice(0, -2), b.shape.slice(0, -2)];
  const outBatches = tf.broadcast_util.assertAndGetBroadcastShape(aBatches, bBatches);
  const out = makeOutput([...outBatches, m, n]);
  const work = scratch(run().gemmScratch(n, k));
  const [aAddress, bAddress, outAddress] = [addressOf(a), addressOf(b), addressOf(out)];
  const startAddress = start === undefined ? 0 : addressOf(start);
  const startRow = start?.shape.length === 2 ? n * 4 : 0;
  const aIndices = batchIndices(aBatches, outBatches);
  const bIndices = batchIndices(bBatches, outBatches);
  aIndices.forEach((aIndex, batch) => {
    run().gemm(
      aAddress + aIndex * m * k * 4,
      left.rowStride,
      left.columnStride,
      bAddress + (bIndices[batch] as number) * k * n * 4,
      right.rowStride,
      right.columnStride,
      startAddress,
      startRow,
      outAddress + batch * m * n * 4,
      m,
      n,
      k,
      work,
    );
  });
  return out;
}
