import { describe, expect, it } from 'vitest';
import { type ProcessEpisode, rlvpAdvantages, type RLVPChannels } from 'posttrain/losses/rlvp';
import { tokenWeights } from 'posttrain/losses/token-weights';

const clean = { tokens: 10, violations: 0, discharges: 0 };
const violating = { tokens: 10, violations: 1, discharges: 0 };
const options = (channels: RLVPChannels) => ({ lambda: 0.3, processCredit: 0.5, channels });

/** What each token of each turn weighs in the loss, `[episodes][turns]`. */
function coefficients(group: readonly ProcessEpisode[], channels: RLVPChannels): number[][] {
  const masks = group.map(({ turns }) =>
    new Uint8Array(turns.reduce((total, { tokens }) => total + tokens, 0)).fill(1),
  );
  const share = tokenWeights(masks, 'dapo', 0)[0]![0]!;
  return rlvpAdvantages([group], options(channels))[0]!.map((turns) => turns.map((a) => a * share));
}

const closeTo = (expected: readonly number[]) => expected.map((value) => expect.closeTo(value, 6));

describe('RLVP', () => {
  const group: ProcessEpisode[] = [
    { outcome: 1, turns: [clean, violating] },
    { outcome: 0, turns: [clean, clean] },
  ];

  it('divides each channel by its own tokens (E9)', () => {
    expect(coefficients(group, 'token')).toEqual([
      closeTo([0.5 / 40, 0.5 / 40 - 0.3 / 10]),
      closeTo([-0.5 / 40, -0.5 / 40]),
    ]);
  });

  it('still penalises when all succeed (E9)', () => {
    const allPass = group.map((episode) => ({ ...episode, outcome: 1 }));
    expect(coefficients(allPass, 'token')).toEqual([closeTo([0, -0.03]), closeTo([0, 0])]);
  });

  it('folds penalties into the outcome too in the hybrid (E9)', () => {
    expect(coefficients(group, 'hybrid')).toEqual([
      closeTo([0.35 / 40, 0.35 / 40 - 0.3 / 10]),
      closeTo([-0.35 / 40, -0.35 / 40]),
    ]);
  });

  it('keeps a scripted demonstration out of the comparison (E9)', () => {
    const demonstration = { outcome: null, turns: [{ ...clean, discharges: 1 }] };
    const [first, second, scripted] = rlvpAdvantages(
      [[{ outcome: 1, turns: [clean] }, { outcome: 0, turns: [clean] }, demonstration]],
      options('hybrid'),
    )[0]!;
    expect([first, second]).toEqual([[0.5], [-0.5]]);
    // 30 tokens act, 10 of them have a process advantage of .5.
    expect(scripted).toEqual([0.5 * 3]);
  });

  it('uses one channel alone on request', () => {
    const advantages = (channels: RLVPChannels) => rlvpAdvantages([group], options(channels))[0]!;
    expect(advantages('outcome')).toEqual([
      [0.5, 0.5],
      [-0.5, -0.5],
    ]);
    expect(advantages('scalar')).toEqual([closeTo([0.35, 0.35]), closeTo([-0.35, -0.35])]);
  });

  it('folds at most two violations and two discharges', () => {
    const turns = [{ tokens: 10, violations: 5, discharges: 3 }];
    const [busy] = rlvpAdvantages(
      [
        [
          { outcome: 1, turns },
          { outcome: 1, turns: [clean] },
        ],
      ],
      options('scalar'),
    )[0]!;
    expect(busy![0]).toBeCloseTo((-0.6 + 1) / 2, 6);
  });

  it('pays nothing for doing nothing (E8)', () => {
    const idle = { outcome: 0, turns: [clean] };
    expect(rlvpAdvantages([[idle, idle]], options('hybrid'))).toEqual([[[0], [0]]]);
    expect(rlvpAdvantages([[{ outcome: 0, turns: [] }]], options('hybrid'))).toEqual([[[]]]);
  });
});
