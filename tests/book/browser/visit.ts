/** Opens pages of the site and notes everything that goes wrong on them. */
import { readdirSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { BuiltSite } from './build.js';

export const site: BuiltSite | null = inject('site');

/** Places of the site's pages; none where there is no browser to open them in. */
export const pages: readonly string[] =
  site === null
    ? []
    : readdirSync(site.folder, { recursive: true, encoding: 'utf8' })
        .map((place) => place.replaceAll('\\', '/'))
        .filter((place) => place.endsWith('.html'))
        .sort();

export const chapters: readonly string[] = pages.filter((place) => /^\d\d-.*\.html$/.test(place));

export interface Visit {
  readonly page: Page;
  /** Errors in the console, requests to others, files that were not there. */
  readonly wrong: string[];
}

export interface Visitor {
  /** A page in a new window that remembers nothing. @param place in the site, or a whole address */
  open(place: string, options?: BrowserContextOptions): Promise<Visit>;
}

/** Tests with a browser, skipped where there is none. */
export function describeInBrowser(name: string, tests: (visitor: Visitor) => void): void {
  describe.skipIf(site === null)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: site!.chromium });
    });
    afterAll(async () => {
      await browser?.close();
    });
    tests({ open: (place, options) => open(browser, place, options) });
  });
}

async function open(browser: Browser, place: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: WIDE, colorScheme: 'light', ...options });
  const page = await context.newPage();
  const wrong: string[] = [];
  const address = new URL(place, site!.url).href;
  const home = address.startsWith('file:') ? 'file:' : site!.url;
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(home) && !/^(data|blob):/.test(request.url()))
      wrong.push(`request to ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText;
    // a page that is left gives up what it was still loading
    if (why !== 'net::ERR_ABORTED') wrong.push(`failed: ${request.url()} (${why})`);
  });
  await page.goto(address);
  return { page, wrong };
}

export const WIDE = { width: 1280, height: 800 } as const;
export const NARROW = { width: 360, height: 740 } as const;

/** From here on timers of the page wait for `page.clock.runFor`: what shows for a moment only stays for a test that is slow. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 3_600_000);
}
