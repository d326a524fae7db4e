import { percent, tableToText } from '../display/index.js';
import type { Profile } from '../envs/diagram/tasks/index.js';
import { mostShare, type AttackSummary, type RewardAudit } from '../rewards/index.js';

/** The audit of the reward on tasks of one profile. */
export interface ProfileAudit extends RewardAudit {
  readonly profile: Profile;
  readonly tasks: number;
  readonly seed: number;
  /** Median over right answers. */
  readonly microsecondsPerScore: number;
}

/** The audit as tables for a terminal. */
export function auditText(audit: ProfileAudit): string {
  return [
    attackTable(audit),
    agreementTable(audit),
    `A score takes ${Math.round(audit.microsecondsPerScore)} µs (median).`,
  ].join('\n\n');
}

/** What follows from the objections to the gated reward. */
export function verdictText(objections: readonly string[]): string {
  return objections.length === 0
    ? 'No attack pays: the gated reward may be trained on.'
    : [
        'The gated reward should not be trained on:',
        ...objections.map((reason) => `- ${reason}`),
        'With fewer than some 50 tasks a mean may be too high by chance.',
      ].join('\n');
}

function attackTable({ profile, tasks, seed, reference, attacks }: ProfileAudit): string {
  const right = Object.entries(reference).map(([preset, reward]) => `${preset} ${reward.toFixed(3)}`);
  return tableToText({
    caption:
      `Attacks on ${tasks} ${profile} tasks, seed ${seed}. Right answers earn ${right.join(', ')}.\n` +
      'R: what the gated reward pays for those that are wrong. Under each reward: the share of what it pays for right answers.',
    columns: [
      { header: 'attack' },
      { header: 'tasks', align: 'right' },
      { header: 'wrong', align: 'right' },
      { header: 'success', align: 'right' },
      { header: 'mean R', align: 'right' },
      { header: 'max R', align: 'right' },
      { header: 'gated', align: 'right' },
      { header: 'no-layout', align: 'right' },
      { header: 'no-gate', align: 'right' },
      { header: 'naive', align: 'right' },
      { header: 'verdict' },
    ],
    rows: attacks.map((attack) => {
      const { gated, 'no-layout': noLayout, 'no-gate': noGate, naive } = attack.earnings;
      return [
        attack.name,
        String(attack.tasks),
        String(attack.wrong),
        percent(attack.successRate, 0),
        gated.mean.toFixed(3),
        gated.max.toFixed(3),
        ...[gated, noLayout, noGate, naive].map(({ share }) => percent(share, 0)),
        verdictOn(attack),
      ];
    }),
  });
}

function verdictOn({ kind, falseSuccesses, earnings: { gated } }: AttackSummary): string {
  if (falseSuccesses > 0) return `${falseSuccesses} false successes`;
  if (gated.share > mostShare[kind]) return 'pays';
  return kind === 'near-miss' ? 'near miss' : 'does not pay';
}

function agreementTable({ agreement }: ProfileAudit): string {
  return tableToText({
    caption: 'Right answers, changed: where the reward and the second verifier see a success.',
    columns: [
      { header: 'change' },
      { header: 'drawings', align: 'right' },
      { header: 'reward', align: 'right' },
      { header: 'verifier', align: 'right' },
      { header: 'false positives', align: 'right' },
      { header: 'false negatives', align: 'right' },
    ],
    rows: agreement.map((row) => [
      row.name,
      ...[row.drawings, row.successes, row.verified, row.falsePositives, row.falseNegatives].map(String),
    ]),
  });
}
