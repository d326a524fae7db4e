/**
 * The dataset types of TRL. Each has a standard form, strings, and a conversational one, messages; all examples of a dataset have the
 * same form. Further columns are kept. Source: https://huggingface.co/docs/trl/dataset_formats
 */
import type { ChatMessage } from '../text/index.js';

/** Text, or a conversation, to continue. */
export type LanguageModelingExample =
  { readonly text: string } | { readonly messages: readonly ChatMessage[] };

/** What the policy is asked; further columns are for whoever judges the reply. */
export interface PromptOnlyExample {
  readonly prompt: string | readonly ChatMessage[];
  readonly [column: string]: unknown;
}

/** A reply to learn. In a conversation it is one message of the assistant. */
export type PromptCompletionExample =
  | { readonly prompt: string; readonly completion: string }
  | { readonly prompt: readonly ChatMessage[]; readonly completion: readonly ChatMessage[] };

/** Two replies, the first preferred. */
export type PreferenceExample =
  | { readonly prompt: string; readonly chosen: string; readonly rejected: string }
  | {
      readonly prompt: readonly ChatMessage[];
      readonly chosen: readonly ChatMessage[];
      readonly rejected: readonly ChatMessage[];
    };

/** A reply, and whether it is a good one (`label` true). */
export type UnpairedPreferenceExample = PromptCompletionExample & { readonly label: boolean };

/** What an example of each type looks like. */
export interface DatasetExamples {
  readonly 'language-modeling': LanguageModelingExample;
  readonly 'prompt-only': PromptOnlyExample;
  readonly 'prompt-completion': PromptCompletionExample;
  readonly preference: PreferenceExample;
  readonly 'unpaired-preference': UnpairedPreferenceExample;
}

export type DatasetType = keyof DatasetExamples;

/** Examples of one type. */
export interface DatasetOf<Type extends DatasetType> {
  readonly type: Type;
  readonly examples: readonly DatasetExamples[Type][];
}

/** Examples of any type; `type` says which. */
export type Dataset = { [Type in DatasetType]: DatasetOf<Type> }[DatasetType];
