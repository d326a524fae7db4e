/** Which drawings the scripted teacher considers, and in which order. */
import type { Direction, ExpectedGraph, Rules } from '../envs/diagram/types.js';
import type { RandomStream } from '../tensor/random.js';
import type { DrawingStyle } from './drawing.js';
import { snapUp } from './grid.js';

const spacings = [
  { rankGap: 80, nodeGap: 40 },
  { rankGap: 120, nodeGap: 60 },
  { rankGap: 60, nodeGap: 100 },
  { rankGap: 40, nodeGap: 40 },
] as const;

const sizings = [
  { lines: 1, minWidth: 160, minHeight: 60, uniform: true },
  { lines: 1, minWidth: 120, minHeight: 60, uniform: true },
  { lines: 2, minWidth: 100, minHeight: 60, uniform: true },
  { lines: 2, minWidth: 80, minHeight: 40, uniform: false },
  { lines: 3, minWidth: 60, minHeight: 40, uniform: false },
] as const;

const corner = { left: 60, top: 60 } as const;

/** What a style must suit. */
interface Wish {
  readonly graph: ExpectedGraph;
  readonly rules: Rules;
}

/** The plainest style first, then ever denser ones, and folded ones where nothing else helps; at most 140. */
export function* plainStyles(task: Wish): Generator<DrawingStyle> {
  for (const sizing of sizings) {
    for (const spacing of spacings) {
      for (const { placement, lanes } of arrangements(task)) {
        for (const direction of directions(task)) {
          yield {
            ...sizing,
            ...roomy(spacing, task.rules),
            ...corner,
            placement,
            lanes,
            direction,
            columns: 0,
          };
        }
      }
    }
  }
  if (task.graph.direction !== undefined || task.graph.groups.length > 0) return;
  const unused = { placement: 'stacked', lanes: 'shared', direction: 'LR' } as const;
  for (const columns of [3, 2, 4]) {
    for (const sizing of sizings) {
      yield { ...sizing, ...roomy({ rankGap: 60, nodeGap: 80 }, task.rules), ...corner, ...unused, columns };
    }
  }
}

/** Endlessly different styles, all of them ordinary. */
export function* variedStyles(task: Wish, random: RandomStream): Generator<DrawingStyle> {
  for (;;) {
    const spacing = { rankGap: random.pick([50, 60, 80, 100, 120]), nodeGap: random.pick([30, 40, 60, 80]) };
    yield {
      ...roomy(spacing, task.rules),
      ...random.pick(arrangements(task)),
      direction: random.pick(directions(task)),
      columns: 0,
      lines: random.pick([1, 1, 2]),
      minWidth: random.pick([80, 100, 120, 140, 160]),
      minHeight: random.pick([40, 60, 80]),
      uniform: random.uniform() < 0.7,
      left: 20 * (1 + random.int(10)),
      top: 20 * (1 + random.int(10)),
    };
  }
}

/** The requested direction; else both ways of reading, across first. */
function directions({ graph }: Wish): readonly Direction[] {
  return graph.direction === undefined ? ['LR', 'TB'] : [graph.direction];
}

function arrangements({ graph }: Wish): readonly Pick<DrawingStyle, 'placement' | 'lanes'>[] {
  return (['balanced', 'stacked'] as const).flatMap((placement) =>
    (graph.groups.length === 0 ? (['shared'] as const) : (['shared', 'separate'] as const)).map((lanes) => ({
      placement,
      lanes,
    })),
  );
}

/** Never closer than the rules allow. */
function roomy(
  { rankGap, nodeGap }: { readonly rankGap: number; readonly nodeGap: number },
  { minGap, grid }: Rules,
): Pick<DrawingStyle, 'rankGap' | 'nodeGap'> {
  const least = snapUp(minGap, grid);
  return { rankGap: Math.max(least, rankGap), nodeGap: Math.max(least, nodeGap) };
}
