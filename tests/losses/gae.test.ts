import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gae, tokenGAE } from 'posttrain/losses/gae';

const close = (actual: ArrayLike<number>, expected: readonly number[]): void => {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, t) => expect(actual[t]).toBeCloseTo(value, 6));
};

describe('GAE', () => {
  const episode = { rewards: [0, 0, 1], values: [0.5, 0.4, 0.8], bootstrapValue: 0 };

  it('with λ = 1 is Monte Carlo: what followed, less what was expected', () => {
    const { advantages, returns } = gae(episode, { gamma: 1, lam: 1 });
    close(returns, [1, 1, 1]);
    close(advantages, [0.5, 0.6, 0.2]);
  });

  it('with λ = 0 is the surprise of one step', () => {
    close(gae(episode, { gamma: 1, lam: 0 }).advantages, [-0.1, 0.4, 0.2]);
  });

  it('mixes them in between', () => {
    // δ = 1 − .8, .5·.8 − .4, .5·.4 − .5; γλ = .25
    const deltas = [-0.3, 0, 0.2];
    close(gae(episode, { gamma: 0.5, lam: 0.5 }).advantages, [
      deltas[0]! + 0.25 * deltas[1]! + 0.0625 * deltas[2]!,
      deltas[1]! + 0.25 * deltas[2]!,
      deltas[2]!,
    ]);
  });

  it('knows an episode that was cut from one that ended', () => {
    const options = { gamma: 0.9, lam: 1 };
    const step = { rewards: [0], values: [1] };
    close(gae({ ...step, bootstrapValue: 0 }, options).advantages, [-1]);
    close(gae({ ...step, bootstrapValue: 2 }, options).advantages, [0.8]);
  });

  it('equals its definition Σ (γλ)ˡ δₜ₊ₗ', () => {
    const number = fc.double({ min: -3, max: 3, noNaN: true });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const steps = fc.array(fc.tuple(number, number), { maxLength: 8 });
    fc.assert(
      fc.property(steps, number, share, share, (rows, bootstrapValue, gamma, lam) => {
        const rewards = rows.map(([reward]) => reward);
        const values = rows.map(([, value]) => value);
        const after = [...values.slice(1), bootstrapValue];
        const deltas = rewards.map((reward, t) => reward + gamma * after[t]! - values[t]!);
        const expected = deltas.map((_, t) =>
          deltas.slice(t).reduce((sum, delta, l) => sum + (gamma * lam) ** l * delta, 0),
        );
        close(gae({ rewards, values, bootstrapValue }, { gamma, lam }).advantages, expected);
      }),
    );
  });

  it('refuses a critic that skipped a step', () => {
    expect(() => gae({ rewards: [0, 1], values: [0], bootstrapValue: 0 }, { gamma: 1, lam: 1 })).toThrow(
      /one value for each reward, got 1 values and 2 rewards/,
    );
  });
});

describe('GAE over tokens', () => {
  const three = { rewards: [0, 0, 1], values: [0.5, 0.6, 0.7] };

  it('never sees what is padded or said by the environment (H2)', () => {
    const options = { gamma: 1, lam: 0.95 };
    const steps = { ...three, bootstrapValue: 0 };
    close(tokenGAE(steps, Uint8Array.of(1, 1, 1), options).advantages, [0.46575, 0.385, 0.3]);
    const padded = { rewards: [0, 9, 0, 1, 9, 9], values: [0.5, 9, 0.6, 0.7, 9, 9], bootstrapValue: 0 };
    close(
      tokenGAE(padded, Uint8Array.of(1, 0, 1, 1, 0, 0), options).advantages,
      [0.46575, 0, 0.385, 0.3, 0, 0],
    );
  });

  it('expects more after an episode that was cut (H3)', () => {
    const steps = { ...three, bootstrapValue: 0.8 };
    close(tokenGAE(steps, Uint8Array.of(1, 1, 1), { gamma: 1, lam: 0.95 }).advantages, [1.18775, 1.145, 1.1]);
  });

  it('steps over what the environment said', () => {
    const options = { gamma: 0.9, lam: 0.8 };
    const { advantages, returns } = tokenGAE(
      {
        rewards: [NaN, 0.5, NaN, NaN, 1],
        values: [NaN, 0.2, Infinity, NaN, 0.4],
        bootstrapValue: 0.3,
      },
      Uint8Array.from([0, 1, 0, 0, 1]),
      options,
    );
    const steps = gae({ rewards: [0.5, 1], values: [0.2, 0.4], bootstrapValue: 0.3 }, options);
    close(advantages, [0, steps.advantages[0]!, 0, 0, steps.advantages[1]!]);
    close(returns, [0, steps.returns[0]!, 0, 0, steps.returns[1]!]);
  });

  it('has nothing to say about an empty reply (D7)', () => {
    const { advantages } = tokenGAE(
      { rewards: [1, 1], values: [0, 0], bootstrapValue: 0 },
      new Uint8Array(2),
      { gamma: 1, lam: 1 },
    );
    expect(advantages).toEqual(new Float32Array(2));
  });
});
