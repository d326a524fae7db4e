import { describe, expect, it } from 'vitest';
import { createWatcher } from 'posttrain/cli/watch';

describe('createWatcher', () => {
  const step = (at: number, reward: number) =>
    ({
      kind: 'step',
      stage: 'grpo',
      step: at,
      totalSteps: 10,
      metrics: { reward, 'rewards/success/mean': reward / 2 },
    }) as const;

  it('knows what is done, how far the stage is and how long it will take', () => {
    let clock = 0;
    const watcher = createWatcher(() => clock);
    watcher.next({ kind: 'stage', stage: 'teacher', state: 'skipped' });
    watcher.next({ kind: 'stage', stage: 'grpo', state: 'started' });
    clock = 3000;
    watcher.next(step(1, 0.2));
    clock = 6000;
    const view = watcher.next(step(2, 0.4));
    expect(view.stages.map(({ state }) => state)).toEqual([
      'done',
      'waiting',
      'active',
      'waiting',
      'waiting',
    ]);
    expect(view).toMatchObject({ step: 2, totalSteps: 10, elapsedMs: 6000, remainingMs: 24_000 });
    expect(view.headline).toEqual([
      { name: 'reward', value: '0.300' },
      { name: 'success', value: '15.0 %' },
    ]);
    expect(view.trend).toEqual([0.2, expect.closeTo(0.3)]);
  });

  it('foretells from the steps after the first of this process, which pays for the start', () => {
    let clock = 0;
    const watcher = createWatcher(() => clock);
    watcher.next({ kind: 'stage', stage: 'grpo', state: 'started' });
    clock = 90_000;
    expect(watcher.next(step(7, 0.2)).remainingMs).toBeUndefined();
    clock = 92_000;
    expect(watcher.next(step(8, 0.2)).remainingMs).toBe(4000);
  });

  it('shows the newest drawing until there is another', () => {
    const watcher = createWatcher(() => 0);
    watcher.next({ kind: 'stage', stage: 'grpo', state: 'started' });
    watcher.next({ ...step(1, 0), drawing: { request: 'A -> B', reward: 0.5, success: false } });
    expect(watcher.next(step(2, 0)).drawing).toEqual({
      caption: 'A -> B  (reward 0.50)',
      good: false,
      lines: ['(the reply could not be read)'],
    });
  });
});
