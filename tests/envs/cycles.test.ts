import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closingArrows } from 'posttrain/envs/diagram/cycles';
import { hasCycle } from 'posttrain/envs/diagram/tasks/scene';

describe('closingArrows', () => {
  it('are those that lead back, seen from the sources', () => {
    const arrows = ['bc', 'cb', 'ab', 'ca', 'bb', 'cd'].map((ends) => [ends[0]!, ends[1]!] as const);
    expect([...closingArrows(['b', 'a', 'c', 'd'], arrows)].sort()).toEqual([1, 2]);
    expect([...closingArrows(['a', 'b', 'c', 'd'], arrows)].sort()).toEqual([1, 3]);
  });

  it('count every one of parallel arrows', () => {
    expect(
      closingArrows(
        [0, 1],
        [
          [0, 1],
          [1, 0],
          [1, 0],
        ],
      ),
    ).toEqual(new Set([1, 2]));
  });

  it('are enough to leave no cycle, and none when there is none', () => {
    const graph = fc
      .integer({ min: 1, max: 7 })
      .chain((size) =>
        fc.tuple(
          fc.constant(size),
          fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 14 }),
        ),
      );
    fc.assert(
      fc.property(graph, ([size, pairs]) => {
        const arrows = pairs.filter(([from, to]) => from !== to);
        const closing = closingArrows([...Array(size).keys()], arrows);
        const edges = arrows.map(([from, to]) => ({ from, to }));
        expect(
          hasCycle(
            size,
            edges.filter((_, index) => !closing.has(index)),
          ),
        ).toBe(false);
        expect(closing.size > 0).toBe(hasCycle(size, edges));
      }),
    );
  });
});
