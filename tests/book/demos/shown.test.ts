/** What demos show is true. */
import { beforeAll, describe, expect, it } from 'vitest';
import { estimateOften } from '../../../lib/src/book/demos/baseline.js';
import { perform as performReply } from '../../../lib/src/book/demos/canvas.js';
import { surrogate } from '../../../lib/src/book/demos/clip.js';
import { descend, landscape, massOf, studentOf, teacherOf } from '../../../lib/src/book/demos/divergences.js';
import { costs } from '../../../lib/src/book/demos/drift.js';
import { exampleTask } from '../../../lib/src/book/demos/example-task.js';
import { answersOf } from '../../../lib/src/book/demos/filter.js';
import { demoNamed } from '../../../lib/src/book/demos/index.js';
import { bestPolicy, divergence, expectedReward, scatter } from '../../../lib/src/book/demos/kl.js';
import { judge, textbookFormula } from '../../../lib/src/book/demos/reward.js';
import { product } from '../../../lib/src/book/demos/self-check.js';
import { drawn, tempered } from '../../../lib/src/book/demos/temperature.js';
import { play } from '../../../lib/src/book/demos/treasure.js';
import { passAtK, wilsonInterval } from '../../../lib/src/eval/index.js';
import { rewardPresets } from '../../../lib/src/rewards/index.js';
import { initBackend } from '../../../lib/src/tensor/index.js';
import { linesOf, perform } from './stage.js';

beforeAll(async () => void (await initBackend({ backend: 'wasm' })));

describe('clip', () => {
  const options = { epsilon: 0.2, epsilonHigh: 0.3, delta: null };

  it('has no gradient beyond the clip on the side the advantage wants, and r · A elsewhere', () => {
    for (const advantage of [1.5, -0.5])
      for (const { ratio, slope, objective } of surrogate(
        [0.3, 0.79, 0.81, 1, 1.29, 1.31, 2],
        advantage,
        options,
      )) {
        const held = advantage > 0 ? ratio > 1.3 : ratio < 0.8;
        expect(slope).toBeCloseTo(held ? 0 : ratio * advantage, 5);
        const kept = Math.min(1.3, Math.max(0.8, ratio));
        expect(objective).toBeCloseTo(Math.min(ratio * advantage, kept * advantage), 5);
      }
  });
});

describe('pass-at-k', () => {
  it('shows the library’s estimate at every k', async () => {
    const { views, words } = await perform(demoNamed('pass-at-k'), { samples: '10', correct: '1', k: '10' });
    const lines = linesOf(views.get('curve'));
    for (const { x, y } of lines.get('pass@k, unbiased')!) expect(y).toBe(passAtK(10, 1, x));
    expect(words).toMatch(/pass@10 is 100\.0 %.*give 65\.1 %, 34\.9 points less/);
  });

  it('says so when there cannot be so many successes or tries', async () => {
    const { words } = await perform(demoNamed('pass-at-k'), { samples: '5', correct: '9', k: '7' });
    expect(words).toMatch(/c is at most n: 5\. k is at most n: 5\./);
  });
});

describe('interval', () => {
  it('shows Wilson’s interval', async () => {
    const { views } = await perform(demoNamed('interval'), { successes: '0', trials: '10' });
    const view = views.get('intervals')!;
    const { low, high } = wilsonInterval(0, 10);
    expect('figure' in view && view.figure.type === 'dots' && view.figure.dots[0]).toMatchObject({
      low,
      high,
    });
  });
});

describe('drift', () => {
  it('grows with the square of the length for who never left the path, in proportion for who did', () => {
    const growth = (costs: readonly number[]): number => costs[31]! / costs[15]!;
    expect(growth(costs('imitator', 32, 0.001))).toBeGreaterThan(3.5);
    expect(growth(costs('imitator', 32, 0.001))).toBeLessThan(4.5);
    expect(growth(costs('learner', 32, 0.001))).toBeCloseTo(2, 1);
  });

  it('costs both the same at the first move', () => {
    expect(costs('imitator', 8, 0.1)[0]).toBeCloseTo(0.1, 10);
    expect(costs('learner', 8, 0.1)[0]).toBeCloseTo(0.1, 10);
  });
});

