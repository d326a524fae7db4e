import { expect, it } from 'vitest';
import { chapters, describeInBrowser } from './visit.js';

describeInBrowser('on paper', ({ open }) => {
  it('prints the text with its solutions, without navigation, light on a dark screen too', async () => {
    const { page } = await open(chapters.at(-1)!, { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    for (const gone of ['.top', '#contents', '.outline', '.turn', '.copy'])
      expect(await page.locator(gone).first().isVisible(), gone).toBe(false);
    const folded = page.locator('article details');
    for (const details of await folded.all())
      await expect.poll(() => details.evaluate((each: HTMLDetailsElement) => each.open)).toBe(true);
    await expect
      .poll(() => page.locator('h1').evaluate((h1) => getComputedStyle(h1).color))
      .toBe('rgb(28, 27, 26)');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await expect.poll(() => page.locator('article details[open]').count()).toBe(0);
    const pdf = await page.pdf({ format: 'A4' });
    expect(pageCount(pdf)).toBeGreaterThan(2);
    await expect.poll(() => page.locator('article details[open]').count()).toBe(0);
    await page.context().close();
  });

  it('shows drawings in place of figures that need a screen', async () => {
    for (const place of chapters) {
      const { page } = await open(place);
      const figure = page.locator('[data-plots] figure:has(svg.chart)').first();
      if ((await figure.count()) > 0) {
        await figure.scrollIntoViewIfNeeded();
        await figure.locator('.plot').waitFor();
        await expect.poll(() => figure.locator('.drawing').isVisible()).toBe(false);
        await page.emulateMedia({ media: 'print' });
        await expect.poll(() => figure.locator('.drawing').isVisible()).toBe(true);
        await expect.poll(() => figure.locator('.plot').isVisible()).toBe(false);
        await page.context().close();
        return;
      }
      await page.context().close();
    }
    throw new Error('no chapter has a figure');
  });
});

function pageCount(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}
