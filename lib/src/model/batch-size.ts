/** Throws unless a number of sequences taken at a time is a positive integer, naming it. */
export function checkBatchSize(name: string, value: number): void {
  if (!(Number.isInteger(value) && value > 0))
    throw new RangeError(`${name} is ${value}; expected an integer above 0.`);
}
