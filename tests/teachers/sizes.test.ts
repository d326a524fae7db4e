import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelFits } from 'posttrain/envs/diagram/text-metrics';
import { boxSizes } from 'posttrain/teachers/sizes';

const style = { lines: 3, minWidth: 60, minHeight: 40, uniform: false };

describe('boxSizes', () => {
  it('gives loose text the width it needs: it is never wrapped', () => {
    const label = 'three words that would fit a narrow box in three lines';
    const [size] = boxSizes([{ label, shape: 'text' }], style, 10);
    expect(labelFits({ ...size!, shape: 'text', text: label })).toBe(true);
    expect(size!.width).toBeGreaterThan(300);
  });

  it('holds every label in every shape', () => {
    const shape = fc.constantFrom(
      'rectangle' as const,
      'ellipse' as const,
      'diamond' as const,
      'text' as const,
    );
    const label = fc.lorem({ maxCount: 5 });
    fc.assert(
      fc.property(shape, label, (shape, label) => {
        const [size] = boxSizes([{ label, shape }], style, 10);
        expect(labelFits({ ...size!, shape, text: label })).toBe(true);
      }),
    );
  });
});
