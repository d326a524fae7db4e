import type { Trajectory, Turn, TurnResult } from './types.js';

/** Collects the tokens of one episode as they come, and keeps apart what cannot be trained as one sequence. */
export class Transcript {
  #closed: Trajectory[] = [];
  #open: { tokens: number[]; mask: number[]; logprobs: number[]; turns: Turn[] } | undefined;

  /**
   * The policy is shown `prompt`. If it extends all tokens so far, the new ones are environment tokens with mask 0; if not
   * (an earlier message now reads differently), the sequence so far is closed and a new one begins.
   */
  observe(prompt: Int32Array): void {
    const open = this.#open;
    if (open !== undefined && open.tokens.every((token, index) => prompt[index] === token)) {
      const added = Array.from(prompt.subarray(open.tokens.length));
      append(
        open,
        added,
        0,
        added.map(() => 0),
      );
      return;
    }
    this.#close();
    const zeros = Array.from(prompt, () => 0);
    this.#open = { tokens: Array.from(prompt), mask: zeros, logprobs: zeros.slice(), turns: [] };
  }

  /** The policy's reply to the last observation, the sampled ids themselves, and what came of it. */
  reply(tokens: Int32Array, logprobs: Float32Array, result: TurnResult): void {
    if (this.#open === undefined) throw new Error('A transcript starts with an observation.');
    const start = this.#open.tokens.length;
    append(this.#open, Array.from(tokens), 1, Array.from(logprobs));
    this.#open.turns.push({ start, end: start + tokens.length, ...result });
  }

  trajectories(): Trajectory[] {
    this.#close();
    return this.#closed;
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { tokens, mask, logprobs, turns } = this.#open;
    this.#open = undefined;
    this.#closed.push({
      tokens: Int32Array.from(tokens),
      actionMask: Uint8Array.from(mask),
      logprobs: Float32Array.from(logprobs),
      turns,
    });
  }
}

function append(
  open: { tokens: number[]; mask: number[]; logprobs: number[] },
  tokens: readonly number[],
  mask: 0 | 1,
  logprobs: readonly number[],
): void {
  open.tokens.push(...tokens);
  open.mask.push(...tokens.map(() => mask));
  open.logprobs.push(...logprobs);
}
