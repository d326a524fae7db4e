/** Reading JSON files of other programs: what is wrong is said with its place in the file. */
import type { z } from 'zod';

/** Reads JSON text. Throws a one-sentence error that names the format when it is not JSON. */
export function readJson(source: string, format: string): unknown {
  try {
    // Some editors on Windows begin a file with a byte-order mark.
    return JSON.parse(source.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new Error(`this is not ${format}: ${(error as Error).message}; save it once more and try again`);
  }
}

/**
 * A value as the schema describes it. Throws a one-sentence error with the place of the first fault.
 *
 * @param place where in the file the value stands, e.g. `elements[3]`; `''` for the whole file.
 */
export function checked<T>(schema: z.ZodType<T>, value: unknown, format: string, place: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  const where = `${place}${steps}`.replace(/^\./, '') || 'the file';
  throw new Error(`this is not ${format}: ${where}: ${message}; save it once more and try again`);
}
