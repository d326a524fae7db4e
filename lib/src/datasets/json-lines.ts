/** Datasets as JSON Lines: one example a line, as Hugging Face `datasets` reads and writes them. */
import { exampleSchema, formOf, typeOf } from './columns.js';
import type { Dataset, DatasetExamples, DatasetOf, DatasetType } from './types.js';

/**
 * Reads a dataset; its type and form are those of its first example, and all others must share them. Empty lines are skipped.
 * Throws, naming line and column, when a line is not JSON, or a column is missing or holds something else.
 * @param source what errors call the text
 */
export function parseDataset(text: string, source = 'dataset'): Dataset {
  const lines = text
    .split('\n')
    .map((line, index) => ({ line, where: `${source}, line ${index + 1}` }))
    .filter(({ line }) => line.trim() !== '');
  const [first] = lines;
  if (!first) throw new Error(`${source}: no examples; expected one JSON object a line.`);
  const example = parseObject(first.line, first.where);
  const type = typeOf(example);
  if (!type)
    throw new Error(
      `${first.where}: columns ${Object.keys(example).join(', ') || '(none)'} make no dataset type; expected text, messages, or prompt with or without completion, label, chosen and rejected.`,
    );
  const schema = exampleSchema(type, formOf(type, example));
  const examples = lines.map(({ line, where }) => {
    const parsed = schema.safeParse(parseObject(line, where));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new Error(`${where}: column ${issue?.path.join('.')} of a ${type} dataset: ${issue?.message}.`);
  });
  return { type, examples } as unknown as Dataset;
}

/** The dataset if it is of the type that is needed. Throws, saying what it is instead. */
export function requireType<Type extends DatasetType>(
  dataset: Dataset,
  ...types: readonly Type[]
): DatasetOf<Type> {
  if ((types as readonly DatasetType[]).includes(dataset.type)) return dataset as DatasetOf<Type>;
  throw new Error(`The dataset is of type ${dataset.type}; expected ${types.join(' or ')}.`);
}

/** One line an example. */
export function serializeDataset(examples: Iterable<DatasetExamples[DatasetType]>): string {
  return Array.from(examples, (example) => `${JSON.stringify(example)}\n`).join('');
}

function parseObject(line: string, where: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new Error(`${where}: not JSON (${JSON.stringify(line.slice(0, 40))}…).`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new Error(`${where}: expected an object with columns, found ${JSON.stringify(value).slice(0, 40)}.`);
}
