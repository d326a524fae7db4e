import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyActions, emptyCanvas } from 'posttrain/envs/diagram/canvas';
import { parseActions } from 'posttrain/envs/diagram/parse';
import type { Canvas } from 'posttrain/envs/diagram/types';
import { replyKinds } from './arbitraries.js';
import { isStrictAction, strictReply } from './strict-reply.js';

/** 100,008 replies in all: nothing throws or hangs, and the parser agrees with the independent reading on every one. */
const RUNS_PER_KIND = 11_112;

/** What must be true of every canvas, however it came about. */
function expectSound({ width, height, shapes, edges }: Canvas): void {
  const ids = new Set(shapes.map(({ id }) => id));
  expect(ids.size).toBe(shapes.length);
  for (const shape of shapes) {
    const numbers = [shape.x, shape.y, shape.width, shape.height];
    expect(numbers.every((value) => Number.isInteger(value) && !Object.is(value, -0))).toBe(true);
    expect(
      shape.x >= 0 && shape.y >= 0 && shape.x + shape.width <= width && shape.y + shape.height <= height,
    ).toBe(true);
  }
  for (const { from, to } of edges) expect(ids.has(from) && ids.has(to)).toBe(true);
  expect(new Set(edges.map(({ from, to, label }) => JSON.stringify([from, to, label]))).size).toBe(
    edges.length,
  );
}

test.each(Object.entries(replyKinds))('%s never break the parser or the canvas', (_name, kind) => {
  fc.assert(
    fc.property(kind, (reply) => {
      const parsed = parseActions(reply);
      const strict = strictReply(reply);
      expect(parsed.ok).toBe(strict !== null);
      if (!parsed.ok || !strict) return;

      expect(parsed.actions.length).toBe(strict.length);
      parsed.actions.forEach((item, index) => expect('type' in item).toBe(isStrictAction(strict[index]!)));

      const { canvas, log } = applyActions(emptyCanvas(), parsed.actions);
      expect(log.actions).toBe(strict.length);
      expect(log.valid + log.errors.length).toBe(log.actions);
      expectSound(canvas);
    }),
    { numRuns: RUNS_PER_KIND, seed: 7 },
  );
});
