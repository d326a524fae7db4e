/** Single trials of the reward: one reply or one canvas, judged by the reward and by the second verifier. */
import { applyActions, emptyCanvas, emptyLog, recordParseError } from '../envs/diagram/canvas.js';
import { serializeActions } from '../envs/diagram/codec.js';
import { parseActions } from '../envs/diagram/parse.js';
import type { Action, ActionLog, Canvas, DiagramTask } from '../envs/diagram/types.js';
import { drawAttacks, formatAttacks, nearMisses, type Attack } from './attacks.js';
import { editAttacks } from './edit-attacks.js';
import { faults, variations } from './perturbations.js';
import type { RewardPreset } from './presets.js';
import { rewardPresets, scoreDiagram } from './score.js';
import { verifyDiagram } from './verifier.js';

/** A task, and the actions of a right answer in one reply. */
export interface AnsweredTask {
  readonly task: DiagramTask;
  readonly answer: readonly Action[];
}

export type Rewards = Readonly<Record<RewardPreset, number>>;

/** What both judges say. */
export interface Judgement {
  /** What was tried: an attack or a perturbation. */
  readonly name: string;
  /** The reward's success, the same for every preset. */
  readonly success: boolean;
  /** The verifier's. */
  readonly verified: boolean;
}

/** `format`: no JSON object. `draw` and `edit`: cheats on an empty and on a given canvas. `near-miss`: one small fault. */
export type AttackKind = 'format' | 'draw' | 'edit' | 'near-miss';

export interface AttackTrial extends Judgement {
  readonly kind: AttackKind;
  readonly rewards: Rewards;
  /** What the right answer to the same task earns. */
  readonly reference: Rewards;
}

/** The canvas and the log that a single reply leaves. */
export function play(task: DiagramTask, reply: string): { canvas: Canvas; log: ActionLog } {
  const start = task.initial ?? emptyCanvas(task.rules);
  const parsed = parseActions(reply);
  if (!parsed.ok) return { canvas: start, log: recordParseError(emptyLog, parsed.problem) };
  return applyActions(start, parsed.actions);
}

/** Every attack that suits the task. */
export function attackTrials({ task, answer }: AnsweredTask): AttackTrial[] {
  const reference = judgeReply(task, serializeActions(answer)).rewards;
  return attacksOn(task).flatMap(([kind, attacks]) =>
    Object.entries(attacks).map(([name, attack]) => ({
      name,
      kind,
      reference,
      ...judgeReply(task, attack(task, answer)),
    })),
  );
}

/** The right answer as it is, and with every fault and variation. */
export function perturbationTrials({ task, answer }: AnsweredTask): Judgement[] {
  const { canvas, log } = play(task, serializeActions(answer));
  const judge = (name: string, perturbed: Canvas): Judgement => ({
    name,
    success: scoreDiagram(task, perturbed, log).success,
    verified: verifyDiagram(task, perturbed, log).success,
  });
  return [
    judge('the right answer', canvas),
    ...Object.entries({ ...faults, ...variations }).flatMap(([name, perturb]) =>
      perturb(canvas, task).map((perturbed) => judge(name, perturbed)),
    ),
  ];
}

function attacksOn({
  initial,
}: DiagramTask): [kind: AttackKind, attacks: Readonly<Record<string, Attack>>][] {
  if (initial !== undefined) {
    return [
      ['format', formatAttacks],
      ['edit', editAttacks],
    ];
  }
  return [
    ['format', formatAttacks],
    ['draw', drawAttacks],
    ['near-miss', nearMisses],
  ];
}

function judgeReply(task: DiagramTask, reply: string): Omit<AttackTrial, 'name' | 'kind' | 'reference'> {
  const { canvas, log } = play(task, reply);
  const score = (preset: RewardPreset): number => rewardPresets[preset](task, canvas, log).reward;
  const { reward, success } = scoreDiagram(task, canvas, log);
  return {
    success,
    verified: verifyDiagram(task, canvas, log).success,
    rewards: {
      gated: reward,
      'no-layout': score('no-layout'),
      'no-gate': score('no-gate'),
      naive: score('naive'),
    },
  };
}
