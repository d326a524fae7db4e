/** Uses a demo, whichever it is. */
import type { Locator } from 'playwright-core';

/** What a demo shows: changes when it has run. */
export async function shown(demo: Locator): Promise<string> {
  return `${await demo.locator('.demo-views').innerHTML()}${await demo.locator('.demo-words').textContent()}`;
}

/** By keyboard, as everything here can be used: whatever surely changes what is shown, the most likely first. */
export async function setGoing(demo: Locator): Promise<void> {
  const ways: readonly (readonly [selector: string, use: (part: Locator) => Promise<void>])[] = [
    ['.demo-run', (run) => run.press('Enter')],
    ['input[type=range]', drag],
    ['textarea, input[type=text]', (text) => text.pressSequentially('x')],
    ['button[data-sets]', (move) => move.press('Enter')],
    ['select', (choice) => choice.press('ArrowDown')],
    ['input[type=checkbox]', (choice) => choice.press('Space')],
  ];
  for (const [selector, use] of ways) {
    const part = demo.locator(selector).first();
    if ((await part.count()) > 0) return use(part);
  }
  throw new Error('a demo with nothing to use');
}

/** To one end, or to the other: a step alone may change nothing that is shown. */
async function drag(slider: Locator): Promise<void> {
  const before = await slider.inputValue();
  await slider.press('End');
  if ((await slider.inputValue()) === before) await slider.press('Home');
}
