import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canvasArt } from 'posttrain/display/canvas-art';
import { cellWidth } from 'posttrain/display/cells';
import type { Canvas, Edge, Shape } from 'posttrain/envs/diagram/types';

const box = (id: string, x: number, y: number, text: string, shape: Shape['shape'] = 'rectangle'): Shape => ({
  id,
  shape,
  x,
  y,
  width: 160,
  height: 60,
  text,
});
const canvas = (shapes: Shape[], edges: Edge[] = []): Canvas => ({
  width: 1600,
  height: 1200,
  shapes,
  edges,
});

describe('canvasArt', () => {
  it('draws boxes, an arrow and its label side by side', () => {
    const shapes = [box('a', 0, 0, 'API'), box('b', 320, 0, 'Store', 'ellipse')];
    expect(canvasArt(canvas(shapes, [{ from: 'a', to: 'b', label: 'reads' }]), 48, 8)).toEqual([
      '┌──────────────┐                ╭──────────────╮',
      '│     API      │─────reads─────►│    Store     │',
      '└──────────────┘                ╰──────────────╯',
    ]);
  });

  it('bends arrows that go down, counts wide characters double, marks loops and shows groups through', () => {
    const group: Shape = { id: 'g', shape: 'rectangle', x: 0, y: 0, width: 480, height: 340, text: 'Core' };
    const shapes = [
      group,
      box('a', 20, 60, '数据库'),
      box('b', 240, 240, 'A very long label indeed', 'diamond'),
    ];
    const edges = [
      { from: 'a', to: 'b', label: '' },
      { from: 'b', to: 'b', label: '' },
    ];
    expect(canvasArt(canvas(shapes, edges), 48, 17)).toEqual([
      '┌─────────────────────Core─────────────────────┐',
      '│                                              │',
      '│                                              │',
      '│ ┌──────────────┐                             │',
      '│ │    数据库    │                             │',
      '│ └──────────────┘                             │',
      '│        │                                     │',
      '│        │                                     │',
      '│        └─────────────────────┐               │',
      '│                              │               │',
      '│                              │               │',
      '│                              ▼               │',
      '│                       ◇──────────────↺       │',
      '│                       │A very long l…│       │',
      '│                       ◇──────────────◇       │',
      '│                                              │',
      '└──────────────────────────────────────────────┘',
    ]);
  });

  it('keeps the words of several lines apart', () => {
    const note: Shape = { ...box('t', 0, 120, 'two\nlines', 'text'), height: 40 };
    const shapes = [box('a', 0, 0, 'API'), box('b', 400, 0, 'Big\nstore'), note];
    const art = canvasArt(canvas(shapes, [{ from: 'a', to: 'b', label: 'writes\nrows' }]), 60, 12).join('\n');
    for (const words of ['Big store', 'two lines', 'writes rows']) expect(art).toContain(words);
  });

  it('says so when there is nothing', () => {
    expect(canvasArt(canvas([]))).toEqual(['(empty canvas)']);
  });

  it('never throws and never grows beyond its frame, whatever is drawn', () => {
    const shape = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      shape: fc.constantFrom('rectangle' as const, 'ellipse' as const, 'diamond' as const, 'text' as const),
      x: fc.integer({ min: -50, max: 1600 }),
      y: fc.integer({ min: -50, max: 1200 }),
      width: fc.integer({ min: 1, max: 1600 }),
      height: fc.integer({ min: 1, max: 1200 }),
      text: fc.string({ unit: 'grapheme', maxLength: 20 }),
    });
    const edge = fc.record({
      from: fc.constantFrom('a', 'b', 'z'),
      to: fc.constantFrom('a', 'c', 'd'),
      label: fc.string({ maxLength: 8 }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(shape, { selector: (s) => s.id }),
        fc.array(edge, { maxLength: 6 }),
        (shapes, edges) => {
          const lines = canvasArt(canvas(shapes, edges), 40, 10);
          expect(lines.length).toBeLessThanOrEqual(10);
          for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(41);
        },
      ),
    );
  });
});
