/** RMSNorm on WebGPU: a workgroup a row; the weight's gradient in two stages, so that its sums have one order. */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { lastAxis, sizeOf } from '../kernel.js';
import { like, makeOutput, release } from './device.js';
import { launch, launchEach, type Program, reads, REDUCTIONS, writes } from './launch.js';

/** Narrow rows leave a wide workgroup idle. */
const width = (size: number): number => (size <= 512 ? 64 : 256);

const forward = (size: number): Program => ({
  name: `RMSNorm ${width(size)}`,
  width: width(size),
  declarations: REDUCTIONS,
  body: `
    let first = group * size.columns;
    var squares = 0.0;
    for (var i = lane; i < size.columns; i += WIDTH) { squares += x[first + i] * x[first + i]; }
    let scale = inverseSqrt(sumOfLanes(squares, lane) / f32(size.columns) + size.eps);
    for (var i = lane; i < size.columns; i += WIDTH) { normed[first + i] = x[first + i] * scale * weight[i]; }`,
});

/** With r = 1 / rms: dx = r · (w · dy - x · r² · mean(w · dy · x)). */
const backward = (size: number): Program => ({
  name: `RMSNormGradient ${width(size)}`,
  width: width(size),
  declarations: REDUCTIONS,
  body: `
    let first = group * size.columns;
    var squares = 0.0;
    var products = 0.0;
    for (var i = lane; i < size.columns; i += WIDTH) {
      let value = x[first + i];
      squares += value * value;
      products += weight[i] * dy[first + i] * value;
    }
    let scale = inverseSqrt(sumOfLanes(squares, lane) / f32(size.columns) + size.eps);
    let slope = scale * scale * sumOfLanes(products, lane) / f32(size.columns);
    for (var i = lane; i < size.columns; i += WIDTH) {
      dx[first + i] = scale * (weight[i] * dy[first + i] - slope * x[first + i]);
    }
    if (lane == 0u) { scales[group] = scale; }`,
});

/** Rows `block · perBlock` and on of one column, which is `i` modulo the columns. */
const ROWS_OF_BLOCK = `
  let column = i % size.columns;
  let first = (i / size.columns) * size.perBlock;
  var sum = 0.0;
  for (var row = first; row < min(first + size.perBlock, size.rows); row++)`;

export function rmsNorm(x: TensorInfo, weight: TensorInfo, eps: number): TensorInfo {
  const columns = lastAxis(x);
  const normed = like(x);
  const bindings = { x: reads(x), weight: reads(weight), normed: writes(normed) };
  launch(forward(columns), sizeOf(x) / columns, bindings, { counts: { columns }, floats: { eps } });
  return normed;
}

export function rmsNormGradient(
  dy: TensorInfo,
  x: TensorInfo,
  weight: TensorInfo,
  eps: number,
): [dx: TensorInfo, dWeight: TensorInfo] {
  const columns = lastAxis(x);
  const rows = sizeOf(x) / columns;
  const [dx, dWeight, scales] = [like(x), like(weight), makeOutput([rows])];
  const inputs = { x: reads(x), dy: reads(dy) };
  launch(
    backward(columns),
    rows,
    { ...inputs, weight: reads(weight), dx: writes(dx), scales: writes(scales) },
    { counts: { columns }, floats: { eps } },
  );
  const perBlock = Math.ceil(Math.sqrt(rows));
  const blocks = Math.ceil(rows / perBlock);
  const parts = makeOutput([blocks, columns]);
  launchEach(
    'RMSNormGradient, weight by blocks of rows',
    `${ROWS_OF_BLOCK} {
      sum += dy[row * size.columns + column] * x[row * size.columns + column] * scales[row];
    }
    parts[i] = sum;`,
    blocks * columns,
    { ...inputs, scales: reads(scales), parts: writes(parts) },
    { counts: { columns, rows, perBlock } },
  );
  launchEach(
    'RMSNormGradient, weight',
    `${ROWS_OF_BLOCK} { sum += parts[row * size.columns + column]; }
    dWeight[i] = sum;`,
    columns,
    { parts: reads(parts), dWeight: writes(dWeight) },
    { counts: { columns, rows: blocks, perBlock: blocks } },
  );
  release(scales, parts);
  return [dx, dWeight];
}
