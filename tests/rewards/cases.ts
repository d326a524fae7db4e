/** Fresh tasks with a right answer each, and the judgement of any other answer. */
import { applyActions, emptyCanvas, emptyLog, recordParseError } from 'posttrain/envs/diagram/canvas';
import { parseActions } from 'posttrain/envs/diagram/parse';
import { generateTask } from 'posttrain/envs/diagram/tasks/index';
import type { Profile, Split } from 'posttrain/envs/diagram/tasks/index';
import type { Action, ActionLog, Canvas, DiagramTask, Score } from 'posttrain/envs/diagram/types';
import { scoreDiagram } from 'posttrain/rewards/score';
import { verifyDiagram } from 'posttrain/rewards/verifier';
import type { Verdict } from 'posttrain/rewards/verifier';
import { scriptedActions } from 'posttrain/teachers/scripted';

export interface Case {
  readonly task: DiagramTask;
  readonly answer: readonly Action[];
  readonly canvas: Canvas;
}

/** Not the seed of any data set. */
const seed = 90_210;

/** The first `count` tasks of each split, answered by the scripted teacher in one reply; build-up takes several and is left out. */
export function casesOf(profile: Profile, splits: readonly Split[], count: number): Case[] {
  return splits.flatMap((split) =>
    Array.from({ length: count }, (_, index) => generateTask({ seed, split, index, profile }))
      .filter(({ kind }) => kind !== 'build-up')
      .map(answered),
  );
}

export function answered(task: DiagramTask): Case {
  const answer = scriptedActions({ ...task, kind: task.initial ? task.kind : 'draw' }, [], 0);
  return { task, answer, canvas: applyActions(startOf(task), answer).canvas };
}

const startOf = (task: DiagramTask): Canvas => task.initial ?? emptyCanvas(task.rules);

/** What a reply leaves behind. */
export function played(task: DiagramTask, reply: string): { canvas: Canvas; log: ActionLog } {
  const parsed = parseActions(reply);
  if (!parsed.ok) return { canvas: startOf(task), log: recordParseError(emptyLog, parsed.problem) };
  return applyActions(startOf(task), parsed.actions);
}

export function judged(task: DiagramTask, reply: string): { score: Score; verdict: Verdict } {
  const { canvas, log } = played(task, reply);
  return { score: scoreDiagram(task, canvas, log), verdict: verifyDiagram(task, canvas, log) };
}
