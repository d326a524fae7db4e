// The same tokens for everyone: `nano` on random ids.
import { presets } from '../../lib/dist/model/index.js';
import { randomStream } from '../../lib/dist/tensor/index.js';

export const VOCABULARY = 1536;

/** Batch × length tokens to read, the token after each as its target, and what is to be sampled. */
export function makeWork({
  config = presets.nano(VOCABULARY),
  batch,
  length,
  sampling = { sequences: 64, promptLength: 32, newTokens: 128 },
}) {
  const stream = randomStream(1, 'bench');
  const tokens = Array.from({ length: batch * length + 1 }, () => stream.int(config.vocabSize));
  return {
    config,
    ids: { shape: [batch, length], values: Int32Array.from(tokens.slice(0, -1)) },
    targets: Int32Array.from(tokens.slice(1)),
    sampling,
  };
}
