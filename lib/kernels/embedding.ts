// Rows of a table by id, and the sum of gradients back into the rows they came from.

export function embedding(table: usize, ids: usize, out: usize, count: i32, size: i32): void {
  const row = <usize>size * 4;
  for (let i = 0; i < count; i++) {
    memory.copy(out, table + <usize>load<i32>(ids + ((<usize>i) << 2)) * row, row);
    out += row;
  }
}

export function embeddingGradient(
  dy: usize,
  ids: usize,
  dTable: usize,
  count: i32,
  vocab: i32,
  size: i32,
): void {
  const row = <usize>size * 4;
  memory.fill(dTable, 0, <usize>vocab * row);
  for (let i = 0; i < count; i++) {
    const target = dTable + <usize>load<i32>(ids + ((<usize>i) << 2)) * row;
    let d = 0;
    for (; d + 4 <= size; d += 4) {
      const at = (<usize>d) << 2;
      v128.store(target + at, f32x4.add(v128.load(target + at), v128.load(dy + at)));
    }
    for (; d < size; d++) {
      const at = (<usize>d) << 2;
      store<f32>(target + at, load<f32>(target + at) + load<f32>(dy + at));
    }
    dy += row;
  }
}
