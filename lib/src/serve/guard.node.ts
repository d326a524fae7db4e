/** Who may ask: beyond this machine only who has the token, and nobody through a page that another site has opened in a browser. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { RequestError } from './request-error.js';

/** Whether an address, or `localhost`, is this machine and cannot be reached from another. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/**
 * @param token asked for where it is given, as `Authorization: Bearer …` or, for WebSockets of clients that cannot send headers, as `?token=…`.
 * @throws RequestError 403 for a browser's request from another site, or under a name that is not this machine's (DNS rebinding);
 * 401 for a token that is missing or wrong.
 */
export function admit(request: IncomingMessage, url: URL, token: string | undefined): void {
  const { host = '', origin, authorization } = request.headers;
  if (origin !== undefined && origin !== `http://${host}`)
    throw new RequestError(403, 'SESSION_ERROR', `pages of ${origin} may not use this server`);
  if (token === undefined) {
    if (isLoopback(host.replace(/:\d+$/, ''))) return;
    throw new RequestError(403, 'SESSION_ERROR', `this server is localhost, not "${host}"`);
  }
  const shown = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? url.searchParams.get('token') ?? '';
  if (!same(shown, token))
    throw new RequestError(
      401,
      'SESSION_ERROR',
      'send the token of this server: Authorization: Bearer TOKEN',
    );
}

/** In a time that does not tell how much of it was right. */
function same(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
