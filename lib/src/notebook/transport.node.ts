import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Connection } from './connection.node.js';
import type {
  FromSockets,
  ReplyChannel,
  RequestChannel,
  SocketsSetup,
  ToSockets,
} from './sockets-protocol.node.js';
import { envelopeOf, PROTOCOL_VERSION, type Content, type Header, type Message } from './wire.node.js';

/** The kernel's side of its sockets. */
export interface Transport {
  /** Answers a request on the channel that it came from. */
  reply(channel: RequestChannel, request: Message, type: string, content: Content): void;
  /** Tells everyone who listens; `request` is what it belongs to. */
  publish(request: Message | undefined, type: string, content: Content): void;
  /** Resolves when everything that has reached this machine so far was delivered. */
  barrier(): Promise<void>;
  trust(trusted: boolean): void;
  heard(): void;
  /** Resolves when the last message has left. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Names this kernel among all that ever ran. */
  readonly session: string;
  /** Shared memory, set to 1 by an interrupt. */
  readonly stop: Int32Array;
  onMessage(channel: RequestChannel, message: Message): void;
  /** The thread of the sockets has failed: nothing can be received any more. */
  onFailure(error: Error): void;
}

/** Binds the sockets. Resolves when they listen; rejects when a port is taken. */
export async function openTransport(
  connection: Connection,
  { session, stop, onMessage, onFailure }: TransportOptions,
): Promise<Transport> {
  const setup: SocketsSetup = { connection, stop };
  const thread = new Worker(new URL('./sockets.node.js', import.meta.url), { workerData: setup });
  const username = userInfo().username;
  const barriers: (() => void)[] = [];
  const post = (message: ToSockets): void => thread.postMessage(message);

  const send = (
    channel: ReplyChannel,
    to: Pick<Message, 'identities' | 'parent'>,
    type: string,
    content: Content,
  ): void => {
    const header: Header = {
      msg_id: randomUUID(),
      session,
      username,
      date: new Date().toISOString(),
      msg_type: type,
      version: PROTOCOL_VERSION,
    };
    post({ kind: 'send', channel, envelope: envelopeOf({ ...to, header, metadata: {}, content }) });
  };

  await new Promise<void>((listening, reject) => {
    thread.once('error', reject);
    thread.on('message', (message: FromSockets) => {
      if (message.kind === 'message') onMessage(message.channel, message.message);
      else if (message.kind === 'barrier') barriers.shift()?.();
      else listening();
    });
  });
  thread.on('error', onFailure);

  return {
    reply: (channel, { identities, header }, type, content) =>
      send(channel, { identities, parent: header }, type, content),
    publish: (request, type, content) =>
      send(
        'iopub',
        { identities: [Buffer.from(`kernel.${session}.${type}`)], parent: request?.header ?? {} },
        type,
        content,
      ),
    barrier: () =>
      new Promise((passed) => {
        barriers.push(passed);
        post({ kind: 'barrier' });
      }),
    trust: (trusted) => post({ kind: 'trust', trusted }),
    heard: () => post({ kind: 'heard' }),
    close: () =>
      new Promise((closed) => {
        thread.once('exit', () => closed());
        post({ kind: 'close' });
      }),
  };
}
