import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { achievement, reportHtml } from 'posttrain/recipes/diagram/report';
import { quickRecipe } from 'posttrain/recipes/diagram/recipe';
import { madeUpRun } from './made-up-run.js';

describe('the report', () => {
  const run = madeUpRun();
  const html = reportHtml(run);
  if (process.env['POSTTRAIN_REPORT'] !== undefined) writeFileSync(process.env['POSTTRAIN_REPORT'], html);

  it('says first what was achieved', () => {
    expect(achievement(run.evaluation, run.config.recipe)).toBe(
      'Diagrams drawn exactly as asked, 200 unseen requests, temperature 1: base 0.0 % → SFT 36.0 % → GRPO 52.0 %.',
    );
    expect(html).toContain('base 0.0 % → SFT 36.0 % → GRPO 52.0 %');
    expect(html).not.toContain('A quick run');
    expect(achievement(run.evaluation, quickRecipe)).toContain('A quick run, too short to learn');
  });

  it('needs nothing else: no script, no request to anywhere', () => {
    expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|src=|href=/);
    const withoutNamespace = html.replaceAll('xmlns="http://www.w3.org/2000/svg"', '');
    expect(withoutNamespace).not.toMatch(/https?:/);
  });

  it('has a table row for every policy on every split, with intervals', () => {
    expect(html.match(/<tr><td>id<\/td><td>sampled<\/td>/g)).toHaveLength(3);
    expect(html.match(/<td>real<\/td>/g)).toHaveLength(3);
    expect(html).toContain('<td class="number">36.0 % (30–43)</td>');
  });

  it('compares GRPO with where it started, task by task', () => {
    // 72 of 200 succeeded before, the same 72 and 32 more after
    expect(html).toContain('GRPO against SFT on the same 200 requests: success +16.0 points');
  });

  it('draws a curve for each number that was measured, and the same request by each stage', () => {
    expect(html.match(/<svg class="chart"/g)).toHaveLength(6);
    expect(html).toContain('no readable drawing');
    expect(html.match(/<figure class="drawing">/g)).toHaveLength(3);
    expect(html).toContain('Three tiers: Browser, API &amp; &lt;Database&gt;');
    expect(html).not.toContain('<Database>');
  });

  it('is the same bytes for the same run', () => {
    expect(reportHtml(madeUpRun())).toBe(html);
  });
});
