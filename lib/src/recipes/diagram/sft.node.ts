import { createLocalEngine } from '../../engine/index.js';
import { saveModel } from '../../model/checkpoint.node.js';
import { disposeModel } from '../../model/index.js';
import { renderCompletion, renderPrompt, type Tokenizer } from '../../text/index.js';
import { readTrajectories } from '../../teachers/collect.node.js';
import type { TrajectoryRecord } from '../../teachers/index.js';
import { sft, type SFTRow, type SFTState, type SFTStep } from '../../trainers/index.js';
import { loadPolicy } from './policy.node.js';
import type { StageContext } from './stage.node.js';
import { dropTrainerState, train } from './training.node.js';

/** The base model learns to answer as the teacher did. Leaves the checkpoint `sft/`. */
export async function sftStage(context: StageContext): Promise<void> {
  const { folder, config, base, signal, emit } = context;
  const { model, tokenizer } = await loadPolicy(base);
  const engine = createLocalEngine(model);
  try {
    const rows = readTrajectories(folder.trajectories)
      .filter((record) => record.rejection === null)
      .flatMap((record) => rowsOf(record, tokenizer));
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
      onStep: ({ step, totalSteps, metrics }) =>
        emit({ kind: 'step', stage: 'sft', step, totalSteps, metrics }),
    });
    if (signal.aborted) return;
    await saveModel(folder.checkpoint('sft'), model, tokenizer);
    dropTrainerState(context, 'sft');
  } finally {
    engine.dispose();
    disposeModel(model);
  }
}

/** One row a turn: everything said before it is the prompt. */
function rowsOf({ turns }: TrajectoryRecord, tokenizer: Tokenizer): SFTRow[] {
  return turns.map(({ completion }, i) => {
    const before = turns
      .slice(0, i + 1)
      .flatMap((turn, t) => [
        { role: 'user' as const, content: turn.observation },
        ...(t < i ? [{ role: 'assistant' as const, content: turn.completion }] : []),
      ]);
    return { prompt: renderPrompt(tokenizer, before), completion: renderCompletion(tokenizer, completion) };
  });
}
