/** Every metric in three sentences: what it is, how it looks in a healthy run, and how when something is broken. */

export interface MetricEntry {
  /** As it stands in `metrics.jsonl`; `<name>` is filled in by the environment or the trainer. */
  readonly key: string;
  /** What it is, in one sentence. */
  readonly meaning: string;
  /** The range or course to expect. */
  readonly healthy: string;
  /** What it looks like when something is wrong, and what that is. */
  readonly broken: string;
}
