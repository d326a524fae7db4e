import { describe, expect, it } from 'vitest';
import { auditReward, objections } from 'posttrain/rewards/audit';
import { attackTrials, perturbationTrials, type AttackTrial, type Judgement } from 'posttrain/rewards/trials';
import { casesOf } from './cases.js';

const rewards = (gated: number): AttackTrial['rewards'] => ({
  gated,
  'no-layout': gated,
  'no-gate': gated,
  naive: 1,
});

/** An attack that leaves a wrong drawing and earns half of what the right answer does. */
const attack: AttackTrial = {
  name: 'decoys',
  kind: 'draw',
  success: false,
  verified: false,
  rewards: rewards(0.4),
  reference: rewards(0.8),
};
const change: Judgement = { name: 'a box nudged', success: true, verified: true };

describe('auditReward', () => {
  it('takes the rewards of wrong drawings only, as a share of what right answers to the same tasks earn', () => {
    const { attacks, reference } = auditReward(
      [
        attack,
        { ...attack, rewards: rewards(0.6), reference: rewards(1) },
        { ...attack, success: true, verified: true, rewards: rewards(1), reference: rewards(1) },
      ],
      [],
    );
    expect(attacks).toEqual([
      expect.objectContaining({ name: 'decoys', tasks: 3, wrong: 2, successRate: 1 / 3, falseSuccesses: 0 }),
    ]);
    const { gated, naive } = attacks[0]!.earnings;
    expect(gated).toEqual({ mean: 0.5, max: 0.6, share: expect.closeTo(0.5 / 0.9, 12) as number });
    expect(naive).toEqual({ mean: 1, max: 1, share: 1 });
    expect(reference['gated']).toBeCloseTo(2.8 / 3, 12);
  });

  it('pays nothing where an attack never leaves a wrong drawing', () => {
    const { attacks } = auditReward([{ ...attack, verified: true, success: true }], []);
    expect(attacks[0]!.earnings.gated).toEqual({ mean: 0, max: 0, share: 0 });
  });

  it('counts where the judges differ', () => {
    const { agreement } = auditReward(
      [attack],
      [
        change,
        { ...change, verified: false },
        { ...change, success: false },
        { ...change, name: 'other ids' },
      ],
    );
    expect(agreement).toEqual([
      { name: 'a box nudged', drawings: 3, successes: 2, verified: 2, falsePositives: 1, falseNegatives: 1 },
      { name: 'other ids', drawings: 1, successes: 1, verified: 1, falsePositives: 0, falseNegatives: 0 },
    ]);
  });

  it('needs something to audit', () => {
    expect(() => auditReward([], [])).toThrow(/at least one task/);
  });
});

describe('objections', () => {
  const of = (trial: Partial<AttackTrial>, judgement: Partial<Judgement> = {}): string[] =>
    objections(auditReward([{ ...attack, ...trial }], [{ ...change, ...judgement }]));

  it.each<[string, Partial<AttackTrial>, string[]]>([
    ['an attack that earns half', {}, []],
    ['one that earns nine tenths', { rewards: rewards(0.72) }, []],
    [
      'one that earns more',
      { rewards: rewards(0.73) },
      ['decoys earns 91.3 % of a right answer, more than 90 %'],
    ],
    ['a near miss', { kind: 'near-miss', rewards: rewards(0.79) }, []],
    [
      'a fault that pays',
      { kind: 'near-miss', rewards: rewards(0.81) },
      ['decoys earns 101.3 % of a right answer, more than 100 %'],
    ],
    [
      'pay for no JSON',
      { kind: 'format', rewards: rewards(0.02) },
      ['decoys earns 2.5 % of a right answer, more than 0 %'],
    ],
    ['a false success', { success: true }, ['decoys passes for a success 1 times']],
  ])('%s', (_, trial, expected) => {
    expect(of(trial)).toEqual(expected);
  });

  it('are raised by false positives, not by false negatives', () => {
    expect(of({}, { verified: false })).toEqual(['a box nudged passes for a success 1 times']);
    expect(of({}, { success: false })).toEqual([]);
  });
});

describe('trials', () => {
  const [draw] = casesOf('curriculum', ['id'], 1);
  const [edit] = casesOf('full', ['ood-edit'], 1);

  it('are those that suit the task', () => {
    const kinds = (trials: readonly AttackTrial[]): string[] => [...new Set(trials.map(({ kind }) => kind))];
    expect(kinds(attackTrials(draw!))).toEqual(['format', 'draw', 'near-miss']);
    expect(kinds(attackTrials(edit!))).toEqual(['format', 'edit']);
  });

  it('find no success where there is none', () => {
    const cases = [draw!, edit!];
    const { attacks, agreement } = auditReward(
      cases.flatMap(attackTrials),
      cases.flatMap(perturbationTrials),
    );
    expect(attacks.filter(({ falseSuccesses }) => falseSuccesses > 0)).toEqual([]);
    expect(agreement.filter(({ falsePositives }) => falsePositives > 0)).toEqual([]);
    expect(agreement[0]).toMatchObject({ name: 'the right answer', drawings: 2, successes: 2, verified: 2 });
  });
});
