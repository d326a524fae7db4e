import { sftRows, turnExamples } from '../../datasets/index.js';
import { createEngine } from '../../engine/create.node.js';
import type { Engine } from '../../engine/index.js';
import { diagramEnvironment } from '../../envs/diagram/index.js';
import { saveModel } from '../../model/checkpoint.node.js';
import { disposeModel } from '../../model/index.js';
import { scoreDiagram } from '../../rewards/index.js';
import { rollout } from '../../rollout/index.js';
import type { Tokenizer } from '../../text/index.js';
import { readTrajectories } from '../../teachers/collect.node.js';
import { sft, type SFTState, type SFTStep } from '../../trainers/index.js';
import { trainingTasks } from './collect.node.js';
import type { Drawing } from './events.js';
import { loadPolicy } from './policy.node.js';
import type { RunConfig } from './run-folder.node.js';
import { drawingOf, type StageContext } from './stage.node.js';
import { dropTrainerState, train } from './training.node.js';

/** The base model learns to answer as the teacher did. Leaves the checkpoint `sft/`. */
export async function sftStage(context: StageContext): Promise<void> {
  const { folder, config, base, workers, signal, emit } = context;
  const { model, tokenizer } = await loadPolicy(base);
  const engine = createEngine(model, { workers });
  try {
    const examples = readTrajectories(folder.trajectories)
      .filter((record) => record.rejection === null)
      .flatMap(turnExamples);
    const rows = sftRows({ type: 'prompt-completion', examples }, tokenizer);
    await train<SFTState, SFTStep>(context, {
      stage: 'sft',
      engine,
      start: (state) =>
        sft({
          engine,
          rows,
          config: { ...config.recipe.sft, seed: config.seed },
          signal,
          ...(state && { state }),
        }),
      onStep: async ({ step, totalSteps, metrics }) => {
        const drawing =
          step % config.recipe.drawEvery === 0 ? await tryOnce(engine, tokenizer, config, step) : undefined;
        emit({ kind: 'step', stage: 'sft', step, totalSteps, metrics, ...(drawing && { drawing }) });
      },
    });
    if (signal.aborted) return;
    await saveModel(folder.checkpoint('sft'), model, tokenizer);
    dropTrainerState(context, 'sft');
  } finally {
    engine.dispose();
    disposeModel(model);
  }
}

/** What the policy draws by now for a request it has not seen. */
async function tryOnce(
  engine: Engine,
  tokenizer: Tokenizer,
  { seed, recipe }: RunConfig,
  step: number,
): Promise<Drawing | undefined> {
  const tasks = trainingTasks(seed, recipe.teacher.tasks + step, 1, recipe.profile);
  const [group] = await rollout({
    engine,
    tokenizer,
    env: diagramEnvironment({ scorer: scoreDiagram }),
    tasks,
    numGenerations: 1,
    seed,
    step,
    purpose: 'watch',
    temperature: 0,
    maxCompletionLength: recipe.evaluation.maxCompletionLength,
  });
  const messages = group?.episodes[0]?.messages ?? [];
  const replies = messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
  return group && drawingOf(group.task, replies);
}
