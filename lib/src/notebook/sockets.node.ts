/**
 * The thread that owns the kernel's sockets. A cell may keep the kernel's own thread busy for a second or forever: here heartbeats are
 * answered, output leaves, and an interrupt is heard all the same.
 */
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { Publisher, Reply, Router } from 'zeromq';
import { addressOf } from './connection.node.js';
import type {
  FromSockets,
  ReplyChannel,
  RequestChannel,
  SocketsSetup,
  ToSockets,
} from './sockets-protocol.node.js';
import { decodeMessage, framesOf, type Envelope, type Message } from './wire.node.js';

const { connection, stop } = workerData as SocketsSetup;
const kernel = parentPort!;
const tell = (message: FromSockets): void => kernel.postMessage(message);

/** How long the kernel's thread may take to hear an interrupt before it gets a signal. */
const HEARD_WITHIN_MS = 500;
const PARENT_CHECK_MS = 1000;
/** How long the last messages may take to leave. */
const LINGER_MS = 2000;

// no limit on what waits to be sent: at a limit, a publisher drops messages
const unlimited = { sendHighWaterMark: 0, linger: LINGER_MS };
// a client that reconnects under its old identity takes it over
const router = (): Router => new Router({ ...unlimited, handover: true });
const sockets = {
  shell: router(),
  control: router(),
  stdin: router(),
  iopub: new Publisher(unlimited),
  hb: new Reply({ linger: 0 }),
};
const lastSent: Partial<Record<ReplyChannel, Promise<void>>> = {};
let trusted = false;
let heard = true;

/** One after the other: a socket does not take a message while it sends another. */
function send(channel: ReplyChannel, envelope: Envelope): void {
  const frames = framesOf(envelope, connection.key);
  lastSent[channel] = (lastSent[channel] ?? Promise.resolve()).then(() =>
    (sockets[channel] as Router).send(frames as Buffer[]),
  );
}

async function receive(channel: RequestChannel): Promise<void> {
  for await (const frames of sockets[channel]) {
    let message: Message;
    try {
      message = decodeMessage(frames, connection.key);
    } catch (error) {
      // not process.stderr, which would show it below a cell
      writeSync(2, `posttrain kernel: refused ${(error as Error).message} on ${channel}\n`);
      continue;
    }
    tell({ kind: 'message', channel, message });
    if (channel === 'control' && message.header.msg_type === 'interrupt_request') insist();
  }
}

/**
 * A loop that waits for nothing hears no message: in a cell it looks at shared memory, in a library it needs SIGINT. A cell that takes
 * its signal is asked by message alone, the first time.
 */
function insist(): void {
  const again = !heard;
  heard = false;
  if (trusted && !again) return;
  Atomics.store(stop, 0, 1);
  if (process.platform === 'win32') return;
  setTimeout(() => {
    if (!heard) process.kill(process.pid, 'SIGINT');
  }, HEARD_WITHIN_MS);
}

async function answerHeartbeats(): Promise<void> {
  for await (const frames of sockets.hb) await sockets.hb.send(frames);
}

/** Without the server that started it a kernel is of no use to anyone. */
function endWithParent(): void {
  if (process.env['JPY_PARENT_PID'] === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, PARENT_CHECK_MS).unref();
}

async function close(): Promise<void> {
  await Promise.all(Object.values(lastSent));
  for (const socket of Object.values(sockets)) socket.close();
  kernel.close();
}

kernel.on('message', (message: ToSockets) => {
  if (message.kind === 'send') send(message.channel, message.envelope);
  else if (message.kind === 'barrier') setImmediate(() => tell({ kind: 'barrier' }));
  else if (message.kind === 'trust') trusted = message.trusted;
  else if (message.kind === 'heard') heard = true;
  else void close();
});

await Promise.all(
  (Object.keys(sockets) as (keyof typeof sockets)[]).map((channel) =>
    sockets[channel].bind(addressOf(connection, channel)),
  ),
);
endWithParent();
void answerHeartbeats();
for (const channel of ['shell', 'control', 'stdin'] as const) void receive(channel);
tell({ kind: 'listening' });
