export {
  courtesies,
  kindOf,
  preferenceWords,
  REASON,
  topics,
  topicWords,
  wordsOf,
  type Topic,
  type WordKind,
} from './language.js';
export { goldReward, type Gold, type GoldTerm } from './gold.js';
export { preferenceTasks, type PreferenceTask } from './tasks.js';
export { preferenceEnvironment, requestOf } from './environment.js';
export { REASON_RATE, writeReply } from './writer.js';
export {
  expectedAgreement,
  labelCeiling,
  labelPairs,
  labelReplies,
  type LabelledPair,
  type LabelledReply,
  type LabelOptions,
  type ReadReply,
  type ReplyPair,
} from './labels.js';
