/** Wrappings that services are known to put around JSON, although they were given a schema. */

/** What had to be taken off: recorded with every answer, so that it can be counted. */
export type Wrapping = 'fence' | 'quotes';

export interface Unwrapped {
  readonly text: string;
  readonly wrappings: readonly Wrapping[];
}

const FENCE = /^```(?:json)?[^\S\n]*\n([^]*?)\n?```$/;

/**
 * The JSON text inside one code fence, or inside one level of quotes (a whole reply sent as a JSON string,
 * googleapis/js-genai#1143). Everything else stays as it is: an answer that is wrong is not mended.
 */
export function unwrap(reply: string): Unwrapped {
  const trimmed = reply.trim();
  const fenced = FENCE.exec(trimmed)?.[1];
  const text = fenced ?? trimmed;
  const wrappings: Wrapping[] = fenced === undefined ? [] : ['fence'];
  const quoted = text.startsWith('"') ? parse(text) : undefined;
  return typeof quoted === 'string'
    ? { text: quoted, wrappings: [...wrappings, 'quotes'] }
    : { text, wrappings };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
