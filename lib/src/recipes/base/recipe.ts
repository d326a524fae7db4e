/** Everything that decides what the base model becomes. Same recipe, same machine: same bytes. */
export interface BaseRecipe {
  readonly seed: number;
  readonly vocabSize: number;
  /** Tokens in a row. */
  readonly rowLength: number;
  readonly batchSize: number;
  readonly steps: number;
  /** Rows made once and visited in a new order each epoch. */
  readonly rows: number;
  /** Share of rows that are windows of the books; the others are copying exercises. */
  readonly proseShare: number;
  readonly learningRate: number;
  readonly warmupSteps: number;
  readonly weightDecay: number;
  /** Held-out loss is measured, and the run can be resumed, every so many steps. */
  readonly checkpointEvery: number;
}

/**
 * The committed base. 2048 tokens: with fewer, a label costs more tokens to copy; with more, the embedding outgrows the
 * transformer. A quarter of prose keeps it a language model; the rest is what later stages build on.
 */
export const baseRecipe: BaseRecipe = Object.freeze({
  seed: 7,
  vocabSize: 2048,
  rowLength: 192,
  batchSize: 16,
  steps: 3800,
  rows: 64_000,
  proseShare: 0.25,
  learningRate: 3e-3,
  warmupSteps: 100,
  weightDecay: 0.05,
  checkpointEvery: 200,
});

/** The same path in a minute: for tests and for a first look. */
export const quickBaseRecipe: BaseRecipe = Object.freeze({
  ...baseRecipe,
  rowLength: 64,
  batchSize: 8,
  steps: 20,
  rows: 400,
  warmupSteps: 5,
  checkpointEvery: 10,
});
