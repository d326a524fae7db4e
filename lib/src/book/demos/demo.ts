/** What a live demo is: a few values that the reader sets, and a function that shows what comes of them. */
import type { Figure } from '../../display/index.js';

/** A number to drag. */
export interface RangeControl {
  readonly type: 'range';
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly start: number;
  /** Behind the number, e.g. `nats`. */
  readonly unit?: string;
}

/** One of several, each with the words it is offered in. */
export interface ChoiceControl {
  readonly type: 'choice';
  readonly label: string;
  readonly options: Readonly<Record<string, string>>;
  readonly start: string;
}

/** Words of the reader. */
export interface TextControl {
  readonly type: 'text';
  readonly label: string;
  /** Of the box; 1 = a single line. */
  readonly lines: number;
  readonly maxLength: number;
  readonly start: string;
}

export interface SwitchControl {
  readonly type: 'switch';
  readonly label: string;
  readonly start: boolean;
}

/** Set by buttons that the demo shows (`buttons.ts`), not by hand: the moves of a game so far. */
export interface TrailControl {
  readonly type: 'trail';
  readonly maxLength: number;
  readonly start: string;
}

export type Control = RangeControl | ChoiceControl | TextControl | SwitchControl | TrailControl;
export type Controls = Readonly<Record<string, Control>>;
export type Value = number | string | boolean;

type ValueOf<C extends Control> = C extends RangeControl
  ? number
  : C extends SwitchControl
    ? boolean
    : C extends ChoiceControl
      ? keyof C['options'] & string
      : string;
export type Values<C extends Controls = Controls> = { readonly [Name in keyof C]: ValueOf<C[Name]> };

/** Something to see. `half`: as wide as a phone on every page, so that two stand side by side where there is room. */
export type View = { readonly half?: boolean } & (
  | { readonly figure: Figure }
  /** A drawing, and what a reader who cannot see it is told. */
  | { readonly svg: string; readonly alt: string }
  /** Made by functions that escape what they are given. */
  | { readonly html: string }
  /** A paragraph. */
  | { readonly text: string }
);

/** Files that a demo needs, each loaded by the page only when a demo that needs it runs. */
export type AssetName = 'wasm' | 'tokenizer' | 'base' | 'agent';

/** What a running demo is given. */
export interface Stage {
  /** Aborted when the reader has changed a value or wants it to stop. */
  readonly signal: AbortSignal;
  /** Shows a view, in place of the one of that name if there is one. Views stand in the order in which they first came. */
  show(name: string, view: View): void;
  /** @param share done, from 0 to 1 */
  progress(share: number, words: string): void;
  /** A file of the repository's `data`, which must be in one of the assets that the demo needs. */
  read(path: string): Promise<Uint8Array>;
  /** Starts tensor arithmetic; the demo needs `wasm`. */
  startBackend(): Promise<void>;
}

export interface DemoOf<C extends Controls> {
  /** `pass-at-k`; in addresses and ids. */
  readonly name: string;
  readonly title: string;
  /** What the reader may want to know. */
  readonly question: string;
  /** One line: what to try. */
  readonly hint: string;
  readonly controls: C;
  /** Runs at every change, and at build time for what the page shows at first; else when the reader presses Run. */
  readonly auto: boolean;
  /** Runs at build time though it is not `auto`: its result is the same everywhere, and costs the build some seconds. */
  readonly showsAtFirst?: boolean;
  /** After which it is ended. */
  readonly seconds: number;
  readonly needs: readonly AssetName[];
  /** Shows what there is to see; returns the result in one or two sentences. Throws, in words for the reader, what went wrong. */
  run(values: Values<C>, stage: Stage): Promise<string>;
}

export type Demo = DemoOf<Controls>;

/** Checks the types of a demo's values against its controls. */
export function defineDemo<const C extends Controls>(demo: DemoOf<C>): Demo {
  return demo as unknown as Demo;
}