describe('kl', () => {
  it('has a policy that no other beats', () => {
    const worth = (policy: readonly number[], beta: number): number =>
      expectedReward(policy) - beta * divergence(policy);
    for (const beta of [0.1, 0.5, 2]) {
      const best = bestPolicy(beta);
      for (const other of [bestPolicy(beta * 0.8), bestPolicy(beta * 1.2), [0.25, 0.25, 0.25, 0.25]])
        expect(worth(best, beta)).toBeGreaterThan(worth(other, beta));
    }
  });

  it('has k1 and k3 right on average, k3 with less noise', () => {
    const policy = bestPolicy(0.3);
    const [k1, k3] = [scatter(policy, 'k1', 256), scatter(policy, 'k3', 256)];
    for (const { mean, deviation } of [k1, k3])
      expect(Math.abs(mean - divergence(policy))).toBeLessThan((4 * deviation) / Math.sqrt(300));
    expect(k3.deviation).toBeLessThan(k1.deviation);
  });
});

describe('baseline', () => {
  it('leaves the mean where it is and takes noise away; the own sample shrinks it', () => {
    const setting = { group: 8, right: 0.3, offset: 1 };
    const exact = 0.3 * 0.7;
    const of = (name: Parameters<typeof estimateOften>[0]) => estimateOften(name, setting);
    const near = (mean: number, share: number): void =>
      expect(Math.abs(mean / exact - share)).toBeLessThan(0.15);
    near(of('no baseline').mean, 1);
    near(of('leave one out').mean, 1);
    near(of('group mean').mean, 7 / 8);
    expect(of('no baseline').noise).toBeGreaterThan(2 * of('leave one out').noise);
  });

  it('does not care for a mark that all replies get', () => {
    const at = (offset: number) => estimateOften('leave one out', { group: 4, right: 0.5, offset });
    expect(at(5).mean).toBeCloseTo(at(0).mean, 10);
  });
});

describe('divergences', () => {
  const teacher = teacherOf(10, 30, 0.55);
  const settle = (beta: number, start: number) =>
    massOf(studentOf(descend(landscape(teacher, beta), start)), 10, 30);

  it('lets forward KL cover both modes from wherever it starts', () => {
    for (const start of [4, 17, 36]) {
      const { left, right, elsewhere } = settle(0, start);
      expect(Math.min(left, right)).toBeGreaterThan(0.15);
      expect(elsewhere).toBeGreaterThan(0.4);
    }
  });

  it('lets reverse KL settle on the mode that it starts at', () => {
    expect(settle(1, 12).left).toBeGreaterThan(0.95);
    expect(settle(1, 28).right).toBeGreaterThan(0.95);
  });
});

describe('temperature', () => {
  it('sharpens when low, levels when high, and keeps the order', () => {
    const [cold, warm] = [tempered(0.1), tempered(4)];
    expect(cold[0]).toBeGreaterThan(0.99);
    expect(Math.max(...warm) - Math.min(...warm)).toBeLessThan(0.3);
    expect(warm).toEqual(warm.toSorted((a, b) => b - a));
    expect(drawn(warm, 500, 3).reduce((sum, count) => sum + count, 0)).toBe(500);
  });
});

describe('treasure', () => {
  const SHORTEST =
    "take rusty sword; go east; take red key; take magic crystal; try crafting; go west; go north; go north; attack with silver sword; go east; take dragon's treasure";

  it('is won in eleven moves', () => {
    const { success, over, turns } = play(SHORTEST.split('; '), false);
    expect([success, over, turns.length]).toEqual([true, true, 11]);
  });

  it('pays for dropping and taking for ever, unless each pick-up is paid once', () => {
    const farm = ['go east', ...Array.from({ length: 20 }, () => ['take red key', 'drop red key']).flat()];
    expect(play(farm, false).turns.at(-1)!.sum).toBeGreaterThan(70);
    expect(play(farm, true).turns.at(-1)!.sum).toBeLessThan(0);
  });

  it('ends after fifty moves', () => {
    const { over, turns } = play(
      Array.from({ length: 60 }, () => 'look around'),
      false,
    );
    expect([over, turns.length]).toEqual([true, 50]);
    expect(turns.at(-1)).toMatchObject({ paid: -10.5, event: expect.stringMatching(/time is up/) });
  });

  it('offers the moves of the state, after those of the trail', async () => {
    const { views } = await perform(demoNamed('treasure'), { moves: 'go east' });
    const seen = views.get('seen');
    expect(seen && 'html' in seen && seen.html).toContain('value="go east; take red key"');
  });
});

