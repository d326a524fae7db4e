/** Which columns make which type of dataset, and what must stand in them. */
import { z } from 'zod';
import type { DatasetType } from './types.js';

/** A column holds text, or the messages of a conversation; `label` is neither. */
type Form = 'standard' | 'conversational';

const message = z.strictObject(
  {
    role: z.enum(['system', 'user', 'assistant']),
    content: z.string(),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? 'only role and content are supported' : undefined,
  },
);
const messages = z.array(message).min(1);

/** Columns by type, the most telling first: a preference has a prompt too. */
const columnsOf: Readonly<Record<Exclude<DatasetType, 'language-modeling'>, readonly string[]>> = {
  preference: ['prompt', 'chosen', 'rejected'],
  'unpaired-preference': ['prompt', 'completion', 'label'],
  'prompt-completion': ['prompt', 'completion'],
  'prompt-only': ['prompt'],
};

/** The type whose columns an example has; `undefined` when it has those of none. */
export function typeOf(example: object): DatasetType | undefined {
  if ('text' in example || 'messages' in example) return 'language-modeling';
  if ('chosen' in example || 'rejected' in example) return 'preference';
  return (Object.keys(columnsOf) as (keyof typeof columnsOf)[]).find((type) =>
    columnsOf[type].every((column) => column in example),
  );
}

/** The form of an example of this type: that of its first column. */
export function formOf(type: DatasetType, example: Readonly<Record<string, unknown>>): Form {
  if (type === 'language-modeling') return 'messages' in example ? 'conversational' : 'standard';
  return Array.isArray(example['prompt']) ? 'conversational' : 'standard';
}

/** What an example must look like. Columns that the type does not know are let through. */
export function exampleSchema(type: DatasetType, form: Form): z.ZodType<object> {
  const value = form === 'standard' ? z.string() : messages;
  if (type === 'language-modeling')
    return z.looseObject(form === 'standard' ? { text: z.string() } : { messages });
  const fields = columnsOf[type].map((column) => [column, column === 'label' ? z.boolean() : value] as const);
  return z.looseObject(Object.fromEntries(fields));
}
