import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { Connection } from './connection.node.js';
import { createHistory } from './history.js';
import { completeness, completions, inspection, kernelInfo } from './language.node.js';
import type { CellRequest, Session } from './session.node.js';
import type { RequestChannel } from './sockets-protocol.node.js';
import { openTransport, type Transport } from './transport.node.js';
import type { Content, Message } from './wire.node.js';

interface Request {
  readonly channel: RequestChannel;
  readonly message: Message;
}

interface Kernel {
  readonly transport: Transport;
  /** The compiler and the state of the cells, loaded when it is first needed. */
  readonly session: () => Promise<Session>;
  readonly stdin: Stdin;
  /** Requests that arrived and wait for their turn. */
  readonly waiting: Request[];
  /** Those of them that will not run, as a cell before them failed. */
  readonly aborted: Set<Request>;
  readonly history: ReturnType<typeof createHistory>;
  /** Number of the latest cell, as shown beside it. */
  executionCount: number;
}

/** Runs a Jupyter kernel until it is told to shut down, which ends the process. Rejects when its sockets cannot be opened. */
export async function startKernel(connection: Connection): Promise<never> {
  // a cell cannot end the process, but the kernel must
  const exit = process.exit.bind(process);
  const id = randomUUID();
  const waiting: Request[] = [];
  let wake = (): void => {};
  const stdin = createStdin();
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const opening = openTransport(connection, {
    session: id,
    stop,
    onMessage: (channel, message) => {
      if (channel === 'control') return void opening.then(() => control({ channel, message }));
      if (channel === 'stdin') return stdin.give(message);
      waiting.push({ channel, message });
      wake();
    },
    onFailure: (error) => {
      writeSync(2, `posttrain kernel: the sockets failed: ${error.message}\n`);
      exit(1);
    },
  });
  const transport = await opening;
  let session: Promise<Session> | undefined;
  let interrupt = (): void => {};
  const load = async (): Promise<Session> => {
    const { createSession } = await import('./session.node.js');
    const loaded = createSession({
      id,
      fast: process.env['POSTTRAIN_FAST'] === '1',
      onTrust: transport.trust,
      stop,
    });
    interrupt = loaded.interrupt;
    return loaded;
  };
  const kernel: Kernel = {
    transport,
    session: () => (session ??= load()),
    stdin,
    waiting,
    aborted: new Set(),
    history: createHistory(),
    executionCount: 0,
  };
  process.on('SIGINT', () => interrupt());
  transport.publish(undefined, 'status', { execution_state: 'starting' });

  /** The control channel is heard while a cell runs. */
  async function control(request: Request): Promise<void> {
    const { msg_type: type } = request.message.header;
    await whileBusy(kernel, request, () => {
      if (type === 'interrupt_request') {
        interrupt();
        transport.heard();
      }
      return answer(kernel, request);
    });
    if (type === 'shutdown_request') await end();
  }
  async function end(): Promise<never> {
    await transport.close();
    return exit(0);
  }

  for (;;) {
    const request = waiting.shift();
    if (request === undefined) {
      await new Promise<void>((resume) => {
        wake = resume;
      });
      continue;
    }
    await whileBusy(kernel, request, () => answer(kernel, request));
    if (request.message.header.msg_type === 'shutdown_request') await end();
    // the first request asks who this is: now that it is answered, the compiler may take its second or two
    setImmediate(kernel.session);
  }
}

async function whileBusy(
  { transport }: Kernel,
  { message }: Request,
  work: () => void | Promise<void>,
): Promise<void> {
  transport.publish(message, 'status', { execution_state: 'busy' });
  try {
    await work();
  } finally {
    transport.publish(message, 'status', { execution_state: 'idle' });
  }
}

