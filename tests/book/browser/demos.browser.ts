import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { chapters, describeInBrowser } from './visit.js';

/** What a demo shows: changes when it has run. */
const shown = async (demo: Locator): Promise<string> =>
  `${await demo.locator('.demo-views').innerHTML()}${await demo.locator('.demo-words').textContent()}`;

/** That each demo runs and stops is tested beside the demos; here, that the site has what they need. */
describeInBrowser('live demos', ({ open }) => {
  it.each(chapters)('run in %s', async (place) => {
    const { page, wrong } = await open(place, { reducedMotion: 'reduce' });
    const demo = page.locator('.demo[data-demo]').first();
    const before = await shown(demo);
    await setGoing(demo);
    await expect.poll(() => shown(demo)).not.toBe(before);
    expect(await demo.locator('.demo-error').textContent()).toBe('');
    const stop = demo.locator('.demo-stop');
    if ((await stop.isVisible()) && (await stop.getAttribute('aria-disabled')) === 'false')
      await stop.press('Enter');
    await expect.poll(() => demo.evaluate((each) => each.classList.contains('demo-busy'))).toBe(false);
    await page.context().close();
    expect(wrong).toEqual([]);
  });
});

/** By keyboard, as everything here can be used: the Run button, else another value of the first control. */
async function setGoing(demo: Locator): Promise<void> {
  const run = demo.locator('.demo-run');
  if ((await run.count()) > 0) return run.press('Enter');
  const pad = demo.locator('button[data-sets]');
  if ((await pad.count()) > 0) return pad.first().press('Enter');
  const control = demo
    .locator('input[type=range], select, input[type=checkbox], textarea, input[type=text]')
    .first();
  const kind = await control.evaluate((each) => (each as HTMLInputElement).type);
  if (kind === 'textarea' || kind === 'text') return control.pressSequentially(' ');
  await control.focus();
  await control.press(kind === 'checkbox' ? 'Space' : 'ArrowRight');
  // at its end already
  if (kind === 'range') await control.press('PageUp');
}
