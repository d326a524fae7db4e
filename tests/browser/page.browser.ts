import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, disposeModel, initBackend, type SFTStep } from 'posttrain';
import { findChromium, launch } from './chromium.js';
import type { PageActions } from './page.js';
import { loadBase, microBatchTokens, outcome, type Outcome, STEPS, teacherRows, train } from './program.js';
import { serve, type Site, siteFiles } from './server.js';

const chromium = findChromium();
if (chromium === undefined) {
  process.stderr.write('Skipped: no Chromium or Chrome was found; set CHROME_PATH to its program.\n');
}

const tell = (line: string): void => void process.stdout.write(`${line}\n`);

describe.skipIf(chromium === undefined)('posttrain in a page', () => {
  let browser: Browser;
  let isolated: Site;
  let plain: Site;

  beforeAll(async () => {
    const files = await siteFiles();
    [isolated, plain] = [await serve(files, { isolated: true }), await serve(files, { isolated: false })];
    browser = await launch(chromium as string);
    tell(`Chromium ${browser.version()}, Node ${process.version}`);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([isolated?.close(), plain?.close()]);
  });

  async function open({ url }: Site): Promise<Page> {
    const page = await browser.newPage();
    page.on('pageerror', (error) => tell(`error in the page: ${error.message}`));
    await page.goto(url);
    await page.waitForFunction(() => 'actions' in globalThis);
    return page;
  }

  /** Calls one of the page's actions. */
  function call<Name extends keyof PageActions>(
    page: Page,
    name: Name,
    ...given: Parameters<PageActions[Name]>
  ): Promise<Awaited<ReturnType<PageActions[Name]>>> {
    return page.evaluate(
      ([action, values]) => {
        const { actions } = globalThis as unknown as {
          actions: Record<string, (...values: unknown[]) => unknown>;
        };
        return actions[action]!(...values);
      },
      [name as string, given as unknown[]] as const,
    ) as Promise<Awaited<ReturnType<PageActions[Name]>>>;
  }

  /** A page whose wasm back end runs. */
  async function openWasm(site: Site): Promise<Page> {
    const page = await open(site);
    expect(await call(page, 'init', { backend: 'wasm' })).toMatchObject({ backend: 'wasm' });
    return page;
  }

  it.each([0, 1, 2, 3])(
    'trains and samples with %i workers to the same bits as Node, and lets timers run',
    async (workers) => {
      const page = await openWasm(isolated);
      const { outcome, seconds, timer, ...made } = await call(page, 'train', workers);
      expect(outcome).toEqual(await outcomeInNode());
      expect(outcome.metrics).toHaveLength(STEPS);
      expect(made).toEqual({ workers });
      expect(timer.calls).toBeGreaterThanOrEqual(STEPS);
      await expect.poll(() => page.workers().length).toBe(0);
      tell(
        `${workers} workers: ${(seconds / STEPS).toFixed(2)} s a step, a timer waited ${Math.round(timer.longestGap)} ms at most`,
      );
      await page.close();
    },
  );

  it('trains on its own thread where it is not isolated, and says why', async () => {
    const page = await openWasm(plain);
    const { outcome, workers, problem } = await call(page, 'train', 2);
    expect(workers).toBe(0);
    expect(problem).toMatch(/not cross-origin isolated.*Cross-Origin-Opener-Policy: same-origin/);
    expect(outcome).toEqual(await outcomeInNode());
    await page.close();
  });

  it('stops between two steps, and goes on from bytes to the same bits', async () => {
    const page = await openWasm(isolated);
    const { stoppedAfter, outcome } = await call(page, 'interrupt');
    expect(stoppedAfter).toBeGreaterThanOrEqual(3);
    expect(stoppedAfter).toBeLessThan(STEPS);
    expect(outcome).toEqual(await outcomeInNode());
    await page.close();
  });

  it('ends its workers when the engine is disposed, when one fails, and with the page', async () => {
    const page = await openWasm(isolated);
    const workers = (): number => page.workers().length;
    expect(await call(page, 'dispose')).toEqual(['The engine was disposed.', 'The engine was disposed.']);
    await expect.poll(workers).toBe(0);
    expect(await call(page, 'brokenWorker')).toMatch(/its script did not load.*createWorker/);
    await expect.poll(workers).toBe(0);
    await call(page, 'leaveWorking');
    await expect.poll(workers).toBe(2);
    await page.goto('about:blank');
    await expect.poll(workers).toBe(0);
    await page.close();
  });

  it.each([
    [
      '/no-such.wasm',
      /no-such\.wasm answers with status 404\. Serve tfjs-backend-wasm-simd\.wasm .*wasmPath/,
    ],
    ['/index.html', /index\.html is no WebAssembly file/],
    ['http://127.0.0.1:1/x.wasm', /cannot be loaded/],
  ])(
    'says what is wrong with the wasm binary %s, and takes the right one then',
    async (wasmPath, message) => {
      const page = await open(isolated);
      expect(await call(page, 'init', { backend: 'wasm', wasmPath })).toMatch(message);
      expect(await call(page, 'init', { backend: 'wasm' })).toMatchObject({ backend: 'wasm' });
      await page.close();
    },
  );

  it('trains on WebGPU to the same losses but for rounding', async ({ skip }) => {
    const page = await open(isolated);
    const started = await call(page, 'init', { backend: 'webgpu' });
    if (typeof started === 'string') return skip(started);
    const trained = await call(page, 'train', 2).catch((error: Error) => {
      // a GPU in software may be lost on a busy machine; wrong losses are another matter
      if (/reference no longer exists|device (is|was) lost/i.test(error.message)) return skip(error.message);
      throw error;
    });
    const { outcome, seconds, workers, problem } = trained;
    expect([workers, problem]).toEqual([0, expect.stringMatching(/one thread keeps the GPU busy/)]);
    const { metrics } = await outcomeInNode();
    tell(`WebGPU: ${(seconds / STEPS).toFixed(2)} s a step`);
    expect(outcome.metrics).toHaveLength(STEPS);
    outcome.metrics.forEach(({ loss }, step) =>
      expect(Math.abs((loss as number) - (metrics[step]?.['loss'] as number))).toBeLessThan(1e-3),
    );
    await page.close();
  });
});

let inNode: Promise<Outcome> | undefined;

/** The same work in Node, on one thread; done once. */
function outcomeInNode(): Promise<Outcome> {
  return (inNode ??= workInNode());
}

async function workInNode(): Promise<Outcome> {
  await initBackend({ backend: 'wasm' });
  const { model, tokenizer } = await loadBase((name) => readFile(`data/base/${name}`));
  const engine = createLocalEngine(model, { microBatchTokens });
  const steps: SFTStep[] = [];
  for await (const step of train(engine, await teacherRows(tokenizer))) steps.push(step);
  const result = await outcome(engine, tokenizer, steps);
  engine.dispose();
  disposeModel(model);
  return result;
}
