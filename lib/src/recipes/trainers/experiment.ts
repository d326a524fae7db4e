/** What a small experiment is: a question to the trainers that a laptop answers in a minute or two. */
import type { OverSeeds } from '../../eval/index.js';

export interface Experiment<Settings extends object = object> {
  /** Of its command and of its files. */
  readonly name: string;
  readonly description: string;
  /** What is expected, written before it is measured. */
  readonly hypothesis: string;
  readonly seeds: readonly number[];
  /** `quick` is the same with less of everything: it shows in seconds how it runs, too short for some claims. */
  readonly settings: { readonly full: Settings; readonly quick: Settings };
  /** Columns of the table, by the name of what is measured. */
  readonly columns: Readonly<Record<string, Column>>;
  /** One repetition. Returned early (Ctrl-C), it frees what it holds. */
  measure(seed: number, settings: Settings): AsyncGenerator<Progress, Measured, void>;
  /** What was expected, point by point, against what came out. */
  claims(results: Measurements): Claim[];
  /** What the numbers do not say by themselves: where they contradict the hypothesis, and why. */
  readonly remarks: readonly string[];
  /** For the terminal, above the table: what the experiment is about, drawn in characters. */
  picture?(): string;
  /** Standalone SVGs by file name. */
  figures(results: Measurements): Readonly<Record<string, string>>;
}

export interface Column {
  readonly header: string;
  readonly format: (value: number) => string;
  /** A share of something, 0 to 1: an interval that reaches further is shown up to there. */
  readonly share?: true;
}

export interface Progress {
  /** Pieces of work, of this repetition. */
  readonly done: number;
  readonly total: number;
  /** What is being done, e.g. the arm. */
  readonly note: string;
}

/** What one repetition came to. Every number is finite: what was not measured is left out. */
export interface Measured {
  /** By arm, then by the name of what was measured. */
  readonly arms: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** By figure, then by line: what cannot be said in one number. All repetitions have the same x. */
  readonly curves: Readonly<Record<string, Readonly<Record<string, readonly CurvePoint[]>>>>;
}

export interface CurvePoint {
  readonly x: number;
  readonly y: number;
}

/** All repetitions together. */
export interface Measurements {
  readonly arms: Readonly<Record<string, Readonly<Record<string, Measurement>>>>;
  /** Mean over the seeds, and their range. */
  readonly curves: Readonly<Record<string, Readonly<Record<string, readonly CurveBand[]>>>>;
}

export interface Measurement extends OverSeeds {
  /** One a seed, in their order. */
  readonly values: readonly number[];
}

export interface CurveBand extends CurvePoint {
  readonly low: number;
  readonly high: number;
  /** One a seed, in their order: where a mean would show what no repetition did. */
  readonly values: readonly number[];
}

export interface Claim {
  readonly claim: string;
  readonly holds: boolean;
  /** The numbers that decide. */
  readonly measured: string;
}

/** What is written to `<name>.json`. */
export interface ExperimentRecord extends Measurements {
  readonly name: string;
  readonly description: string;
  readonly hypothesis: string;
  readonly claims: readonly Claim[];
  readonly remarks: readonly string[];
  readonly seeds: readonly number[];
  readonly settings: object;
  /** Versions of what computed it, e.g. `posttrain`, `node`, `backend`. */
  readonly versions: Readonly<Record<string, string>>;
}
