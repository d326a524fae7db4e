import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, NARROW, pages, site, WIDE } from './visit.js';

type Look = readonly [theme: 'light' | 'dark', width: typeof WIDE | typeof NARROW];

const LOOKS: readonly Look[] = [
  ['light', WIDE],
  ['dark', WIDE],
  ['dark', NARROW],
  ['light', NARROW],
];
/** Each theme and each width once: axe takes seconds on a long page. */
const LOOKS_FOR_AXE: readonly Look[] = [LOOKS[0]!, LOOKS[2]!];

const isSource = (place: string): boolean => place.startsWith('source/');

describeInBrowser('every page, in both themes and two widths', ({ open }) => {
  it.concurrent.each(pages)('%s', async (place) => {
    const visit = await open(place, { reducedMotion: 'reduce' });
    const { page, wrong } = visit;
    await drawAll(page);
    for (const look of LOOKS) {
      await setLook(page, look);
      const over = await overflow(page);
      if (over > 0) wrong.push(`${nameOf(look)}: ${over} px wider than the window`);
    }
    for (const look of isSource(place) ? [] : LOOKS_FOR_AXE) {
      await setLook(page, look);
      wrong.push(...(await barriers(page)).map((barrier) => `${nameOf(look)}: ${barrier}`));
    }
    await page.context().close();
    expect(wrong).toEqual([]);
  });

  it('has source files without barriers', async () => {
    const sources = pages.filter(isSource);
    const { page, wrong } = await open(sources[0]!, { reducedMotion: 'reduce' });
    for (const [index, place] of sources.entries()) {
      const look = LOOKS_FOR_AXE[index % 2]!;
      await setLook(page, look);
      await showMain(page, await readFile(join(site!.folder, place), 'utf8'));
      wrong.push(...(await barriers(page, 'main')).map((barrier) => `${place}, ${nameOf(look)}: ${barrier}`));
    }
    await page.context().close();
    expect(wrong).toEqual([]);
  });
});

/** By how many pixels a page is wider than its window, once its figures have followed it. */
async function overflow(page: Page): Promise<number> {
  const fits = (): boolean => document.documentElement.scrollWidth <= innerWidth;
  await page.waitForFunction(fits, undefined, { timeout: 10_000 }).catch(() => undefined);
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** Source files differ in their main part alone; to load page and axe for each would take longer than to look at it. */
async function showMain(page: Page, html: string): Promise<void> {
  await page.evaluate((text) => {
    const { body } = new DOMParser().parseFromString(text, 'text/html');
    document.querySelector('main')!.replaceWith(body.querySelector('main')!);
  }, html);
}

async function setLook(page: Page, [colorScheme, width]: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(width);
  if (!page.url().endsWith('/404.html'))
    await page.waitForFunction((theme) => document.documentElement.dataset['theme'] === theme, colorScheme);
}

function nameOf([theme, { width }]: Look): string {
  return `${theme}, ${width} px`;
}

/** Scrolls through the page, so that everything that waits to be seen is there. */
async function drawAll(page: Page): Promise<void> {
  for (const figure of await page.locator('[data-plots] figure:has(svg.chart)').all())
    await figure.scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
}

/** What axe finds serious or critical. Formulas are alike, and half of a chapter's elements: the first stands for all. */
async function barriers(page: Page, within = 'html'): Promise<readonly string[]> {
  await page.evaluate(() => {
    document.querySelectorAll('.katex').forEach((formula, index) => {
      if (index > 0) formula.replaceChildren();
    });
  });
  await page.evaluate(`globalThis.axe || (() => { ${axe.source} })()`);
  const { violations } = await page.evaluate(
    (selector) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(selector, {
        resultTypes: ['violations'],
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      }),
    within,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 200)}`));
}
