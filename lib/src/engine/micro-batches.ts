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
 * Those of one prompt stay together where they fit, and similar lengths. A sequence longer than the budget gets a group of its own.
 *
 * @returns indices into `sequences`, those of the prompt with the longest sequence first; every index exactly once.
 */
export function planMicroBatches(sequences: readonly SequenceExtent[], tokenBudget: number): number[][] {
  const groups: number[][] = [];
  let group = new Group();
  const fits = ({ tokens, places }: Group): boolean =>
    tokens <= tokenBudget && places <= PLACES_PER_TOKEN * tokenBudget;
  for (const members of promptByPrompt(sequences)) {
    // Half of a prompt's sequences beside another prompt would read it twice, and leave groups of uneven sizes to the workers.
    const together = members.reduce((sum, index) => sum.with(sequences[index] as SequenceExtent), group);
    if (group.tokens >= tokenBudget / 2 && !fits(together)) group = new Group();
    for (const index of members) {
      const larger = group.with(sequences[index] as SequenceExtent);
      const isFirst = group.size === 0 || !fits(larger);
      if (isFirst) groups.push([]);
      group = isFirst ? new Group().with(sequences[index] as SequenceExtent) : larger;
      groups.at(-1)!.push(index);
    }
  }
  return groups;
}

/** What a group of sequences amounts to. */
class Group {
  constructor(
    readonly size = 0,
    private readonly longest = 0,
    private readonly shared = 0,
    private readonly lastPrompt?: string,
  ) {}

  /** What attention sees, padding included. */
  get places(): number {
    return this.size * this.longest;
  }

  /** What is computed, padding included. */
  get tokens(): number {
    return this.places - this.shared;
  }

  with({ length, prompt, promptLength }: SequenceExtent): Group {
    // those of one prompt come one after the other
    const saved = prompt === this.lastPrompt ? promptLength : 0;
    return new Group(this.size + 1, Math.max(this.longest, length), this.shared + saved, prompt);
  }
}

/** Indices of the sequences by prompt, each prompt's and the prompts themselves with the longest first. */
function promptByPrompt(sequences: readonly SequenceExtent[]): number[][] {
  const lengthOf = (index: number): number => (sequences[index] as SequenceExtent).length;
  const longestFirst = sequences.map((_, index) => index).sort((a, b) => lengthOf(b) - lengthOf(a) || a - b);
  const byPrompt = new Map<string, number[]>();
  for (const index of longestFirst) {
    const { prompt } = sequences[index] as SequenceExtent;
    const known = byPrompt.get(prompt);
    if (known) known.push(index);
    else byPrompt.set(prompt, [index]);
  }
  return [...byPrompt.values()];
}

/** How many sequences, each as long as the longest, go through the model at once to be scored within `tokenBudget` tokens; at least 1. */
export function sequencesAtOnce(
  sequences: readonly { readonly tokens: ArrayLike<number> }[],
  tokenBudget: number,
): number {
  const longest = sequences.reduce((most, { tokens }) => Math.max(most, tokens.length), 1);
  return Math.max(1, Math.floor(tokenBudget / longest));
}
