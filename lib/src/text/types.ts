/** Text in, token ids out, and back without loss. */
export interface Tokenizer {
  readonly vocabSize: number;
  /** Special tokens are recognised in text only when `allowSpecial` is true (a user must not be able to type one). */
  encode(text: string, options?: { readonly allowSpecial?: boolean }): Int32Array;
  /**
   * Exact inverse of `encode` on valid Unicode; invalid byte sequences become U+FFFD. Special tokens are kept unless
   * `skipSpecial`. Not the other way round: a policy may sample `t`, `h` where `encode` gives `th`, so what was sampled
   * is kept as tokens, never as text.
   */
  decode(ids: ArrayLike<number>, options?: { readonly skipSpecial?: boolean }): string;
  /** Id of a token by its text, `undefined` when there is none. */
  tokenId(token: string): number | undefined;
  /** Hugging Face `tokenizer.json`, as a string. */
  toJSON(): string;
  /** How the model it belongs to was taught to converse; absent: the format of `chatTokens`. */
  readonly chat?: ChatFormat;
}

/** A conversation as tokens. */
export interface ChatFormat {
  /** Messages as the model sees them when it is its turn. */
  prompt(messages: readonly ChatMessage[]): Int32Array;
  /** A reply to learn from, the token that ends it included. */
  completion(text: string): Int32Array;
  /** Tokens that end a reply, the one that `completion` ends with first. */
  readonly stopTokens: readonly number[];
}

/** A token that is found in the text as it stands, before any splitting or merging. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Special tokens steer the model (`<|end|>`); the others are only frequent strings. */
  readonly special: boolean;
}

/** All that defines a byte-level BPE tokenizer. */
export interface BpeSpec {
  /** Token texts in the byte alphabet (added tokens as they are), by id. */
  readonly vocab: readonly string[];
  /** Pairs of token texts, the most eager merge first. */
  readonly merges: readonly (readonly [string, string])[];
  readonly addedTokens: readonly AddedToken[];
  /** Source of the regular expression that cuts text into words. */
  readonly wordPattern: string;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}
