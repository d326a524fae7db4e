import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { demoNamed, demoNames } from '../../../lib/src/book/demos/index.js';
import { demoMarkup } from '../../../lib/src/book/demos/markup.js';

const read = (path: string): Promise<Uint8Array> => readFile(`data/${path}`);

describe('the markup of a demo', () => {
  it.each(demoNames)('%s: labels each control, and names nothing twice', async (name) => {
    const html = await demoMarkup(name, {}, read);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [key, control] of Object.entries(demoNamed(name).controls)) {
      expect(html).toContain(`name="${key}"`);
      if (control.type !== 'trail') expect(html).toContain(`<label for="demo-${name}-${key}">`);
      if (control.type === 'range') expect(html).toContain(`<output for="demo-${name}-${key}"`);
    }
    expect(html).toMatch(/<fieldset disabled><legend/);
    expect(html).toMatch(/<noscript>.*needs JavaScript/);
    expect(html).toMatch(/role="status"/);
    for (const [svg] of html.matchAll(/<svg class="chart"[^>]*>/g)) {
      const named = /role="img" aria-label="[^"]{20,}"/.test(svg);
      expect(named || name === 'treasure', svg).toBe(true);
    }
  });

  it('has the first view in it, for those without scripts', async () => {
    const html = await demoMarkup('interval', {}, read);
    expect(html).toContain('data-view="intervals"');
    expect(html).toMatch(/<p class="demo-words">9 of 20 is 45\.0 %/);
    const empty = await demoMarkup('self-check', {}, read);
    expect(empty).not.toContain('data-view');
  });

  it('starts with the values of the chapter, in controls and in what is shown', async () => {
    const html = await demoMarkup('interval', { successes: 0, trials: 10 }, read);
    expect(html).toMatch(/name="successes"[^>]*value="0"/);
    expect(html).toMatch(/<output for="demo-interval-trials"[^>]*>10<\/output>/);
    expect(html).toMatch(/<p class="demo-words">0 of 10 is 0\.0 % \(0–28\)/);
  });

  it('keeps texts texts', async () => {
    const html = await demoMarkup('canvas', { reply: '</textarea><script>alert(1)</script>' }, read);
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;/textarea&gt;&lt;script&gt;');
  });

  it('refuses what it does not know', async () => {
    await expect(demoMarkup('no-such', {}, read)).rejects.toThrow(/no demo "no-such"/);
    await expect(demoMarkup('clip', { eps: 0.2 }, read)).rejects.toThrow(/demo clip has no value "eps"/);
    await expect(demoMarkup('clip', { epsilon: 7 }, read)).rejects.toThrow(/expected a number from 0.05/);
  });
});
