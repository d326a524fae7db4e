/** What many trials say about the reward: may it be trained on? */
import { formulas, type RewardPreset } from './presets.js';
import type { AttackKind, AttackTrial, Judgement, Rewards } from './trials.js';

const presets = Object.keys(formulas) as RewardPreset[];

/** What an attack earns with one preset, over the tasks on which it left a wrong drawing; zeros when there were none. */
export interface Earnings {
  readonly mean: number;
  readonly max: number;
  /** `mean` as a share of what right answers to the same tasks earn. */
  readonly share: number;
}

export interface AttackSummary {
  readonly name: string;
  readonly kind: AttackKind;
  readonly tasks: number;
  /**
   * Tasks on which it left a wrong drawing, by the verifier. Only these tell what cheating pays: to draw a chain whatever
   * is asked is no cheat where a chain was asked for.
   */
  readonly wrong: number;
  /** Share of all tasks on which the reward speaks of success. */
  readonly successRate: number;
  /** Tasks on which the reward speaks of success and the verifier does not. */
  readonly falseSuccesses: number;
  readonly earnings: Readonly<Record<RewardPreset, Earnings>>;
}

/** How often reward and verifier see the same in one kind of drawing. */
export interface Agreement {
  readonly name: string;
  readonly drawings: number;
  /** Successes for the reward, and for the verifier. */
  readonly successes: number;
  readonly verified: number;
  /** Successes for the reward alone. */
  readonly falsePositives: number;
  /** Successes for the verifier alone. */
  readonly falseNegatives: number;
}

export interface RewardAudit {
  /** What right answers earn on average. */
  readonly reference: Rewards;
  readonly attacks: readonly AttackSummary[];
  readonly agreement: readonly Agreement[];
}

/** The most of a right answer's reward that an attack of each kind may earn on average. */
export const mostShare: Readonly<Record<AttackKind, number>> = {
  format: 0,
  draw: 0.9,
  edit: 0.9,
  'near-miss': 1,
};

/**
 * Sums up trials, by attack and by perturbation, in the order of first appearance.
 *
 * @throws RangeError when there are no attack trials.
 */
export function auditReward(
  attacks: readonly AttackTrial[],
  perturbations: readonly Judgement[],
): RewardAudit {
  if (attacks.length === 0) throw new RangeError('auditReward needs at least one task to attack');
  return {
    reference: byPreset((preset) => mean(attacks.map(({ reference }) => reference[preset]))),
    attacks: groupByName(attacks).map(attackSummary),
    agreement: groupByName(perturbations).map(agreementOf),
  };
}

/** Why the gated reward should not be trained on, one sentence each; none when it may be. */
export function objections({ attacks, agreement }: RewardAudit): string[] {
  return [
    ...attacks.flatMap(({ name, kind, falseSuccesses, earnings: { gated } }) => [
      ...(gated.share > mostShare[kind]
        ? [
            `${name} earns ${(100 * gated.share).toFixed(1)} % of a right answer, more than ${100 * mostShare[kind]} %`,
          ]
        : []),
      ...(falseSuccesses > 0 ? [`${name} passes for a success ${falseSuccesses} times`] : []),
    ]),
    ...agreement.flatMap(({ name, falsePositives }) =>
      falsePositives > 0 ? [`${name} passes for a success ${falsePositives} times`] : [],
    ),
  ];
}

function attackSummary(trials: readonly AttackTrial[]): AttackSummary {
  const { name, kind } = trials[0]!;
  const wrong = trials.filter(({ verified }) => !verified);
  return {
    name,
    kind,
    tasks: trials.length,
    wrong: wrong.length,
    successRate: mean(trials.map(({ success }) => Number(success))),
    falseSuccesses: wrong.filter(({ success }) => success).length,
    earnings: byPreset((preset) => {
      if (wrong.length === 0) return { mean: 0, max: 0, share: 0 };
      const earned = wrong.map(({ rewards }) => rewards[preset]);
      return {
        mean: mean(earned),
        max: Math.max(...earned),
        share: mean(earned) / mean(wrong.map(({ reference }) => reference[preset])),
      };
    }),
  };
}

function agreementOf(judgements: readonly Judgement[]): Agreement {
  const count = (holds: (judgement: Judgement) => boolean): number => judgements.filter(holds).length;
  return {
    name: judgements[0]!.name,
    drawings: judgements.length,
    successes: count(({ success }) => success),
    verified: count(({ verified }) => verified),
    falsePositives: count(({ success, verified }) => success && !verified),
    falseNegatives: count(({ success, verified }) => !success && verified),
  };
}

function groupByName<T extends Judgement>(items: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.name);
    if (group) group.push(item);
    else groups.set(item.name, [item]);
  }
  return [...groups.values()];
}

function byPreset<T>(value: (preset: RewardPreset) => T): Record<RewardPreset, T> {
  return Object.fromEntries(presets.map((preset) => [preset, value(preset)])) as Record<RewardPreset, T>;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
