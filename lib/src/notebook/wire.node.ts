import { createHmac, timingSafeEqual } from 'node:crypto';

/** Jupyter's wire protocol (messaging docs, "The Wire Protocol"): identities, delimiter, signature, four JSON parts, buffers. */

/** Jupyter's messaging specification that the kernel speaks. */
export const PROTOCOL_VERSION = '5.4';

export interface Header {
  readonly msg_id: string;
  readonly session: string;
  readonly username: string;
  readonly date: string;
  readonly msg_type: string;
  readonly version: string;
}

export type Content = Readonly<Record<string, unknown>>;

export interface Message {
  /** Whom a router should send it to; the topic of a published one. */
  readonly identities: readonly Uint8Array[];
  readonly header: Header;
  /** Header of the request that this answers; `{}` without one. */
  readonly parent: Header | Record<string, never>;
  readonly metadata: Content;
  readonly content: Content;
}

const DELIMITER = Buffer.from('<IDS|MSG>');

/** A message in JSON, not yet signed. */
export interface Envelope {
  readonly identities: readonly Uint8Array[];
  /** Header, parent header, metadata, content. */
  readonly parts: readonly string[];
}

export function envelopeOf({ identities, header, parent, metadata, content }: Message): Envelope {
  return { identities, parts: [header, parent, metadata, content].map((part) => JSON.stringify(part)) };
}

export function framesOf({ identities, parts }: Envelope, key: string): Uint8Array[] {
  const bytes = parts.map((part) => Buffer.from(part));
  return [...identities, DELIMITER, Buffer.from(sign(bytes, key).toString('hex')), ...bytes];
}

/** @throws Error for frames that are no message, and for a signature that the key did not make. */
export function decodeMessage(frames: readonly Uint8Array[], key: string): Message {
  const delimiter = frames.findIndex((frame) => DELIMITER.equals(frame));
  if (delimiter === -1) throw new Error('a message without delimiter');
  const [signature, ...rest] = frames.slice(delimiter + 1);
  if (signature === undefined || rest.length < 4) throw new Error('a message with too few parts');
  const given = Buffer.from(Buffer.from(signature).toString(), 'hex');
  const expected = sign(rest, key);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Error('a message with a wrong signature');
  const [header, parent, metadata, content] = rest
    .slice(0, 4)
    .map((part) => JSON.parse(Buffer.from(part).toString()));
  return { identities: frames.slice(0, delimiter), header, parent, metadata, content };
}

function sign(parts: readonly Uint8Array[], key: string): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}
