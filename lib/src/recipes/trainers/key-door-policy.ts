/** The policy with which all learning of the key-door task begins. */
import { createLocalEngine } from '../../engine/index.js';
import {
  keyDoorColours,
  keyDoorEnvironment,
  keyDoorPieces,
  type KeyDoorTask,
  keyDoorTasks,
  keyDoorTurns,
} from '../../envs/key-door/index.js';
import { createModel, type Model, type ModelConfig } from '../../model/index.js';
import { randomStream } from '../../tensor/index.js';
import {
  chatTokens,
  renderCompletion,
  renderPrompt,
  trainBpe,
  type ChatMessage,
  type Tokenizer,
} from '../../text/index.js';
import { sft, type TokensRow } from '../../trainers/index.js';
import { lastOf } from './measurements.js';

/** Places and colours are one token each, everything else is bytes. */
export function keyDoorTokenizer(): Tokenizer {
  return trainBpe([], {
    vocabSize: chatTokens.length + keyDoorPieces.length + 256,
    specialTokens: chatTokens,
    pieces: keyDoorPieces,
  });
}

/** A policy that answers with words that make sense, all equally likely. */
export async function keyDoorPolicy(seed: number, tokenizer: Tokenizer, maxSteps: number): Promise<Model> {
  const model = createModel(policyConfig(tokenizer.vocabSize), seed);
  const engine = createLocalEngine(model);
  const rows = Array.from({ length: 128 }, (_, index) => randomEpisode(seed, index, tokenizer));
  const config = { maxSteps, batchSize: 16, learningRate: 5e-3, warmupSteps: 5, seed };
  try {
    await lastOf(sft({ engine, rows, config }));
    return model;
  } finally {
    engine.dispose();
  }
}

function policyConfig(vocabSize: number): ModelConfig {
  return {
    modelType: 'llama',
    vocabSize,
    hiddenSize: 32,
    intermediateSize: 64,
    numHiddenLayers: 2,
    numAttentionHeads: 2,
    numKeyValueHeads: 2,
    headDim: 16,
    maxPositionEmbeddings: 64,
    ropeTheta: 10_000,
    rmsNormEps: 1e-6,
    tieWordEmbeddings: true,
  };
}

/** An episode of someone who does not know what the keys are for. */
function randomEpisode(seed: number, index: number, tokenizer: Tokenizer): TokensRow {
  const random = randomStream(seed, 'credit-assignment/episodes', 0, index);
  const episode = keyDoorEnvironment('outcome').start(keyDoorTasks[0] as KeyDoorTask);
  const messages: ChatMessage[] = [{ role: 'user', content: episode.initialObservation() }];
  const tokens: number[] = [];
  const mask: number[] = [];
  for (let turn = 0; turn < keyDoorTurns.length; turn += 1) {
    const prompt = renderPrompt(tokenizer, messages);
    const content = random.pick(keyDoorColours);
    const reply = renderCompletion(tokenizer, content);
    mask.push(...new Array<number>(prompt.length - tokens.length).fill(0), ...reply.map(() => 1));
    tokens.push(...prompt.subarray(tokens.length), ...reply);
    messages.push({ role: 'assistant', content });
    const { nextObservation } = episode.step(content);
    messages.push({ role: 'user', content: nextObservation ?? '' });
  }
  return { tokens: Int32Array.from(tokens), mask: Uint8Array.from(mask) };
}
