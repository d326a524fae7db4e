import { pairedBootstrap, type Comparison, type SplitEvaluation } from '../../eval/index.js';
import type { Drawing } from './events.js';

/** The policies a run compares. */
export const checkpointNames = ['base', 'sft', 'grpo'] as const;
export type CheckpointName = (typeof checkpointNames)[number];

export const checkpointTitles: Readonly<Record<CheckpointName, string>> = {
  base: 'base',
  sft: 'SFT',
  grpo: 'GRPO',
};

/** Evaluation tasks are the same for every run, so that runs with different seeds can be compared. */
export const EVALUATION_TASK_SEED = 0;

/** `sampled`: temperature 1, as in training; `greedy`: the most probable token always. */
export type Mode = 'sampled' | 'greedy';

/** One policy on one split; of single tasks only the two numbers that comparisons need. */
export interface SplitResult extends Omit<SplitEvaluation, 'perTask'> {
  readonly mode: Mode;
  readonly perTask: readonly { readonly taskId: string; readonly success: number; readonly reward: number }[];
}

/** One policy, measured. */
export interface PolicyEvaluation {
  readonly results: readonly SplitResult[];
  /** What it drew for the requests of the report, greedily. */
  readonly drawings: readonly Drawing[];
}

/** `evaluation.json` */
export type RunEvaluation = Readonly<Partial<Record<CheckpointName, PolicyEvaluation>>>;

/** The result that stands for a policy: unseen requests of the kind it was trained on, sampled. */
export function headline(policy: PolicyEvaluation | undefined): SplitResult | undefined {
  return policy?.results.find(({ split, mode }) => split === 'id' && mode === 'sampled');
}

export interface Gain {
  readonly from: CheckpointName;
  readonly success: Comparison;
  readonly reward: Comparison;
}

/** GRPO against where it started, task by task on the headline split; `undefined` when either was not measured. */
export function gainOf(evaluation: RunEvaluation): Gain | undefined {
  const from = evaluation.sft === undefined ? 'base' : 'sft';
  const before = headline(evaluation[from]);
  const after = headline(evaluation.grpo);
  if (before === undefined || after === undefined) return undefined;
  const compare = (key: 'success' | 'reward'): Comparison =>
    pairedBootstrap(
      before.perTask.map((task) => task[key]),
      after.perTask.map((task) => task[key]),
    );
  return { from, success: compare('success'), reward: compare('reward') };
}
