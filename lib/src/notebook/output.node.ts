import type { CellMessage } from './messages.js';

/** Most characters of text that one cell may print; a browser that shows more becomes slow. */
export const TEXT_LIMIT: number = 2 ** 22;

/** Text is sent together that was printed within this time, or until something else is sent. */
const TOGETHER_MS = 50;
const TOGETHER_CHARACTERS = 2 ** 16;

/** Where the messages of one cell go. */
export interface Outlet {
  send(message: CellMessage): void;
  /** Characters of text that it may still print; less than 0 once it has been told that it printed too much. */
  textLeft: number;
}

/** What cells print and show, in the order in which they do it. */
export interface Output {
  print(outlet: Outlet, name: 'stdout' | 'stderr', text: string): void;
  send(outlet: Outlet, message: CellMessage): void;
  /** Sends what waits. */
  flush(): void;
}

/** A thousand lines become a few messages, and no line waits long, also in a loop that never lets a timer have its turn. */
export function createOutput(): Output {
  let waiting: { outlet: Outlet; name: 'stdout' | 'stderr'; parts: string[]; size: number } | undefined;
  let lastFlush = -Infinity;
  let scheduled = false;

  const flush = (): void => {
    if (waiting === undefined) return;
    lastFlush = performance.now();
    const { outlet, name, parts } = waiting;
    waiting = undefined;
    outlet.send({ msg_type: 'stream', content: { name, text: parts.join('') } });
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      flush();
    });
  };
  const print: Output['print'] = (outlet, name, text) => {
    if (outlet.textLeft < 0) return;
    const part = text.slice(0, outlet.textLeft);
    outlet.textLeft -= part.length;
    if (part !== '') add(outlet, name, part);
    if (part.length < text.length) cutOff(outlet);
  };
  const add = (outlet: Outlet, name: 'stdout' | 'stderr', part: string): void => {
    if (waiting?.outlet !== outlet || waiting.name !== name) flush();
    waiting ??= { outlet, name, parts: [], size: 0 };
    waiting.parts.push(part);
    waiting.size += part.length;
    if (waiting.size > TOGETHER_CHARACTERS || performance.now() - lastFlush > TOGETHER_MS) flush();
    else schedule();
  };
  const cutOff = (outlet: Outlet): void => {
    flush();
    outlet.textLeft = -1;
    const text = `\n[This cell printed more than ${TEXT_LIMIT / 2 ** 20} MiB of text; the rest is left out. Print less, or write to a file.]\n`;
    outlet.send({ msg_type: 'stream', content: { name: 'stderr', text } });
  };
  return {
    print,
    flush,
    send: (outlet, message) => {
      flush();
      if (message.msg_type === 'clear_output') outlet.textLeft = TEXT_LIMIT;
      outlet.send(message);
    },
  };
}

type Write = typeof process.stdout.write;

/** Sends what is written to standard output and error to the outlet that `find` names, if there is one. */
export function captureStandardStreams(output: Output, find: () => Outlet | undefined): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    const decoder = new TextDecoder();
    const original: Write = stream.write.bind(stream);
    stream.write = ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => {
      const outlet = find();
      if (outlet === undefined) return original(chunk, encoding as BufferEncoding, done as () => void);
      output.print(outlet, name, typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
      const callback = [encoding, done].find((argument) => typeof argument === 'function');
      if (callback !== undefined) queueMicrotask(callback as () => void);
      return true;
    }) as Write;
  }
}
