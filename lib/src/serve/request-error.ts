import type { z } from 'zod';
import type { ErrorCode } from './protocol.js';

/** A request that cannot be met, and why: as HTTP says it and as a WebSocket does. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** @throws RequestError (422) that names the first field that is wrong. */
export function parseRequest<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const where = issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  throw new RequestError(422, 'VALIDATION_ERROR', `${where}${issue.message}`);
}

/** @throws RequestError (422) for text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(422, 'INVALID_JSON', 'this is no JSON; GET /schema says what is expected');
  }
}
