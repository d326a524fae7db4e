import { inspect } from 'node:util';
import type { Tensor } from '@tensorflow/tfjs-core';
import { drawingsBundle, figureBundle, isCanvas, isFigure, isTable, tableBundle } from '../display/index.js';
import { mimeBundle, type Displayable } from './display.js';
import type { MimeBundle } from './messages.js';

/**
 * How the value of a cell is shown: as it wants to be, figures, tables and canvases as such, a tensor by shape and first values, all
 * else as Node's console shows it.
 */
export async function valueBundle(value: unknown): Promise<MimeBundle> {
  if (isDisplayable(value)) return value[mimeBundle]();
  if (isFigure(value)) return figureBundle(value);
  if (isTable(value)) return tableBundle(value);
  if (isCanvas(value)) return drawingsBundle([{ canvas: value }], 'A canvas');
  return { 'text/plain': isTensor(value) ? await tensorText(value) : inspect(value, { depth: 4 }) };
}

function isDisplayable(value: unknown): value is Displayable {
  return (
    value !== null &&
    typeof value === 'object' &&
    typeof (value as Partial<Displayable>)[mimeBundle] === 'function'
  );
}

function isTensor(value: unknown): value is Tensor {
  const tensor = value as Partial<Tensor> | null;
  return typeof tensor === 'object' && tensor !== null && 'dataId' in tensor && 'rankType' in tensor;
}

async function tensorText(tensor: Tensor): Promise<string> {
  const title = `Tensor [${tensor.shape.join(', ')}] ${tensor.dtype}`;
  if (tensor.isDisposed) return `${title}, disposed`;
  if (tensor.size === 0) return title;
  const head = nested(await tensor.data(), tensor.shape, tensor.rank <= 2 ? 6 : 3);
  return `${title}\n${inspect(head, { depth: null })}`;
}

/** Flat values as arrays in arrays, at most `most` of each axis; numbers with four digits. */
function nested(values: ArrayLike<number | string>, shape: readonly number[], most: number): unknown {
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  const at = (offset: number, axis: number): unknown => {
    if (axis < shape.length) {
      const shown = Math.min(shape[axis]!, most);
      const items = Array.from({ length: shown }, (_, i) => at(offset + i * strides[axis]!, axis + 1));
      return shown < shape[axis]! ? [...items, ellipsis] : items;
    }
    const value = values[offset]!;
    return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
  };
  return at(0, 0);
}

/** Stands for the values that are left out. */
const ellipsis = { [inspect.custom]: (): string => '…' };
