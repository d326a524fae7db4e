/** What a reader does: by keyboard, by pointer, on a phone, without scripts, from a file. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { setGoing, shown } from './demo.js';
import { chapters, describeInBrowser, NARROW, site, stopClock, type Visit } from './visit.js';

/** The innermost text of what has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim() ?? '',
  );

const done = async ({ page, wrong }: Visit): Promise<void> => {
  await page.context().close();
  expect(wrong).toEqual([]);
};

/** Notes the theme that the page has when there is something to paint. */
function noteFirstTheme(): void {
  const observer = new MutationObserver(() => {
    if (document.body === null) return;
    (globalThis as { firstTheme?: string | undefined }).firstTheme =
      document.documentElement.dataset['theme'];
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** A chapter that has what is looked for. */
async function chapterWith(open: (place: string) => Promise<Visit>, selector: string): Promise<Visit> {
  for (const place of chapters) {
    const visit = await open(place);
    if ((await visit.page.locator(selector).count()) > 0) return visit;
    await visit.page.context().close();
  }
  throw new Error(`no chapter has ${selector}`);
}

describeInBrowser('by keyboard alone', ({ open }) => {
  it('goes past the navigation to the text', async () => {
    const visit = await open(chapters[0]!);
    const { page } = visit;
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe('Skip to the text');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    await done(visit);
  });

  it('searches, walks through the results, and opens one', async () => {
    const visit = await open('index.html');
    const { page } = visit;
    await page.keyboard.press('/');
    await page.keyboard.type('advantage');
    await page.locator('.search-results a').first().waitFor();
    await expect.poll(() => page.locator('.search-status').textContent()).toMatch(/passages? on \d+ pages?/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('search-field');
    await page.keyboard.press('ArrowDown');
    const target = await page.evaluate(() => (document.activeElement as HTMLAnchorElement).href);
    await page.keyboard.press('Enter');
    await page.waitForURL(target);
    await done(visit);
  });

  it('closes the search with Escape, and is back where it was', async () => {
    const visit = await open(chapters[0]!);
    const { page } = visit;
    const button = page.locator('.top .search-button');
    await button.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('dialog.search').isVisible()).toBe(true);
    await page.keyboard.type('a / b');
    await expect.poll(() => page.locator('#search-field').inputValue()).toBe('a / b');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog.search').isVisible()).toBe(false);
    await expect.poll(() => button.evaluate((each) => each === document.activeElement)).toBe(true);
    await done(visit);
  });

  it('changes the theme, which is remembered; going back to the system’s forgets it', async () => {
    const visit = await open('index.html');
    const { page } = visit;
    const theme = (): Promise<string | undefined> =>
      page.evaluate(() => document.documentElement.dataset['theme']);
    await expect.poll(theme).toBe('light');
    await page.locator('.theme-button').focus();
    await page.keyboard.press('Enter');
    await expect.poll(theme).toBe('dark');
    await page.addInitScript(noteFirstTheme);
    await page.goto(new URL(chapters[0]!, site!.url).href);
    await expect
      .poll(() => page.evaluate(() => (globalThis as { firstTheme?: string }).firstTheme))
      .toBe('dark');
    await page.locator('.theme-button').focus();
    await page.keyboard.press('Enter');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(theme).toBe('dark');
    await done(visit);
  });

  it('answers a question, and reads why of every option', async () => {
    const visit = await chapterWith(open, 'form.quiz');
    const { page } = visit;
    const quiz = page.locator('form.quiz').first();
    const options = await quiz.locator('.option').count();
    await quiz.locator('input').first().focus();
    // moves the choice without answering
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => quiz.locator('.option + .why').count()).toBe(0);
    const right = await quiz.locator('input:checked[data-correct]').count();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => quiz.locator('.verdict').textContent())
      .toMatch(right > 0 ? /^Right/ : /^Not that one/);
    await expect.poll(() => quiz.locator('.option + .why').count()).toBe(options);
    const described = await quiz.locator('input:checked').getAttribute('aria-describedby');
    await expect.poll(() => page.locator(`#${described}`).textContent()).toMatch(/^(Right|Wrong)\. /);
    await done(visit);
  });

  it('sees previews at the focus, and closes them with Escape', async () => {
    const visit = await chapterWith(open, '[data-preview]');
    const { page } = visit;
    const preview = page.locator('#preview');
    const link = page.locator('main [data-preview]').first();
    await link.focus();
    await expect.poll(() => preview.isVisible()).toBe(true);
    expect((await preview.textContent())?.trim()).not.toBe('');
    await expect.poll(() => link.getAttribute('aria-describedby')).toBe('preview');
    await page.keyboard.press('Escape');
    await expect.poll(() => preview.isVisible()).toBe(false);
    await expect.poll(() => link.getAttribute('aria-describedby')).toBeNull();
    await done(visit);
  });

  it('scrolls wide code, formulas and tables', async () => {
    const visit = await open(chapters.at(-1)!);
    const stuck = await visit.page.evaluate(() =>
      Array.from(document.querySelectorAll<HTMLElement>('main *'))
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1 && clientWidth > 0)
        .filter((each) => getComputedStyle(each).overflowX === 'auto' && each.tabIndex < 0)
        .map((each) => each.outerHTML.slice(0, 100)),
    );
    expect(stuck).toEqual([]);
    await done(visit);
  });
});

