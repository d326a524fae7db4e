import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { chapters, describeInBrowser } from './visit.js';

/** What a demo shows: changes when it has run. */
const shown = async (demo: Locator): Promise<string> =>
  `${await demo.locator('.demo-views').innerHTML()}${await demo.locator('.demo-words').textContent()}`;

describeInBrowser('the live demos of', ({ open }) => {
  it.each(chapters)('%s run and stop', async (place) => {
    const { page, wrong } = await open(place, { reducedMotion: 'reduce' });
    const demos = await page.locator('.demo[data-demo]').all();
    expect(demos.length).toBeGreaterThan(0);
    for (const demo of demos) {
      const name = await demo.getAttribute('data-demo');
      const before = await shown(demo);
      await setGoing(demo);
      await expect
        .poll(() => shown(demo), { message: `${name} shows something`, timeout: 60_000 })
        .not.toBe(before);
      expect(await demo.locator('.demo-error').textContent(), name!).toBe('');
      await stop(demo);
      await expect.poll(() => isBusy(demo), { message: `${name} stops`, timeout: 10_000 }).toBe(false);
    }
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

async function stop(demo: Locator): Promise<void> {
  const button = demo.locator('.demo-stop');
  if ((await button.isVisible()) && (await button.getAttribute('aria-disabled')) === 'false')
    await button.press('Enter');
}

function isBusy(demo: Locator): Promise<boolean> {
  return demo.evaluate((each) => each.classList.contains('demo-busy'));
}
