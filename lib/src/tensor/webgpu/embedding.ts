/** Rows of a table on WebGPU, and the sum of gradients by row in one order: WGSL has no atomic addition of floats. */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { lastAxis, sizeOf } from '../kernel.js';
import { like, makeOutput } from './device.js';
import { launch, launchEach, type Program, reads, readsInts, writes } from './launch.js';

export function embedding(table: TensorInfo, ids: TensorInfo): TensorInfo {
  const columns = lastAxis(table);
  const rows = makeOutput([...ids.shape, columns]);
  launchEach(
    'Embedding',
    'rows[i] = table[u32(ids[i / size.columns]) * size.columns + i % size.columns];',
    sizeOf(rows),
    { table: reads(table), ids: readsInts(ids), rows: writes(rows) },
    { counts: { columns } },
  );
  return rows;
}

/** A workgroup a row of the table: its lanes look for the row's id, a block of ids at a time, and add up what they find. */
const backward: Program = {
  name: 'EmbeddingGradient',
  declarations: `
    var<workgroup> found: array<u32, WIDTH>;
    var<workgroup> count: atomic<u32>;`,
  body: `
    let first = group * size.columns;
    for (var column = lane; column < size.columns; column += WIDTH) { dTable[first + column] = 0.0; }
    for (var block = 0u; block < size.ids; block += WIDTH) {
      if (lane == 0u) { atomicStore(&count, 0u); }
      workgroupBarrier();
      let isHere = block + lane < size.ids && ids[min(block + lane, size.ids - 1u)] == i32(group);
      found[lane] = u32(isHere);
      if (isHere) { atomicAdd(&count, 1u); }
      workgroupBarrier();
      if (atomicLoad(&count) > 0u) {
        for (var j = 0u; j < WIDTH; j++) {
          if (found[j] == 0u) { continue; }
          let origin = (block + j) * size.columns;
          for (var column = lane; column < size.columns; column += WIDTH) {
            dTable[first + column] += dy[origin + column];
          }
        }
      }
      workgroupBarrier();
    }`,
};

export function embeddingGradient(dy: TensorInfo, table: TensorInfo, ids: TensorInfo): TensorInfo {
  const [vocab, columns] = table.shape as [number, number];
  const dTable = like(table);
  const bindings = { dy: reads(dy), ids: readsInts(ids), dTable: writes(dTable) };
  launch(backward, vocab, bindings, { counts: { columns, ids: sizeOf(ids) } });
  return dTable;
}
