import { expect, it } from 'vitest';
import { posttrain } from './command-line.js';

it('explains the metrics that it knows, and then names those that it does not', async () => {
  const { status, out, err } = await posttrain('metrics', 'objective/scores', 'nosuch', 'reward', 'norsuch');
  expect(out).toMatch(/^objective\/scores\n {2}.+\n {2}healthy: .+\n {2}broken: .+\n\nreward\n/);
  expect(err).toBe(
    'error: no trainer reports "nosuch", "norsuch"; `posttrain metrics` lists what there is\n',
  );
  expect(status).toBe(1);
});

it('explains nothing when it knows none, and all when none is named', async () => {
  expect(await posttrain('metrics', 'nosuch')).toMatchObject({ status: 1, out: '' });
  const { status, out } = await posttrain('metrics');
  expect(status).toBe(0);
  expect(out.split('\n\n').length).toBeGreaterThan(50);
});
