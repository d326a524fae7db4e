import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventLoopTurn } from 'posttrain/event-loop';

describe('a turn of the event loop', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it.each(['in Node', 'in a page'])('%s lets timers that are due run', async (where) => {
    if (where === 'in a page') vi.stubGlobal('setImmediate', undefined);
    let fired = false;
    setTimeout(() => (fired = true), 1);
    for (const start = performance.now(); performance.now() < start + 5;);
    // one turn may begin just behind the timers' place in the loop
    for (let turn = 0; turn < 2; turn++) await eventLoopTurn();
    expect(fired).toBe(true);
  });
});
