/** The committed labels for judges: right drawings, and the same with one known fault. Synthetic through and through; nobody rated them. */
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { diagramEnvironment } from 'posttrain/envs/diagram/environment';
import { generateTask } from 'posttrain/envs/diagram/tasks/index';
import type { Canvas } from 'posttrain/envs/diagram/types';
import type { JudgeLabel } from 'posttrain/eval/judge-agreement';
import { faults, variations, type Perturbation } from 'posttrain/rewards/perturbations';
import { scoreDiagram } from 'posttrain/rewards/score';
import { drawActions } from 'posttrain/teachers/edits';
import { answered } from './cases.js';

/** Not the seed of any data set. */
const SEED = 41_907;
const TASKS = 20;

/** Changes that leave a right drawing right. */
const harmless: Readonly<Record<string, Perturbation>> = {
  'the right answer': (canvas) => [canvas],
  'other ids': variations['other ids']!,
  'arrows in another order': variations['arrows in another order']!,
};

/** Two acceptable and two faulty drawings of each task; kinds of change take turns. */
export function makeJudgeLabels(): JudgeLabel[] {
  return Array.from({ length: TASKS }, (_, index) => {
    const { task, canvas } = answered(
      generateTask({ seed: SEED, split: 'id', index, profile: 'curriculum' }),
    );
    const prompt = diagramEnvironment({ scorer: scoreDiagram }).start(task).initialObservation();
    const changed = (kinds: typeof harmless, acceptable: boolean): JudgeLabel[] =>
      Object.entries(kinds)
        .flatMap(([change, perturb]) => {
          const ways: readonly Canvas[] = perturb(canvas, task);
          return ways.length === 0 ? [] : [{ change, canvas: ways[index % ways.length]! }];
        })
        .filter((_, kind, all) => (kind - 2 * index + 2 * TASKS * all.length) % all.length < 2)
        .map(({ change, canvas }) => ({
          id: `${task.id} ${change}`,
          prompt,
          completion: serializeActions(drawActions(canvas)),
          acceptable,
          change,
        }));
    return [...changed(harmless, true), ...changed(faults, false)];
  }).flat();
}

export function judgeLabelLines(): string {
  return makeJudgeLabels()
    .map((label) => `${JSON.stringify(label)}\n`)
    .join('');
}
