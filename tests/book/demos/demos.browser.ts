import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoNamed, demoNames } from '../../../lib/src/book/demos/index.js';
import { findChromium } from '../../browser/chromium.js';
import { stopClock } from '../browser/visit.js';
import { writeSite } from './site.js';
import { perform } from './stage.js';

const executablePath = findChromium();
if (executablePath === undefined)
  process.stderr.write('Skipped: no Chromium or Chrome was found; set CHROME_PATH to its program.\n');

describe.skipIf(executablePath === undefined)('demos in a page that was opened from a file', () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'posttrain-demos-'));
    await writeSite(folder, demoNames);
    browser = await chromium.launch({ executablePath: executablePath! });
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The page, and what went wrong on it. */
  async function open(
    query = '',
    options: BrowserContextOptions = {},
  ): Promise<{ readonly page: Page; readonly wrong: string[] }> {
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, ...options });
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
    });
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('request', (request) => {
      if (!/^(file|blob|data):/.test(request.url())) wrong.push(`request to ${request.url()}`);
    });
    await page.goto(`${pathToFileURL(join(folder, 'index.html')).href}${query}`);
    return { page, wrong };
  }

  const wordsOf = (page: Page, name: string): Promise<string> =>
    page.locator(`#demo-${name} .demo-words`).innerText();

  /** Until the demo says so. */
  async function waitForWords(page: Page, name: string, words: string): Promise<void> {
    await expect.poll(() => outcome(page, name)).toBe(words);
  }

  const outcome = (page: Page, name: string): Promise<string> =>
    page.locator(`#demo-${name}`).evaluate((demo) => {
      const text = (part: string): string => demo.querySelector(`.demo-${part}`)?.textContent ?? '';
      return text('error') || text('words');
    });

  /** Few steps of training, so that a test may wait for them. */
  const small: Readonly<Record<string, string>> = { steps: '5', batch: '2', episodes: '1000' };
  /** Pressed on the first slider, or on the first button of a demo that has none. */
  const presses = 3;

  it.each(demoNames)(
    '%s: changed by keyboard it says what Node says, and again after a reload',
    async (name) => {
      const demo = demoNamed(name);
      const smaller = Object.entries(small).filter(([key]) => key in demo.controls);
      const { page, wrong } = await open(
        `?${smaller.map(([key, value]) => `demo.${name}.${key}=${value}`).join('&')}`,
      );
      const range = page.locator(`#demo-${name} input[type=range]`).first();
      if ((await range.count()) > 0) {
        await range.focus();
        for (let i = 0; i < presses; i += 1) await page.keyboard.press('ArrowRight');
      } else if (name === 'treasure') {
        await page.locator('#demo-treasure .demo-pad button').first().focus();
        await page.keyboard.press('ArrowRight');
      } else {
        await page.locator(`#demo-${name} textarea`).focus();
        await page.keyboard.press('Control+End');
        await page.keyboard.type(' ');
      }
      const values = await page.locator(`#demo-${name} form`).evaluate((form: HTMLFormElement) =>
        Object.fromEntries(
          Array.from(form.elements)
            .filter((field): field is HTMLInputElement => 'name' in field && field.name !== '')
            .map((field) => [field.name, field.type === 'checkbox' ? String(field.checked) : field.value]),
        ),
      );
      const expected = name === 'self-check' ? undefined : (await perform(demo, values)).words;
      const run = async (): Promise<void> => {
        if (!demo.auto) {
          await page.locator(`#demo-${name} .demo-run`).focus();
          await page.keyboard.press('Enter');
        }
        if (expected !== undefined && name !== 'train-nano') await waitForWords(page, name, expected);
        else await expect.poll(() => outcome(page, name)).toMatch(/Your browser runs|^In \d+ steps/);
      };
      await run();
      await expect.poll(() => page.url()).toContain(`demo.${name}.`);
      await page.reload();
      await run();
      expect(wrong).toEqual([]);
      await page.context().close();
    },
  );

  /** Within the page, as a run of two seconds may be over before a test on a busy machine has looked twice. Returns what it says then. */
  const runAndStop = (demo: Element): Promise<string | null> =>
    new Promise((resolve) => {
      const stop = demo.querySelector<HTMLButtonElement>('.demo-stop')!;
      const pressOnceEnabled = (): void => {
        if (stop.getAttribute('aria-disabled') === 'true') return void setTimeout(pressOnceEnabled, 5);
        stop.click();
        resolve(demo.querySelector('.demo-state')!.textContent);
      };
      demo.querySelector<HTMLButtonElement>('.demo-run')!.click();
      pressOnceEnabled();
    });

  it.each(['q-learning', 'train-nano'])('%s: stops at once, and runs again', async (name) => {
    const { page, wrong } = await open();
    const part = (of: string) => page.locator(`#demo-${name} .demo-${of}`);
    for (let times = 0; times < 2; times += 1) {
      expect(await page.locator(`#demo-${name}`).evaluate(runAndStop)).toBe('Stopped.');
      await expect.poll(() => part('stop').getAttribute('aria-disabled')).toBe('true');
    }
    await page
      .locator(`#demo-${name} input[type=range]`)
      .first()
      .fill(name === 'q-learning' ? '500' : '5');
    await part('run').click();
    await expect.poll(() => wordsOf(page, name)).toMatch(/^Of the last 25 games|^In 5 steps/);
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it('ends a run at its limit, and says so', async () => {
    const { page } = await open();
    await page.route('**/index.html*', async (route) => {
      const html = await readFile(join(folder, 'index.html'), 'utf8');
      const body = html.replace('data-seconds="240"', 'data-seconds="1"');
      await route.fulfill({ body, contentType: 'text/html' });
    });
    await page.reload();
    const demo = page.locator('#demo-train-nano');
    await demo.locator('.demo-run').click();
    await expect
      .poll(() => demo.locator('.demo-state').innerText())
      .toBe('Ended after 1 s, the most that it may take. Try smaller values.');
    await expect.poll(() => demo.locator('.demo-stop').getAttribute('aria-disabled')).toBe('true');
    await page.context().close();
  });

  it('shows what the latest values give, however fast they change', async () => {
    const { page, wrong } = await open();
    await page.locator('#demo-filter-samples').focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft'])
      await page.keyboard.press(key);
    const { words } = await perform(demoNamed('filter'), { samples: '3' });
    await expect.poll(() => outcome(page, 'filter')).toBe(words);
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it('speaks the result once the values stand still, and not before', async () => {
    const { page } = await open();
    await stopClock(page);
    const spoken = page.locator('#demo-pass-at-k .demo-spoken');
    await page.locator('#demo-pass-at-k-k').focus();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press('ArrowRight');
    await expect.poll(() => wordsOf(page, 'pass-at-k')).toMatch(/^pass@13/);
    expect(await spoken.innerText()).toBe('');
    await page.clock.runFor(1000);
    await expect.poll(() => spoken.textContent()).toMatch(/^pass@13/);
    await page.context().close();
  });

  it('says in words that a file is missing, and works once it is there', async () => {
    const { page } = await open();
    const [here, away] = ['wasm.js', 'away.js'].map((name) => join(folder, 'demos', name)) as [
      string,
      string,
    ];
    await rename(here, away);
    try {
      await page.locator('#demo-clip-ratio').focus();
      await page.keyboard.press('End');
      await expect.poll(() => outcome(page, 'clip')).toMatch(/demos\/wasm\.js did not load/);
    } finally {
      await rename(away, here);
    }
    await page.keyboard.press('Home');
    await expect.poll(() => outcome(page, 'clip')).toMatch(/gradient of your token is r · A = 0\.05/);
    await page.context().close();
  });

  it('goes back to the start values, and takes them out of the address', async () => {
    const { page } = await open('?other=1&demo.interval.successes=3#place');
    await expect.poll(() => wordsOf(page, 'interval')).toMatch(/is 15\.0 %/);
    await page.locator('#demo-interval .demo-reset').click();
    await expect.poll(() => wordsOf(page, 'interval')).toMatch(/is 45\.0 %/);
    await expect.poll(() => page.locator('#demo-interval-successes').inputValue()).toBe('9');
    await expect.poll(() => page.url()).toMatch(/\?other=1#place$/);
    await page.context().close();
  });

  it('plays the hunt with arrow keys alone', async () => {
    const { page } = await open();
    await page.locator('#demo-treasure .demo-pad button').first().focus();
    for (const [key, room] of [
      ['ArrowRight', 'storage'],
      ['ArrowLeft', 'entrance'],
      ['ArrowUp', 'hallway'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => wordsOf(page, 'treasure')).toMatch(new RegExp(`You go to the ${room}`));
    }
    await page.context().close();
  });

  it('loses no key or click while its worker starts, and passes over what is not possible', async () => {
    const { page, wrong } = await open();
    await page.locator('#demo-treasure .demo-pad button').first().focus();
    await page.evaluate(() => {
      const press = (key: string): void => {
        document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      };
      for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft']) press(key);
      document.querySelector<HTMLElement>('#demo-treasure [data-key=ArrowUp]')!.click();
    });
    await expect.poll(() => wordsOf(page, 'treasure')).toMatch(/You go to the hallway/);
    const moves = await page.locator('#demo-treasure [name=moves]').inputValue();
    expect(moves.split(/[,;]/).map((move) => move.trim())).toEqual(['go east', 'go west', 'go north']);
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it('ignores what makes no sense in an address', async () => {
    const { page, wrong } = await open(
      '?demo.clip.epsilon=7&demo.reward.answer=no-such&demo.drift.moves=abc&demo.no-such.x=1',
    );
    await expect.poll(() => page.locator('#demo-clip-epsilon').inputValue()).toBe('0.9');
    await expect.poll(() => page.locator('#demo-reward-answer').inputValue()).toBe('complete_graph');
    await expect.poll(() => outcome(page, 'clip')).toMatch(/gradient/);
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['light', 1000],
    ['dark', 1000],
    ['light', 360],
    ['dark', 360],
  ] as const)('in %s, %i pixels wide: readable for everyone', async (colorScheme, width) => {
    const { page } = await open('', { colorScheme, viewport: { width, height: 800 } });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.addScriptTag({ path: createRequire(import.meta.url).resolve('axe-core/axe.min.js') });
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      const found = await axe.run();
      return found.violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
      );
    });
    expect(violations).toEqual([]);
    const small = await page.$$eval(
      '.demo button, .demo input:not([type=hidden]), .demo select, .demo summary, .demo textarea',
      (all) =>
        all
          .filter((element) => element.checkVisibility())
          .map((element) => ({
            html: element.outerHTML.slice(0, 100),
            ...element.getBoundingClientRect().toJSON(),
          }))
          .filter(({ width, height }) => width < 24 || height < 24)
          .map(({ html }) => html),
    );
    expect(small).toEqual([]);
    await page.context().close();
  });

  it('shows its first views without scripts', async () => {
    const { page } = await open('', { javaScriptEnabled: false });
    expect(
      await page.locator('#demo-interval noscript, #demo-interval .demo-note').first().innerText(),
    ).toMatch(/needs JavaScript/);
    expect(await page.locator('#demo-interval .demo-view svg').first().isVisible()).toBe(true);
    expect(await page.locator('#demo-interval-successes').isDisabled()).toBe(true);
    await page.context().close();
  });

  it('weighs no more than a reader may wait for', async () => {
    const weight = async (file: string): Promise<number> =>
      gzipSync(await readFile(join(folder, file))).length / 1000;
    expect(await weight('page.js')).toBeLessThan(6);
    expect(await weight('demos/worker.js')).toBeLessThan(450);
    expect(await weight('demos/wasm.js')).toBeLessThan(250);
    for (const model of ['base', 'agent']) expect(await weight(`demos/${model}.js`)).toBeLessThan(2200);
  });
});
