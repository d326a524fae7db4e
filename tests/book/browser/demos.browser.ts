import { expect, it } from 'vitest';
import { setGoing, shown } from './demo.js';
import { chapters, describeInBrowser } from './visit.js';

/** That each demo runs and stops is tested beside the demos; here, that the site has what they need. */
describeInBrowser('live demos', ({ open }) => {
  it.each(chapters)('run in %s', async (place) => {
    const { page, wrong } = await open(place, { reducedMotion: 'reduce' });
    const demo = page.locator('.demo[data-demo]').first();
    const before = await shown(demo);
    await setGoing(demo);
    await expect.poll(() => shown(demo)).not.toBe(before);
    await expect.poll(() => demo.locator('.demo-error').textContent()).toBe('');
    const stop = demo.locator('.demo-stop');
    if ((await stop.isVisible()) && (await stop.getAttribute('aria-disabled')) === 'false')
      await stop.press('Enter');
    await expect.poll(() => demo.evaluate((each) => each.classList.contains('demo-busy'))).toBe(false);
    await page.context().close();
    expect(wrong).toEqual([]);
  });
});
