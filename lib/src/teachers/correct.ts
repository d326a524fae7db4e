import type { Canvas, DiagramTask } from '../envs/diagram/types.js';
import type { RandomStream } from '../tensor/random.js';
import type { Freedom, Judge, Judged } from './search.js';

export function correct(
  task: DiagramTask,
  canvas: Canvas,
  judge: Judge,
  limit: number,
  random: RandomStream,
): { result: Judged; freedom: Freedom } {
  void random;
  return { result: { canvas, score: judge(canvas) }, freedom: { movable: [], groups: [], limit } };
}
