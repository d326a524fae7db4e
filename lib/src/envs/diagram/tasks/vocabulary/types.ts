/** The words of one domain in one language. All of them may become labels, so none holds a comma. */
export interface Wording {
  /** Things: services, people, places. Used as names, without an article. */
  readonly nouns: readonly string[];
  /** Things one does, in the imperative. */
  readonly steps: readonly string[];
  /** Conditions something can be in. */
  readonly states: readonly string[];
  /** Relations between two things: `A <verb> B` is a sentence. */
  readonly verbs: readonly string[];
  /** Yes/no questions of a decision. */
  readonly questions: readonly string[];
  /** Two names of one thing. Only evaluation uses them, to measure tolerance to synonyms. */
  readonly alias: readonly [string, string];
}

export interface Domain {
  readonly name: string;
  readonly en: Wording;
  readonly zh: Wording;
}

/** Splits `A, B, C` or `甲、乙、丙` into its items. */
export function list(items: string): readonly string[] {
  return items.trim().split(/\s*[,、]\s*/);
}
