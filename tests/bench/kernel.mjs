// npm run bench -- kernel: how long a reader waits for the notebook kernel, measured by a client over its sockets.
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { median, report, table } from './report.mjs';

const ROUNDS = 5;
const CELLS = 20;
const folder = fileURLToPath(new URL('../notebook/', import.meta.url));

/** The tests' client, as JavaScript. It finds the command by its own place. */
async function loadClient() {
  const outfile = `${folder}client.bench.mjs`;
  await build({
    entryPoints: [`${folder}client.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}

const { printed, startKernel } = await loadClient();
const timed = async (work) => {
  const start = performance.now();
  const result = await work();
  return { result, milliseconds: performance.now() - start };
};

/** Processor time of the process so far, where the system tells. */
function cpuMilliseconds(pid) {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15);
    return 10 * (Number(user) + Number(system));
  } catch {
    return undefined;
  }
}

async function round() {
  const { result: kernel, milliseconds: start } = await timed(() => startKernel());
  try {
    const first = await timed(() => kernel.execute(''));
    const startCpu = cpuMilliseconds(kernel.process.pid);
    const library = await timed(() => kernel.execute("import * as pt from 'posttrain';"));
    const empty = [];
    for (let i = 0; i < CELLS; i++) empty.push((await timed(() => kernel.execute(''))).milliseconds);
    const burst = await timed(() =>
      kernel.execute('for (let i = 0; i < 20_000; i++) console.log("line", i);'),
    );
    if (printed(burst.result).split('\n').length !== 20_001) throw new Error('lines were lost');
    const large = await timed(() => kernel.execute('console.log("x".repeat(10_000_000))'));
    return {
      'start, until it says what it is': start,
      'start, until the first cell has run': start + first.milliseconds,
      'processor time until then': startCpu,
      'first import of posttrain': library.milliseconds,
      'an empty cell': median(empty),
      '20,000 lines': burst.milliseconds,
      '10 MB of text, cut at 4 MiB': large.milliseconds,
    };
  } finally {
    await kernel.close();
  }
}

const rounds = [];
for (let i = 0; i < ROUNDS; i++) rounds.push(await round());
const rows = Object.keys(rounds[0]).map((name) => {
  const values = rounds.map((each) => each[name]);
  return { name, milliseconds: median(values), least: Math.min(...values), most: Math.max(...values) };
});
await report(
  'kernel',
  { what: `the notebook kernel, median of ${ROUNDS} starts`, rows },
  table(
    ['', 'ms', 'least', 'most'],
    rows.map(({ name, milliseconds, least, most }) => [
      name,
      ...[milliseconds, least, most].map((value) => value.toFixed(0)),
    ]),
  ),
);