describeInBrowser('by pointer', ({ open }) => {
  it('sees previews, may move into them, and loses them when it leaves', async () => {
    const visit = await chapterWith(open, 'a.term');
    const { page } = visit;
    const preview = page.locator('#preview');
    await page.locator('a.term').first().hover();
    await preview.waitFor();
    await preview.hover();
    await page.waitForTimeout(400);
    await expect.poll(() => preview.isVisible()).toBe(true);
    await page.mouse.move(2, 2);
    await preview.waitFor({ state: 'hidden' });
    await done(visit);
  });

  it('copies code without what it printed, and formulas as TeX', async () => {
    const visit = await chapterWith(open, '.code + .output');
    const { page } = visit;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await stopClock(page);
    const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
    const code = page.locator('.code:has(+ .output)').first();
    await code.hover();
    await code.locator('.copy').click();
    await expect.poll(clipboard).toBe(await code.locator('pre').textContent());
    await expect.poll(() => code.locator('.copy').textContent()).toBe('Copied');
    await page.clock.runFor(2000);
    await expect.poll(() => code.locator('.copy').textContent()).toBe('Copy');
    const formula = page.locator('.equation').first();
    if ((await formula.count()) > 0) {
      await formula.hover();
      await formula.locator('.copy').click();
      await expect.poll(clipboard).toBe(await formula.locator('annotation').first().textContent());
    }
    await expect.poll(() => page.locator('.output .copy').count()).toBe(0);
    await done(visit);
  });
});

describeInBrowser('searching', ({ open }) => {
  it.each(['reward', 'clip', 'off-policy', '策略', '优势', '奖励'])(
    'finds %s, and marks it',
    async (query) => {
      const visit = await open('index.html');
      const { page } = visit;
      await page.keyboard.press('/');
      await page.locator('#search-field').fill(query);
      await page.locator('.search-results mark').first().waitFor();
      const marks = await page.locator('.search-results mark').allTextContents();
      expect(marks.join(' ').toLowerCase()).toContain(query.split('-')[0]!);
      await done(visit);
    },
  );

  it('says that there is nothing', async () => {
    const visit = await open('index.html');
    await visit.page.keyboard.press('/');
    await visit.page.keyboard.type('zzzzqqqq');
    await visit.page.getByText('Nothing about “zzzzqqqq”.').waitFor();
    await done(visit);
  });
});

describeInBrowser('progress', ({ open }) => {
  it('remembers a chapter that was read to its end, and can forget it', async () => {
    const visit = await open(chapters[0]!);
    const { page } = visit;
    const read = page.locator('.rail .read');
    await expect.poll(() => read.count()).toBe(0);
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }));
    await page.getByText('You have read this chapter.').waitFor();
    await expect.poll(() => read.textContent()).toContain('(read)');
    await page.goto(new URL('index.html', site!.url).href);
    await expect.poll(() => page.locator('.read-so-far').textContent()).toMatch(/you have read 1 of \d+/);
    await expect.poll(() => page.locator('[data-continue]').getAttribute('href')).toContain(chapters[1]!);
    await page.goto(new URL(chapters[0]!, site!.url).href);
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }));
    await page.getByRole('button', { name: 'Mark as unread' }).click();
    await expect.poll(() => read.count()).toBe(0);
    await done(visit);
  });

  it('marks the section that is being read', async () => {
    const visit = await open(chapters[0]!);
    const { page } = visit;
    const third = page.locator('.outline .level-2 a').nth(2);
    await page.evaluate(
      (hash) => {
        document.querySelector(hash)?.scrollIntoView({ behavior: 'instant' });
      },
      (await third.getAttribute('href'))!,
    );
    await expect.poll(() => third.getAttribute('aria-current')).toBe('location');
    await expect.poll(() => page.locator('.outline [aria-current]').count()).toBe(1);
    await done(visit);
  });
});

describeInBrowser('on a phone', ({ open }) => {
  it('opens the contents by a button, with the page’s outline, and closes them', async () => {
    const visit = await open(chapters[0]!, { viewport: NARROW, hasTouch: true });
    const { page } = visit;
    const contents = page.locator('#contents');
    const button = page.locator('.menu');
    await expect.poll(() => contents.isVisible()).toBe(false);
    await button.tap();
    await expect.poll(() => contents.isVisible()).toBe(true);
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe('true');
    await expect.poll(() => contents.locator('.outline a').count()).toBeGreaterThan(2);
    await page.keyboard.press('Escape');
    await expect.poll(() => contents.isVisible()).toBe(false);
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false');
    await done(visit);
  });
});

describeInBrowser('elsewhere', ({ open }) => {
  it('works from a file: theme, search, figures, demos', async () => {
    const visit = await chapterWith(
      (place) => open(pathToFileURL(join(site!.folder, place)).href),
      '[data-plots] figure:has(svg.chart)',
    );
    const { page } = visit;
    await page.locator('.theme-button').click();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await page.locator('figure:has(svg.chart)').first().scrollIntoViewIfNeeded();
    await page.locator('.plot .main-svg').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('reward');
    await page.locator('.search-results a').first().waitFor();
    await page.keyboard.press('Escape');
    const demo = page.locator('.demo[data-demo]').first();
    const before = await shown(demo);
    await setGoing(demo);
    await expect.poll(() => shown(demo)).not.toBe(before);
    await done(visit);
  });

  it('can be read without scripts, in the system’s theme', async () => {
    const visit = await open(chapters[0]!, { javaScriptEnabled: false, colorScheme: 'dark' });
    const { page } = visit;
    expect(await page.locator('h1').isVisible()).toBe(true);
    expect(await page.locator('.theme-button').isVisible()).toBe(false);
    expect(await page.locator('.contents a').first().isVisible()).toBe(true);
    expect(await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)).toBe(
      'rgb(22, 21, 20)',
    );
    await done(visit);
  });

  it('leads from lost addresses to the front page, at any depth', async () => {
    for (const lost of ['nowhere.html', 'source/no/such.ts.html']) {
      const visit = await open(lost);
      await visit.page.getByRole('link').first().click();
      await visit.page.waitForURL(new URL('index.html', site!.url).href);
      await visit.page.context().close();
    }
  });
});
