import { actionPieces } from 'posttrain/envs/diagram';
import { generateTask } from 'posttrain/envs/diagram/tasks';
import { createModel, disposeModel, presets } from 'posttrain/model';
import { saveModel } from 'posttrain/model/checkpoint.node';
import { chatTokens, trainBpe } from 'posttrain/text';

/** A base checkpoint with random weights, small enough that a whole pipeline over it takes seconds. */
export async function writeTinyBase(dir: string): Promise<void> {
  const texts = Array.from({ length: 60 }, (_, index) =>
    generateTask({ seed: 5, split: 'train', index, profile: 'curriculum' }),
  ).flatMap((task) => task.requests);
  const tokenizer = trainBpe(texts, { vocabSize: 600, specialTokens: chatTokens, pieces: actionPieces });
  const model = createModel(
    {
      ...presets.nano(tokenizer.vocabSize),
      hiddenSize: 32,
      intermediateSize: 64,
      numHiddenLayers: 1,
      numAttentionHeads: 2,
      numKeyValueHeads: 2,
      headDim: 16,
    },
    1,
  );
  await saveModel(dir, model, tokenizer);
  disposeModel(model);
}
