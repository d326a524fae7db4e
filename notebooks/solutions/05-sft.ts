/** 1 for every token that the model itself wrote: `[T]`, T the tokens of all pieces together. */
function conversationMask(pieces: readonly Piece[]): Uint8Array {
  const masks = pieces.map(({ from, tokens }) =>
    new Uint8Array(tokens.length).fill(from === 'assistant' ? 1 : 0),
  );
  return Uint8Array.from(masks.flatMap((mask) => [...mask]));
}

/** The mean of −logprob over the tokens whose mask is 1; 0 when there is none. */
function maskedLoss(logprobs: Float32Array, mask: Uint8Array): number {
  const counted = logprobs.filter((_, t) => mask[t] === 1);
  return -counted.reduce((sum, logprob) => sum + logprob, 0) / Math.max(1, counted.length);
}

await exercise({
  id: 'conversation-mask',
  hint: 'Who wrote each piece? In the loss, leave out what does not count before you add up, and look at what you divide by.',
  cases: () => examineMask(conversationMask, maskedLoss),
});
