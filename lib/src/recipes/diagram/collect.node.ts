import { diagramEnvironment, type DiagramTask } from '../../envs/diagram/index.js';
import { generateTask } from '../../envs/diagram/tasks/index.js';
import { scoreDiagram } from '../../rewards/index.js';
import { scriptedTeacher } from '../../teachers/index.js';
import { collectToFile } from '../../teachers/collect.node.js';
import type { DiagramRecipe } from './recipe.js';
import type { StageContext } from './stage.node.js';

/** Progress is told once every so many answers. */
const REPORT_EVERY = 50;

/** The teacher draws training tasks; what succeeds is kept for SFT. Goes on where an earlier call stopped. */
export async function collectStage({ folder, config, signal, emit }: StageContext): Promise<void> {
  const { teacher, profile } = config.recipe;
  const { numLayouts, mediocreShare } = teacher;
  const tasks = trainingTasks(config.seed, 0, teacher.tasks, profile);
  const env = diagramEnvironment({ scorer: scoreDiagram });
  await collectToFile<DiagramTask>(folder.trajectories, {
    env,
    teachers: [
      {
        teacher: scriptedTeacher({ numLayouts, seed: config.seed }),
        share: 1 - mediocreShare,
        keep: 'success',
      },
      {
        teacher: scriptedTeacher({ quality: 'mediocre', numLayouts, seed: config.seed }),
        share: mediocreShare,
        keep: 'all',
      },
    ],
    tasks,
    numGenerations: teacher.numGenerations,
    seed: config.seed,
    signal,
    onProgress: ({ finished, total, kept }) => {
      if (finished % REPORT_EVERY !== 0 && finished !== total) return;
      emit({
        kind: 'step',
        stage: 'teacher',
        step: finished,
        totalSteps: total,
        metrics: { kept: kept / finished },
      });
    },
  });
}

/** Tasks `first` to `first + count − 1` of the endless list of training tasks. */
export function trainingTasks(
  seed: number,
  first: number,
  count: number,
  profile: DiagramRecipe['profile'],
): DiagramTask[] {
  return Array.from({ length: count }, (_, i) =>
    generateTask({ seed, split: 'train', index: first + i, profile }),
  );
}