describe('q-learning', () => {
  it('farms the key as published, and wins when it is paid once', { timeout: 120_000 }, async () => {
    const run = (values: Record<string, string>) =>
      perform(demoNamed('q-learning'), { episodes: '2500', ...values });
    expect((await run({})).words).toMatch(/it won [0-9] %, with (\d\d|[5-9])\.\d drops/);
    expect((await run({ payOnce: 'true' })).words).toMatch(/it won (9\d|100) %.*wins in 11 moves/);
  });

  it('stops between two games', async () => {
    const stop = new AbortController();
    const { words } = await perform(
      demoNamed('q-learning'),
      {},
      { signal: stop.signal, onShow: () => stop.abort() },
    );
    expect(words).toMatch(/^Of the last 150 games/);
  });
});

describe('canvas', () => {
  it('skips a bad action and keeps the others; a bad bracket loses all', () => {
    const box =
      '{"type":"create","shape":"rectangle","id":"n1","x":40,"y":40,"width":160,"height":80,"text":"A"}';
    const one = performReply(`{"actions":[${box},{"type":"connect","from":"n1","to":"n2"}]}`);
    expect(one.canvas.shapes).toHaveLength(1);
    expect(one.problems).toMatchObject([{ code: 'E_DANGLING', actionIndex: 1 }]);
    expect(performReply(`{"actions":[${box}`)).toMatchObject({
      canvas: { shapes: [] },
      problems: [{ code: 'E_PARSE' }],
    });
  });
});

describe('reward', () => {
  it('has the naive preset at its start values', () => {
    const formula = textbookFormula({ words: 0.4, arrows: 0.2, overlap: 1 });
    const task = exampleTask(4);
    for (const answer of ['right', 'keyword_box', 'stacked', 'empty_actions'] as const) {
      const { textbook, canvas, log } = judge(task, answer, formula);
      expect(textbook).toBeCloseTo(rewardPresets.naive(task, canvas, log).reward, 12);
    }
  });

  it('pays a cheat more than a right answer, where the gate does not', () => {
    const formula = textbookFormula({ words: 0.4, arrows: 0.2, overlap: 1 });
    const [right, cheat] = (['right', 'complete_graph'] as const).map((answer) =>
      judge(exampleTask(4), answer, formula),
    );
    expect(cheat!.textbook).toBeGreaterThan(right!.textbook);
    expect(cheat!.gated).toBeLessThan(0.7 * right!.gated);
    expect([right!.success, cheat!.success]).toEqual([true, false]);
  });
});

describe('filter', () => {
  it('keeps from the threshold on, and the good teacher’s answers are all right', async () => {
    const signal = new AbortController().signal;
    const options = { mediocre: 0.5, mistakes: 0.3, samples: 3, keep: { reward: 0.85 } };
    for await (const { reward, rejection } of answersOf([exampleTask(1), exampleTask(2)], options, signal))
      expect(rejection === null).toBe(reward >= 0.85);
    for await (const { success } of answersOf(
      [exampleTask(1)],
      { ...options, mediocre: 0, mistakes: 0 },
      signal,
    ))
      expect(success).toBe(true);
  });
});

describe('self-check', () => {
  it('finds the product right', async () => {
    const { error, milliseconds } = await product(64);
    expect(error).toBeLessThan(1e-6);
    expect(milliseconds).toBeGreaterThan(0);
  });
});
