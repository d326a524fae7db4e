/** The process in which the cells of one notebook run: globals, loaded modules and the folder are its own. */
import type { RunnerRequest, RunReply, RunRequest } from './runner-protocol.js';
import { createSession, type Session } from './session.node.js';

// a cell cannot end the process, but its end must
const exit = process.exit.bind(process);
const tell = (reply: RunReply): Promise<void> =>
  new Promise((sent) => process.send!(reply, undefined, undefined, () => sent()));

let session: Session | undefined;
let interrupted = false;

async function run({ cells, fast, record }: RunRequest): Promise<void> {
  session = createSession({
    id: 'display',
    fast,
    record,
    onTrust: (trusted) => {
      if (trusted) void tell({ kind: 'trust' });
    },
  });
  for (const { id, source, mayFail } of cells) {
    if (interrupted) break;
    await tell({ kind: 'start', cell: id });
    if (interrupted) break;
    const start = performance.now();
    const outcome = await session.run({
      name: id,
      code: source,
      send: (message) => void tell({ kind: 'output', cell: id, message }),
      ask: () =>
        Promise.reject(
          new Error('nobody can be asked while `posttrain notebook run` runs; give the cell a default'),
        ),
    });
    await tell({
      kind: 'cell',
      cell: id,
      seconds: (performance.now() - start) / 1000,
      ...(outcome.status === 'ok' ? outcome.value && { value: outcome.value } : { error: outcome.error }),
    });
    if (outcome.status === 'error' && !mayFail) break;
  }
  await tell({ kind: 'done' });
  exit(0);
}

process.on('disconnect', () => exit(1));
// Ctrl-C in a terminal reaches this process too; the one that started it says what to do
process.on('SIGINT', () => {});
process.on('message', (request: RunnerRequest) => {
  if (request.kind === 'run') return void run(request);
  interrupted = true;
  session?.interrupt();
});
