/** What the planner needs to know of a sequence. */
export interface SequenceExtent {
  /** Tokens in all. */
  readonly length: number;
  /** Tokens it begins with that it shares with every sequence of the same `prompt`. */
  readonly promptLength: number;
  readonly prompt: string;
}

/** Places that attention may see for each token of the budget: it sees shared prompts once a sequence. */
const PLACES_PER_TOKEN = 4;

/**
 * Groups sequences so that each group holds at most `tokenBudget` tokens, padding included and each prompt counted once.
 * Those of one prompt stay together, and similar lengths. A sequence longer than the budget gets a group of its own.
 *
 * @returns indices into `sequences`, those of the prompt with the longest sequence first; every index exactly once.
 */
export function planMicroBatches(sequences: readonly SequenceExtent[], tokenBudget: number): number[][] {
  const extentOf = (index: number): SequenceExtent => sequences[index] as SequenceExtent;
  const groups: number[][] = [];
  let group: number[] = [];
  let longest = 0;
  let shared = 0;
  let prompts = new Set<string>();
  for (const index of promptByPrompt(sequences)) {
    const { length, prompt, promptLength } = extentOf(index);
    const size = group.length + 1;
    const padded = size * Math.max(longest, length);
    const saved = shared + (prompts.has(prompt) ? promptLength : 0);
    if (group.length === 0 || padded - saved > tokenBudget || padded > PLACES_PER_TOKEN * tokenBudget) {
      groups.push((group = []));
      longest = 0;
      shared = 0;
      prompts = new Set();
    } else shared = saved;
    group.push(index);
    longest = Math.max(longest, length);
    prompts.add(prompt);
  }
  return groups;
}

/** Indices of the sequences, longest first, each followed by the others of its prompt. */
function promptByPrompt(sequences: readonly SequenceExtent[]): number[] {
  const lengthOf = (index: number): number => (sequences[index] as SequenceExtent).length;
  const longestFirst = sequences.map((_, index) => index).sort((a, b) => lengthOf(b) - lengthOf(a) || a - b);
  const byPrompt = new Map<string, number[]>();
  for (const index of longestFirst) {
    const { prompt } = sequences[index] as SequenceExtent;
    const known = byPrompt.get(prompt);
    if (known) known.push(index);
    else byPrompt.set(prompt, [index]);
  }
  return [...byPrompt.values()].flat();
}

/** How many sequences, each as long as the longest, go through the model at once to be scored within `tokenBudget` tokens; at least 1. */
export function sequencesAtOnce(
  sequences: readonly { readonly tokens: ArrayLike<number> }[],
  tokenBudget: number,
): number {
  const longest = sequences.reduce((most, { tokens }) => Math.max(most, tokens.length), 1);
  return Math.max(1, Math.floor(tokenBudget / longest));
}
