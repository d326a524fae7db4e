import { SharedBuffers } from 'posttrain/engine/shared-buffers';
import { expect, it } from 'vitest';

it('lends no more than its limit, in the order of the asking, and what comes back is lent again', async () => {
  const buffers = new SharedBuffers(8, 2);
  const [first, second] = [await buffers.take(), await buffers.take()];
  expect([first.byteLength, second.byteLength]).toEqual([8, 8]);
  expect(first).not.toBe(second);

  const got: string[] = [];
  const third = buffers.take().then((buffer) => (got.push('third'), buffer));
  const fourth = buffers.take().then((buffer) => (got.push('fourth'), buffer));
  await Promise.resolve();
  expect(got).toEqual([]);
  buffers.giveBack(second);
  buffers.giveBack(first);
  expect(await third).toBe(second);
  expect(await fourth).toBe(first);
  expect(got).toEqual(['third', 'fourth']);

  buffers.giveBack(first);
  expect(await buffers.take()).toBe(first);
});
