/** How one request is told: everything that was decided before the first word. */
import type { RandomStream } from '../../../../tensor/random.js';
import type { Wording } from '../vocabulary/index.js';
import { isDecision, mention, type Scene } from '../scene.js';
import type { Statement } from '../statements.js';

export interface Voice {
  readonly scene: Scene;
  readonly words: Wording;
  /** What the domain is called in a sentence, e.g. `our warehouse`. */
  readonly topic: string;
  readonly random: RandomStream;
  /** Say "the latter" or "which" where a name could be repeated. */
  readonly coreference: boolean;
  /** Put every label in quotation marks. */
  readonly quoteAll: boolean;
}

/** A sentence without its full stop. */
export interface Clause {
  readonly text: string;
  /** Set when the text is the subject's name followed by `predicate`. */
  readonly subject?: number;
  readonly predicate?: string;
  /** The node named last, when a pronoun could only mean that one. */
  readonly object?: number;
}

/** One language: how statements sound, and how the styles put them together. */
export interface Speech {
  /** A full sentence. */
  readonly sentence: (statement: Statement, voice: Voice) => Clause;
  /** The styles in which a request can be told, by name. */
  readonly styles: Readonly<Record<StyleName, (voice: Voice, statements: readonly Statement[]) => Parts>>;
}

/** A request in pieces: the opening first, then what is told, then what the telling left open. */
export interface Parts {
  readonly sentences: readonly string[];
  readonly notes: readonly string[];
  readonly coreferences: number;
}

export const styleNames = [
  'arrows',
  'sentences',
  'from-to',
  'bullets',
  'terse',
  'listing',
  'question',
  'narrative',
] as const;

export type StyleName = (typeof styleNames)[number];

/** Styles that only `ood-phrase` uses. */
export const heldOutStyles: readonly StyleName[] = ['question', 'narrative'];

const marks = { en: ['"', '"'], zh: ['“', '”'] } as const;

export function quoted(text: string, lang: 'en' | 'zh'): string {
  return marks[lang][0] + text + marks[lang][1];
}

/**
 * A node's placeholder; in quotation marks where its label would otherwise melt into the sentence (questions,
 * brackets, colons).
 */
export function name(voice: Voice, index: number): string {
  const node = voice.scene.nodes[index]!;
  const odd = isDecision(node) || !/^[\p{L}\p{N}][\p{L}\p{N} -]*$/u.test(node.label);
  return odd || voice.quoteAll ? quoted(mention(index), voice.scene.lang) : mention(index);
}

export function names(voice: Voice, indices: readonly number[]): string[] {
  return indices.map((index) => name(voice, index));
}