/** Answers one request by its type; those of a type that is not known get no reply. */
async function answer(kernel: Kernel, request: Request): Promise<void> {
  const { transport, history } = kernel;
  const { channel, message } = request;
  const { msg_type: type } = message.header;
  const content = message.content as never;
  const answers: Readonly<Record<string, () => Promise<Content>>> = {
    kernel_info_request: async () => kernelInfo(),
    execute_request: () => execute(kernel, request),
    complete_request: async () => completions(await kernel.session(), content),
    inspect_request: async () => inspection(await kernel.session(), content),
    is_complete_request: async () => completeness(await kernel.session(), content),
    history_request: async () => ({ history: history.select(content) }),
    comm_info_request: async () => ({ comms: {} }),
    interrupt_request: async () => ({}),
    shutdown_request: async () => {
      const shutdown = { status: 'ok', restart: message.content['restart'] === true };
      transport.publish(message, 'shutdown_reply', shutdown);
      return shutdown;
    },
  };
  // nothing here can be at the other end of a comm
  if (type === 'comm_open')
    transport.publish(message, 'comm_close', { comm_id: message.content['comm_id'], data: {} });
  if (!Object.hasOwn(answers, type)) return;
  const reply = await answers[type]!().catch(failure);
  transport.reply(channel, message, type.replace(/request$/, 'reply'), { status: 'ok', ...reply });
}

/** A request that makes no sense, or that the compiler breaks on, ends no kernel. */
function failure(error: unknown): Content {
  const { name: ename, message: evalue, stack = '' } = error as Error;
  return { status: 'error', ename, evalue, traceback: stack.split('\n') };
}

interface ExecuteContent {
  readonly code: string;
  readonly silent?: boolean;
  readonly store_history?: boolean;
  readonly user_expressions?: Readonly<Record<string, string>>;
  readonly allow_stdin?: boolean;
  readonly stop_on_error?: boolean;
}

async function execute(kernel: Kernel, request: Request): Promise<Content> {
  if (kernel.aborted.delete(request)) return { status: 'aborted' };
  const { transport, history } = kernel;
  const {
    code,
    silent = false,
    store_history: storeHistory = !silent,
    user_expressions: expressions = {},
    allow_stdin: allowStdin = false,
    stop_on_error: stopOnError = true,
  } = request.message.content as unknown as ExecuteContent;
  const counted = storeHistory && !silent;
  if (counted) history.add(++kernel.executionCount, code);
  const count = { execution_count: kernel.executionCount };
  const publish = (type: string, content: Content): void => {
    if (!silent) transport.publish(request.message, type, content);
  };
  const cell: CellRequest = {
    name: counted ? `cell[${kernel.executionCount}]` : 'uncounted',
    code,
    send: ({ msg_type: type, content }) => publish(type, { ...content }),
    ask: (prompt, password) =>
      allowStdin ? kernel.stdin.ask(transport, request, prompt, password) : Promise.reject(noStdin()),
  };
  publish('execute_input', { code, ...count });
  const session = await kernel.session();
  const outcome = await session.run(cell);
  if (outcome.status === 'ok') {
    if (outcome.value) publish('execute_result', { data: outcome.value, metadata: {}, ...count });
    return { ...count, payload: [], user_expressions: await evaluate(session, cell, expressions) };
  }
  publish('error', { ...outcome.error });
  if (stopOnError && !silent) await abortWaiting(kernel);
  return { status: 'error', ...outcome.error, ...count };
}

/** What the client sent together with the cell that failed does not run; what it sends after it has heard of that does. */
async function abortWaiting({ transport, waiting, aborted }: Kernel): Promise<void> {
  await transport.barrier();
  for (const request of waiting)
    if (request.message.header.msg_type === 'execute_request') aborted.add(request);
}

async function evaluate(
  session: Session,
  cell: CellRequest,
  expressions: Readonly<Record<string, string>>,
): Promise<Content> {
  const values: Record<string, unknown> = {};
  for (const [name, code] of Object.entries(expressions)) {
    const outcome = await session.run({ ...cell, name: `expression[${name}]`, code });
    values[name] =
      outcome.status === 'ok'
        ? { status: 'ok', data: outcome.value ?? {}, metadata: {} }
        : { status: 'error', ...outcome.error };
  }
  return values;
}

interface Stdin {
  /** Asks the client that sent the request. */
  ask(transport: Transport, request: Request, prompt: string, password: boolean): Promise<string>;
  give(message: Message): void;
}

function createStdin(): Stdin {
  let pending: ((value: string) => void) | undefined;
  return {
    ask: (transport, { message }, prompt, password) =>
      new Promise((resolve) => {
        pending = resolve;
        transport.reply('stdin', message, 'input_request', { prompt, password });
      }),
    give: (message) => {
      if (message.header.msg_type === 'input_reply') pending?.(String(message.content['value']));
      pending = undefined;
    },
  };
}

function noStdin(): Error {
  return new Error('this front end cannot ask the reader for input; pass the value in the code instead');
}
