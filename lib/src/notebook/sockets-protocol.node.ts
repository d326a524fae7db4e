import type { Channel, Connection } from './connection.node.js';
import type { Envelope, Message } from './wire.node.js';

/** What the kernel and the thread that owns its sockets tell each other. */

export type RequestChannel = Extract<Channel, 'shell' | 'control' | 'stdin'>;
export type ReplyChannel = RequestChannel | 'iopub';

export type ToSockets =
  | { readonly kind: 'send'; readonly channel: ReplyChannel; readonly envelope: Envelope }
  /** Answered when everything that has arrived so far was delivered. */
  | { readonly kind: 'barrier' }
  /** Whether the running cell stops by itself when it is asked. */
  | { readonly kind: 'trust'; readonly trusted: boolean }
  /** The interrupt has been heard. */
  | { readonly kind: 'heard' }
  /** Answered by the thread's end, when all is sent. */
  | { readonly kind: 'close' };

export type FromSockets =
  | { readonly kind: 'listening' }
  | { readonly kind: 'message'; readonly channel: RequestChannel; readonly message: Message }
  | { readonly kind: 'barrier' };

export interface SocketsSetup {
  readonly connection: Connection;
  /** Shared memory: 1 while the loops of the running cell should stop. */
  readonly stop: Int32Array;
}
