/** What the verbs of `posttrain/notebook` send to a front end. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, type Client, printed, startKernel } from './client.js';

// on a busy machine a compiler may take its time
vi.setConfig({ testTimeout: 120_000 });

// here, where a notebook finds the package `posttrain`
const folder = mkdtempSync(join(import.meta.dirname, '.verbs-'));
const recorded = join(folder, 'data/results/01.json');
mkdirSync(join(folder, 'data/results'), { recursive: true });
mkdirSync(join(folder, 'notebooks'));
writeFileSync(recorded, JSON.stringify({ a: { value: 2, low: 1, high: 3 }, b: 5 }));

let kernel: Client;
beforeAll(async () => {
  kernel = await startKernel({ cwd: join(folder, 'notebooks') });
  await kernel.execute(
    "import { check, completions, diagram, exercise, livePlot, progress, saveResults, setup, show, table } from 'posttrain/notebook';",
  );
}, 120_000);
afterAll(async () => {
  await kernel.close();
  rmSync(folder, { recursive: true });
});

const types = ({ published }: Answer): string[] => published.map(({ header }) => header.msg_type);
const bundles = ({ published }: Answer): Record<string, string>[] =>
  published.flatMap(({ content }) => (content.data ? [content.data] : []));

const chart =
  "{ type: 'lines', title: 'T', description: 'D', xLabel: 'x', yLabel: 'y', series: [{ name: 'a', points: [{ x: 0, y: 1 }] }] } as const";

describe('show', () => {
  it('sends a figure in every form, and replaces it; its own value is not shown again', async () => {
    const answer = await kernel.execute(
      `const shown = show(${chart});\nshown.update({ ...${chart}, title: 'U' });\nshown`,
    );
    expect(types(answer)).toEqual(['display_data', 'update_display_data']);
    const [first, second] = bundles(answer);
    expect(Object.keys(first!)).toEqual([
      'application/vnd.plotly.v1+json',
      'text/html',
      'image/svg+xml',
      'text/plain',
    ]);
    expect([first, second].map((bundle) => /<title>(.)</.exec(bundle!['text/html']!)![1])).toEqual([
      'T',
      'U',
    ]);
  });

  it('is checked by the compiler, and says what is missing', async () => {
    const { reply } = await kernel.execute(
      "show({ type: 'dots', title: 'T', description: '', xLabel: 'x', dots: [] });",
    );
    expect(reply.content.evalue).toBe(
      'figure "T" needs a description: what a reader who cannot see it should know',
    );
    const untyped = await kernel.execute("show({ type: 'pie' });");
    expect(untyped.reply.content).toMatchObject({ ename: 'CompileError' });
  });
});

describe('the value of a cell', () => {
  it.each([
    ['a figure', chart, 'T (y over x)'],
    ['a table', "({ columns: [{ header: 'h' }], rows: [['cell']] })", 'h\n────\ncell'],
    ['a canvas', '({ width: 800, height: 600, shapes: [], edges: [] })', '(empty canvas)'],
  ])('shows %s as such', async (_, code, text) => {
    const answer = await kernel.execute(code.startsWith('{') ? `(${code})` : code);
    expect(types(answer)).toEqual(['execute_result']);
    const [bundle] = bundles(answer);
    expect(bundle!['text/plain']).toContain(text);
    expect(bundle!['text/html']).toContain('class="posttrain"');
  });
});

describe('livePlot', () => {
  it('sends at most ten states a second, and the last one before the cell ends', async () => {
    const answer =
      await kernel.execute(`const plot = livePlot({ title: 'T', description: 'D', xLabel: 'x', yLabel: 'y', series: ['a', 'b'] });
const start = performance.now();
for (let x = 0; x < 20_000; x++) plot.add(x, { a: x, b: null });
plot.add(20_000, { a: 7, b: 1 });
console.log(performance.now() - start);`);
    const seconds = Number(printed(answer)) / 1000;
    const updates = types(answer).filter((type) => type === 'update_display_data');
    expect(updates.length).toBeGreaterThanOrEqual(1);
    expect(updates.length).toBeLessThanOrEqual(seconds * 10 + 2);
    expect(bundles(answer).at(0)!['text/html']).toContain('waiting for the first point');
    expect(bundles(answer).at(-1)!['text/plain']).toMatch(/ a .*→ 7, [^]* b .* 1$/);
  });

  it('begins anew when its cell runs again, and keeps growing from a later cell', async () => {
    const answer = await kernel.execute('plot.add(1, { a: 3 });\nplot.add(2, { a: 4 });');
    expect(bundles(answer).at(-1)!['text/plain']).toContain('3 → 4');
  });

  it('shows what there is when its cell fails', async () => {
    const answer = await kernel.execute(
      "plot.add(3, { a: 5 });\nplot.add(4, { a: 6 });\nthrow new Error('stop');",
    );
    expect(bundles(answer).at(-1)!['text/plain']).toContain('3 → 6');
  });

  it.each([
    ['plot.add(5, { c: 1 } as never);', '"c" is no series of it; it has a, b'],
    ['plot.add(NaN, { a: 1 });', 'x is NaN; expected a number'],
  ])('refuses %s', async (code, problem) => {
    expect((await kernel.execute(code)).reply.content.evalue).toBe(`live plot "T": ${problem}`);
  });
});

describe('progress', () => {
  it('passes on the items, shows how far it is, and ends the loop that it wraps', async () => {
    const answer = await kernel.execute(`let closed = false;
function* steps() { try { for (let i = 1; ; i++) yield { metrics: { reward: i } }; } finally { closed = true; } }
let seen = 0;
for await (const step of progress(steps(), { total: 500, label: 'GRPO', metrics: ['reward', 'none'] })) {
  seen += step.metrics.reward;
  if (step.metrics.reward === 300) break;
}
console.log(closed, seen);`);
    expect(printed(answer)).toBe('true 45150\n');
    const last = bundles(answer).at(-1)!;
    expect(last['text/plain']).toMatch(
      /^GRPO {2}300 of 500 {2}reward 300 ▁.*█ {2}\d+\.\d s, \d+\.\d s left$/,
    );
    expect(last['text/html']).toContain('<progress aria-label="GRPO" max="500" value="300">');
    expect(types(answer).filter((type) => type === 'update_display_data').length).toBeLessThan(100);
  });

  it('tells of an error where the loop is', async () => {
    const { reply } =
      await kernel.execute(`function* fails() { yield 1; throw new RangeError('in the loop'); }
for await (const _ of progress(fails())) ;`);
    expect(reply.content).toMatchObject({ ename: 'RangeError', evalue: 'in the loop' });
  });
});

describe('check and exercise', () => {
  it('say what holds, and stop at what does not', async () => {
    const answer = await kernel.execute(
      "check('it holds', 1 < 2, '1 and 2');\ncheck('it does not', false);\nconsole.log('never');",
    );
    expect(printed(answer)).toBe('✓ it holds (1 and 2)\n');
    expect(answer.reply.content).toMatchObject({
      ename: 'CheckFailed',
      evalue: 'does not hold: it does not',
    });
  });

  it.each([
    ['() => check("a", true)', true, '✓ Exercise one: solved'],
    [
      'async () => check("a", false)',
      false,
      '○ Exercise one: not solved yet\n  does not hold: a\n  Hint: try <b>',
    ],
    [
      '() => { throw new TypeError("no") }',
      false,
      '○ Exercise one: not solved yet\n  TypeError: no\n  Hint: try <b>',
    ],
  ])('an exercise whose cases are %s', async (cases, solved, text) => {
    const answer = await kernel.execute(`await exercise({ id: 'one', hint: 'try <b>', cases: ${cases} });`);
    expect(answer.reply.content.status).toBe('ok');
    const bundle = bundles(answer).at(-1)!;
    expect(bundle['application/vnd.posttrain.exercise+json']).toEqual({ id: 'one', solved });
    expect(bundle['text/plain']).toBe(text);
    expect(bundle['text/html']).not.toContain('<b>"');
  });
});

describe('saveResults', () => {
  it('writes a file and compares it with what is recorded', async () => {
    const answer = await kernel.execute(
      "await saveResults('01', { a: { value: 3.5, low: 3, high: 4 }, b: 6 });",
    );
    const written = join(folder, 'runs/notebooks/01.json');
    expect(JSON.parse(readFileSync(written, 'utf8'))).toEqual({ a: { value: 3.5, low: 3, high: 4 }, b: 6 });
    const [bundle] = bundles(answer);
    expect(bundle!['application/vnd.posttrain.results+json']).toEqual({
      name: '01',
      compared: 1,
      outside: ['a'],
    });
    expect(bundle!['text/plain']).toMatch(/a +3\.5 \(3–4\) +2 \(1–3\) +✗ outside\nb +6 +5$/);
    expect(JSON.parse(readFileSync(recorded, 'utf8'))).toMatchObject({ b: 5 });
  });

  it('writes nothing for what is no result', async () => {
    const { reply } = await kernel.execute("await saveResults('02', { a: NaN });");
    expect(reply.content).toMatchObject({
      ename: 'TypeError',
      evalue: 'result "a" has NaN; expected finite numbers',
    });
    expect(existsSync(join(folder, 'runs/notebooks/02.json'))).toBe(false);
    const path = await kernel.execute("await saveResults('../02', { a: 1 });");
    expect(path.reply.content.evalue).toContain('"../02" is no name');
  });
});

describe('the others', () => {
  it('setup says what the numbers depend on', async () => {
    const answer = await kernel.execute(
      'const { fast, seed } = await setup({ seed: 7 });\nconsole.log(fast, seed);',
    );
    expect(printed(answer)).toMatch(/^posttrain \d.*, Node \d.*, back end \w+, seed 7\nfalse 7\n$/);
    expect((await kernel.execute('await setup({ seed: -1 });')).reply.content.evalue).toContain('seed is -1');
  });

  it('table, diagram and completions show what they are given', async () => {
    const answer = await kernel.execute(`table([{ a: 1, b: 'x' }]);
diagram({ width: 800, height: 600, shapes: [], edges: [] }, { description: 'nothing "yet"' });
completions([{ taskId: 't', reward: 1, rewards: {}, advantage: 0, stopReason: 'stop', segments: [{ role: 'trained', text: '<wrote>' }] }]);`);
    const [first, second, third] = bundles(answer).map((bundle) => bundle['text/html']);
    expect(first).toContain('<td class="number">1</td><td>x</td>');
    expect(second).toContain('aria-label="nothing &quot;yet&quot;"');
    expect(third).toContain('&lt;wrote&gt;');
    expect(types(answer)).toEqual(['display_data', 'display_data', 'display_data']);
  });
});
