/** What can go wrong between here and a service. No message ever holds a key: see `serviceError`. */
import { describeBody } from './error-body.js';
import { messageOf } from '../message-of.js';

/** A request that failed, and whether asking again may help. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** HTTP status; absent when no response came. */
  readonly status: number | undefined;
  readonly retryable: boolean;
  /** Milliseconds the service asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** Whether the tokens may have been spent although nothing usable came back. */
  readonly maybeBilled: boolean;

  constructor(
    message: string,
    facts: {
      readonly status?: number | undefined;
      readonly retryable: boolean;
      readonly retryAfterMs?: number | undefined;
      readonly maybeBilled?: boolean;
    },
  ) {
    super(message);
    this.status = facts.status;
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
    this.maybeBilled = facts.maybeBilled ?? false;
  }
}

/** All attempts failed, each in a way that might have passed. The next question may still be answered. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** The next request might pass the budget. Nothing was sent. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

/** Request timeout, too many requests, and everything that is the server's own fault. */
function mayPass(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/**
 * The error that an HTTP status and a body stand for. What fails with 4xx or 5xx is not billed
 * (https://ai.google.dev/gemini-api/docs/billing).
 * @param retryAfter the header `retry-after`, in seconds, where there is one.
 */
export function httpError(status: number, body: string, retryAfter?: string | null): ServiceError {
  const { message, retryAfterMs } = describeBody(body);
  const seconds = Number(retryAfter ?? NaN);
  return new ServiceError(`HTTP ${status}: ${message}`, {
    status,
    retryable: mayPass(status),
    retryAfterMs: retryAfterMs ?? (seconds >= 0 ? seconds * 1000 : undefined),
  });
}

/** Nothing was sent when there is nobody to send it to. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** The error for a response that never came, broke off, or cannot be read. */
export function networkError(error: unknown): ServiceError {
  const code = codeOf(error);
  const told = code ?? messageOf(error);
  return new ServiceError(`no usable response (${told})`, {
    retryable: true,
    maybeBilled: code === undefined || !NEVER_SENT.includes(code),
  });
}

/** The system's code of an error, or of what caused it. */
function codeOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as Error & { readonly code?: unknown };
    if (typeof code === 'string') return code;
  }
  return undefined;
}

/**
 * Whatever went wrong, as an error that can be told.
 * @param who asks whom, e.g. `gemini MODEL`.
 * @param secret the key: services and libraries like to quote it, and the message is without it.
 */
export function serviceError(error: unknown, who: string, secret: string | undefined): ServiceError {
  const { message, status, retryable, retryAfterMs, maybeBilled } =
    error instanceof ServiceError ? error : networkError(error);
  const told = `${who}: ${withoutSecret(message, secret)}`;
  return new ServiceError(told, { status, retryable, retryAfterMs, maybeBilled });
}

function withoutSecret(text: string, secret: string | undefined): string {
  return secret === undefined ? text : text.replaceAll(secret, '[key]');
}
