/** The nearest multiple of the grid. */
export function snap(value: number, grid: number): number {
  return Math.round(value / grid) * grid;
}

/** The next multiple of the grid that is not smaller. */
export function snapUp(value: number, grid: number): number {
  return Math.ceil(value / grid) * grid;
}
