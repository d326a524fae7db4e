/** Uses a demo, whichever it is. */
import type { Locator } from 'playwright-core';

/** What a demo shows: changes when it has run. */
export async function shown(demo: Locator): Promise<string> {
  return `${await demo.locator('.demo-views').innerHTML()}${await demo.locator('.demo-words').textContent()}`;
}

/** By keyboard, as everything here can be used: the Run button, else another value of the first control. */
export async function setGoing(demo: Locator): Promise<void> {
  const run = demo.locator('.demo-run');
  if ((await run.count()) > 0) return run.press('Enter');
  const pad = demo.locator('button[data-sets]');
  if ((await pad.count()) > 0) return pad.first().press('Enter');
  const control = demo
    .locator('input[type=range], select, input[type=checkbox], textarea, input[type=text]')
    .first();
  const kind = await control.evaluate((each) => (each as HTMLInputElement).type);
  if (kind === 'textarea' || kind === 'text') return control.pressSequentially('x');
  await control.focus();
  await control.press(kind === 'checkbox' ? 'Space' : 'ArrowRight');
  // at its end already
  if (kind === 'range') await control.press('PageUp');
}
