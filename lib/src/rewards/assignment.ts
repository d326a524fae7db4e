/** The best one-to-one assignment: the Hungarian method with shortest augmenting paths (Jonker & Volgenant 1987). */

/**
 * Pairs rows with columns so that the sum of weights is as large as possible.
 *
 * @param weights `[rows][columns]`, finite and ≥ 0; 0 means "never pair".
 * @returns For each row its column, or −1. O(min² · max) time.
 * @throws RangeError when a weight is negative or not finite.
 */
export function assign(weights: readonly (readonly number[])[]): number[] {
  const rows = weights.length;
  const columns = weights[0]?.length ?? 0;
  for (const row of weights) {
    for (const weight of row) {
      if (!(weight >= 0 && weight < Infinity)) {
        throw new RangeError(`assign: weight ${weight} must be a finite number ≥ 0`);
      }
    }
  }
  if (rows === 0 || columns === 0) return new Array<number>(rows).fill(-1);
  if (rows <= columns) {
    return cheapest(rows, columns, (row, column) => -weights[row]![column]!).map((column, row) =>
      weights[row]![column]! > 0 ? column : -1,
    );
  }
  const rowOfColumn = cheapest(columns, rows, (column, row) => -weights[row]![column]!);
  const columnOfRow = new Array<number>(rows).fill(-1);
  rowOfColumn.forEach((row, column) => {
    if (weights[row]![column]! > 0) columnOfRow[row] = column;
  });
  return columnOfRow;
}

/**
 * Gives every row its own column at the least total cost; needs `rows ≤ columns`.
 *
 * Rows enter one at a time. Each grows a tree of shortest alternating paths, by reduced cost
 * `cost(r, c) − rowPrice[r] − columnPrice[c] ≥ 0`, until a free column is reached; then the path is flipped.
 */
function cheapest(rows: number, columns: number, cost: (row: number, column: number) => number): number[] {
  const rowPrice = new Float64Array(rows);
  const columnPrice = new Float64Array(columns);
  const rowOfColumn = new Int32Array(columns).fill(-1);
  const columnOfRow = new Array<number>(rows).fill(-1);

  for (let start = 0; start < rows; start++) {
    const distance = new Float64Array(columns).fill(Infinity);
    const cameFrom = new Int32Array(columns).fill(-1);
    const reached = new Uint8Array(columns);
    let row = start;
    let column = -1;
    for (;;) {
      let step = Infinity;
      let nearest = -1;
      for (let c = 0; c < columns; c++) {
        if (reached[c]) continue;
        const reduced = cost(row, c) - rowPrice[row]! - columnPrice[c]!;
        if (reduced < distance[c]!) {
          distance[c] = reduced;
          cameFrom[c] = column;
        }
        if (distance[c]! < step) {
          step = distance[c]!;
          nearest = c;
        }
      }
      rowPrice[start]! += step;
      for (let c = 0; c < columns; c++) {
        if (reached[c]) {
          columnPrice[c]! -= step;
          rowPrice[rowOfColumn[c]!]! += step;
        } else {
          distance[c]! -= step;
        }
      }
      column = nearest;
      reached[column] = 1;
      if (rowOfColumn[column] === -1) break;
      row = rowOfColumn[column]!;
    }
    for (let c = column; c !== -1;) {
      const previous = cameFrom[c]!;
      const owner = previous === -1 ? start : rowOfColumn[previous]!;
      rowOfColumn[c] = owner;
      columnOfRow[owner] = c;
      c = previous;
    }
  }
  return columnOfRow;
}
