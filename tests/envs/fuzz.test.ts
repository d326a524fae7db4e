import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { test } from 'vitest';
import { applyActions, emptyCanvas } from 'posttrain/envs/diagram/canvas';
import { parseActions } from 'posttrain/envs/diagram/parse';
import type { Canvas } from 'posttrain/envs/diagram/types';
import { replyKinds } from './arbitraries.js';
import { isStrictAction, strictReply } from './strict-reply.js';

/** 9 kinds × 12 rounds × 926 replies = 100,008: nothing throws or hangs, and the parser agrees with the independent reading. */
const ROUNDS = 12;
const REPLIES_PER_ROUND = 926;

/** What must be true of every canvas, however it came about. */
function isSound({ width, height, shapes, edges }: Canvas): boolean {
  const ids = new Set(shapes.map(({ id }) => id));
  const names = new Set(edges.map(({ from, to, label }) => JSON.stringify([from, to, label])));
  return (
    ids.size === shapes.length &&
    names.size === edges.length &&
    edges.every(({ from, to }) => ids.has(from) && ids.has(to)) &&
    shapes.every(
      (shape) =>
        [shape.x, shape.y, shape.width, shape.height].every(
          (n) => Number.isInteger(n) && !Object.is(n, -0),
        ) &&
        Math.min(shape.x, shape.y) >= 0 &&
        shape.x + shape.width <= width &&
        shape.y + shape.height <= height,
    )
  );
}

/** Whether parser and canvas treat the reply as the independent reading says. */
function isHandled(reply: string): boolean {
  const parsed = parseActions(reply);
  const strict = strictReply(reply);
  if (!parsed.ok || !strict) return parsed.ok === (strict !== null);
  const { canvas, log } = applyActions(emptyCanvas(), parsed.actions);
  return (
    parsed.actions.length === strict.length &&
    parsed.actions.every((item, index) => 'type' in item === isStrictAction(strict[index]!)) &&
    log.actions === strict.length &&
    log.valid + log.errors.length === log.actions &&
    isSound(canvas)
  );
}

test.each(Object.entries(replyKinds))(
  '%s never break the parser or the canvas',
  async (_name, kind) => {
    for (let seed = 0; seed < ROUNDS; seed++) {
      fc.assert(fc.property(kind, isHandled), { numRuns: REPLIES_PER_ROUND, seed });
      // The test runner's own messages need a turn of the event loop now and then.
      await setImmediate();
    }
  },
  300_000,
);
