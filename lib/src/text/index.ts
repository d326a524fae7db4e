export type { AddedToken, BpeSpec, ChatFormat, ChatMessage, Tokenizer } from './types.js';
export { trainBpe, type TrainBpeOptions } from './train-bpe.js';
export { bpeTokenizer } from './bpe-tokenizer.js';
export { wordTokenizer } from './word-tokenizer.js';
export { tokenizerFromJSON } from './parse-tokenizer.js';
export {
  chatTokenId,
  chatTokens,
  renderCompletion,
  renderPrompt,
  stopTokens,
  type ChatToken,
} from './chat.js';
