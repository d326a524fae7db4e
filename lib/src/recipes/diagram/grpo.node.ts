import { createEngine } from '../../engine/create.node.js';
import { diagramEnvironment, type DiagramTask } from '../../envs/diagram/index.js';
import { saveModel } from '../../model/checkpoint.node.js';
import { disposeModel } from '../../model/index.js';
import { rewardPresets } from '../../rewards/index.js';
import { grpo, type GRPOState, type GRPOStep } from '../../trainers/index.js';
import { trainingTasks } from './collect.node.js';
import { truncateCompletions, writeCompletions } from './completions-log.node.js';
import { loadPolicy } from './policy.node.js';
import { drawingOf, type StageContext } from './stage.node.js';
import { dropTrainerState, train } from './training.node.js';

/** `grpo` joins the replies of an episode with it. */
const BETWEEN_REPLIES = '\n\n';

/** The policy practises: it is rewarded for what it draws. Leaves the checkpoint `grpo/`. */
export async function grpoStage(context: StageContext): Promise<void> {
  const { folder, config, base, workers, signal, emit } = context;
  const { recipe, seed } = config;
  const { model, tokenizer } = await loadPolicy(recipe.grpoFrom === 'base' ? base : folder.checkpoint('sft'));
  const engine = createEngine(model, { workers });
  // taken before a saved state is loaded: the policy at the start of the stage, also in a resumed run
  const reference = (recipe.grpo.beta ?? 0) > 0 ? await engine.reference() : undefined;
  const tasks = practiceTasks(config);
  const taskOf = new Map(tasks.map((task) => [task.id, task]));
  try {
    await train<GRPOState, GRPOStep>(context, {
      stage: 'grpo',
      engine,
      start: (state) =>
        grpo({
          engine,
          tokenizer,
          env: diagramEnvironment({ scorer: rewardPresets[recipe.reward] }),
          tasks,
          config: { ...recipe.grpo, seed },
          signal,
          ...(reference && { reference }),
          ...(state && { state }),
        }),
      rewind: (step) => truncateCompletions(folder.completions, step),
      onStep: (step) => {
        if (step.step % recipe.checkpointEvery === 0) writeCompletions(folder.completions, step);
        const shown = step.completions[0];
        const task = shown && taskOf.get(shown.taskId);
        emit({
          kind: 'step',
          stage: 'grpo',
          step: step.step,
          totalSteps: step.totalSteps,
          metrics: step.metrics,
          ...(task && { drawing: drawingOf(task, shown.completion.split(BETWEEN_REPLIES)) }),
        });
      },
    });
    if (signal.aborted) return;
    await saveModel(folder.checkpoint('grpo'), model, tokenizer);
    dropTrainerState(context, 'grpo');
  } finally {
    reference?.dispose();
    engine.dispose();
    disposeModel(model);
  }
}

/** Training tasks the teacher has not answered, one for every prompt of the run. */
function practiceTasks({ recipe, seed }: StageContext['config']): DiagramTask[] {
  const { maxSteps = 0, promptsPerStep = 0 } = recipe.grpo;
  const first = recipe.teacher.tasks;
  return trainingTasks(seed, first, maxSteps * promptsPerStep, recipe.profile);
}
