/** Fresh tasks with a right answer each, and the judgement of any other answer. */
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { generateTask } from 'posttrain/envs/diagram/tasks/index';
import type { Profile, Split } from 'posttrain/envs/diagram/tasks/index';
import type { Canvas, DiagramTask, Score } from 'posttrain/envs/diagram/types';
import { scoreDiagram } from 'posttrain/rewards/score';
import { play, type AnsweredTask } from 'posttrain/rewards/trials';
import { verifyDiagram } from 'posttrain/rewards/verifier';
import type { Verdict } from 'posttrain/rewards/verifier';
import { scriptedActions } from 'posttrain/teachers/scripted';

export interface Case extends AnsweredTask {
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
  return { task, answer, canvas: play(task, serializeActions(answer)).canvas };
}

export function judged(task: DiagramTask, reply: string): { score: Score; verdict: Verdict } {
  const { canvas, log } = play(task, reply);
  return { score: scoreDiagram(task, canvas, log), verdict: verifyDiagram(task, canvas, log) };
}
