/** A small Jupyter client, written from the messaging specification alone: it shares no code with the kernel. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dealer, Request, Subscriber } from 'zeromq';

export interface Message {
  readonly header: { readonly msg_id: string; readonly msg_type: string; readonly version: string };
  readonly parent_header: { readonly msg_id?: string };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the wire brings it; the assertions say what it should be
  readonly content: any;
}

export interface Answer {
  readonly reply: Message;
  /** What was published for the request, without `status` and `execute_input`. */
  readonly published: readonly Message[];
  /** All of it. */
  readonly all: readonly Message[];
}

export type Channel = 'shell' | 'control';

export interface Client {
  readonly connection: Readonly<Record<string, unknown>>;
  readonly process: ChildProcess;
  /** Everything published since the start. */
  readonly published: readonly Message[];
  /** What the kernel wrote to its own standard error. */
  log(): string;
  /** Sends a request; resolves when it was answered and is idle. */
  request(type: string, content: object, channel?: Channel): Promise<Answer>;
  execute(code: string, options?: object): Promise<Answer>;
  /** Sends without waiting; returns the message's id. */
  send(type: string, content: object, channel?: Channel | 'stdin', key?: string): Promise<string>;
  /** The next question to the reader. */
  question(): Promise<Message>;
  heartbeat(text: string): Promise<string>;
  /** Resolves when a published message satisfies the condition. */
  until(condition: (message: Message) => boolean): Promise<Message>;
  exited(): Promise<number | null>;
  /** Ends the kernel, at once. */
  close(): Promise<void>;
}

export interface KernelOptions {
  readonly cwd?: string;
  readonly connection?: object;
  readonly env?: object;
}

const DELIMITER = '<IDS|MSG>';
export const COMMAND = join(import.meta.dirname, '../../lib/bin/posttrain.js');

export function sign(parts: readonly (Buffer | string)[], key: string): string {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}

export async function connectionFile(folder: string, changes: object = {}): Promise<string> {
  const names = ['shell_port', 'iopub_port', 'stdin_port', 'control_port', 'hb_port'];
  const ports = await freePorts(names.length);
  const path = join(folder, 'connection.json');
  const connection = {
    transport: 'tcp',
    ip: '127.0.0.1',
    key: randomUUID(),
    signature_scheme: 'hmac-sha256',
    ...Object.fromEntries(names.map((name, i) => [name, ports[i]])),
    ...changes,
  };
  writeFileSync(path, JSON.stringify(connection));
  return path;
}

export async function startKernel({ cwd, connection: changes, env }: KernelOptions = {}): Promise<Client> {
  const folder = mkdtempSync(join(tmpdir(), 'posttrain-kernel-'));
  const file = await connectionFile(folder, changes);
  const connection = JSON.parse(await import('node:fs').then((fs) => fs.readFileSync(file, 'utf8')));
  const kernel = spawn(process.execPath, [COMMAND, 'kernel', file], {
    cwd: cwd ?? import.meta.dirname,
    // a kernel ends with the server that started it: here with the tests
    env: { ...process.env, JPY_PARENT_PID: String(process.pid), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  kernel.stdout.on('data', (data) => (log += data));
  kernel.stderr.on('data', (data) => (log += data));
  const ended = new Promise<number | null>((resolve) => kernel.once('exit', resolve));

  const session = randomUUID();
  const address = (name: string): string =>
    `${connection.transport}://${connection.ip}:${connection[`${name}_port`]}`;
  // a kernel knows by the routing id whom to ask for input: the same on both channels
  const dealer = (): Dealer => new Dealer({ routingId: session, linger: 0 });
  const sockets = { shell: dealer(), control: dealer(), stdin: dealer() };
  for (const [name, socket] of Object.entries(sockets)) socket.connect(address(name));
  const iopub = new Subscriber({ linger: 0, receiveHighWaterMark: 0 });
  iopub.connect(address('iopub'));
  iopub.subscribe();

  const published: Message[] = [];
  const replies: Message[] = [];
  const questions: Message[] = [];
  const listeners = new Set<() => void>();
  const listen = async (socket: AsyncIterable<Buffer[]>, into: Message[]): Promise<void> => {
    for await (const frames of socket) {
      into.push(read(frames, connection.key));
      for (const listener of [...listeners]) listener();
    }
  };
  void listen(sockets.shell, replies);
  void listen(sockets.control, replies);
  void listen(sockets.stdin, questions);
  void listen(iopub, published);

  const when = <T>(found: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const check = (): void => {
        const value = found();
        if (value === undefined) return;
        listeners.delete(check);
        resolve(value);
      };
      listeners.add(check);
      check();
    });

  const send: Client['send'] = async (type, content, channel = 'shell', key = connection.key) => {
    const id = randomUUID();
    const header = {
      msg_id: id,
      session,
      username: 'reader',
      date: new Date().toISOString(),
      msg_type: type,
      version: '5.3',
    };
    const parts = [header, {}, {}, content].map((part) => JSON.stringify(part));
    await sockets[channel].send([DELIMITER, sign(parts, key), ...parts]);
    return id;
  };
  const request: Client['request'] = async (type, content, channel) => {
    const id = await send(type, content, channel);
    return when(() => {
      const all = published.filter(({ parent_header: parent }) => parent.msg_id === id);
      const reply = replies.find(({ parent_header: parent }) => parent.msg_id === id);
      const idle = all.some(({ content }) => content.execution_state === 'idle');
      if (reply === undefined || !idle) return undefined;
      const quiet = ['status', 'execute_input'];
      return { reply, all, published: all.filter(({ header }) => !quiet.includes(header.msg_type)) };
    });
  };
  const client: Client = {
    connection,
    process: kernel,
    published,
    log: () => log,
    send,
    request,
    execute: (code, options = {}) => request('execute_request', { code, silent: false, ...options }),
    question: () => when(() => questions.shift()),
    heartbeat: async (text) => {
      const socket = new Request({ linger: 0 });
      socket.connect(address('hb'));
      await socket.send(text);
      const [echo] = await socket.receive();
      socket.close();
      return String(echo);
    },
    until: (condition) => when(() => published.find(condition)),
    exited: () => ended,
    close: async () => {
      kernel.kill('SIGKILL');
      await ended;
      for (const socket of [...Object.values(sockets), iopub]) socket.close();
      rmSync(folder, { recursive: true });
    },
  };
  // a subscription takes a moment: ask until an answer is published, too
  const greeted = (): Promise<unknown> =>
    Promise.race([
      client.request('kernel_info_request', {}),
      ended.then((status) => Promise.reject(new Error(`the kernel ended with ${status}: ${log}`))),
      new Promise((resolve) => setTimeout(resolve, 500, 'again')),
    ]);
  while ((await greeted()) === 'again');
  return client;
}

function read(frames: readonly Buffer[], key: string): Message {
  const delimiter = frames.findIndex((frame) => frame.toString() === DELIMITER);
  const [signature, ...parts] = frames.slice(delimiter + 1);
  if (String(signature) !== sign(parts, key)) throw new Error('the kernel signed a message wrongly');
  const [header, parent_header, , content] = parts.map((part) => JSON.parse(part.toString()));
  return { header, parent_header, content };
}

/** Text that was printed, in order. */
export function printed({ published }: Answer, name?: 'stdout' | 'stderr'): string {
  return published
    .filter(
      ({ header, content }) => header.msg_type === 'stream' && (name === undefined || content.name === name),
    )
    .map(({ content }) => content.text)
    .join('');
}
