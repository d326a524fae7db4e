import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderSvg, type Canvas } from 'posttrain/envs/diagram';

describe('the picture of the README', () => {
  it('is what the renderer makes of the canvas it carries', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, path] = /!\[[^\]]+\]\(([^)]+\.svg)\)/.exec(readme) ?? [];
    const svg = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const [, metadata] = /<metadata>([^<]*)<\/metadata>/.exec(svg) ?? [];
    const canvas = JSON.parse(
      (metadata ?? '').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
    ) as Canvas;
    expect(`${renderSvg(canvas)}\n`).toBe(svg);
  });
});
