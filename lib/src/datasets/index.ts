export { parseDataset, requireType, serializeDataset } from './json-lines.js';
export {
  preferenceRows,
  type RowOptions,
  sftRows,
  type SFTRowOptions,
  unpairedPreferenceRows,
} from './rows.js';
export { turnExamples, type TurnExample } from './trajectories.js';
export type {
  Dataset,
  DatasetExamples,
  DatasetOf,
  DatasetType,
  LanguageModelingExample,
  PreferenceExample,
  PromptCompletionExample,
  PromptOnlyExample,
  UnpairedPreferenceExample,
} from './types.js';
