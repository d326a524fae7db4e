/** The policy with which all learning of the key-door task begins. */
import { createLocalEngine } from '../../engine/index.js';
import {
  keyDoorColours,
  keyDoorEnvironment,
  keyDoorPieces,
  type KeyDoorColour,
  type KeyDoorPlace,
  type KeyDoorTask,
  keyDoorTasks,
  keyDoorTurns,
} from '../../envs/key-door/index.js';
import { createModel, type Model, type ModelConfig } from '../../model/index.js';
import { randomStream, type RandomStream } from '../../tensor/index.js';
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

/** What people say at each place. */
export type Habit = (place: KeyDoorPlace, random: RandomStream) => KeyDoorColour;

/** They do not know what the keys are for. */
export const aimless: Habit = (_, random) => random.pick(keyDoorColours);

/** A policy that has learned to speak from people with this habit. */
export async function keyDoorPolicy(
  seed: number,
  tokenizer: Tokenizer,
  maxSteps: number,
  habit: Habit = aimless,
): Promise<Model> {
  const model = createModel(policyConfig(tokenizer.vocabSize), seed);
  const engine = createLocalEngine(model);
  const rows = Array.from({ length: 128 }, (_, index) => demonstration(seed, index, tokenizer, habit));
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

function demonstration(seed: number, index: number, tokenizer: Tokenizer, habit: Habit): TokensRow {
  const random = randomStream(seed, 'credit-assignment/episodes', 0, index);
  const episode = keyDoorEnvironment('outcome').start(keyDoorTasks[0] as KeyDoorTask);
  const messages: ChatMessage[] = [{ role: 'user', content: episode.initialObservation() }];
  const tokens: number[] = [];
  const mask: number[] = [];
  for (const place of keyDoorTurns) {
    const prompt = renderPrompt(tokenizer, messages);
    const content = habit(place, random);
    const reply = renderCompletion(tokenizer, content);
    mask.push(...new Array<number>(prompt.length - tokens.length).fill(0), ...reply.map(() => 1));
    tokens.push(...prompt.subarray(tokens.length), ...reply);
    messages.push({ role: 'assistant', content });
    const { nextObservation } = episode.step(content);
    messages.push({ role: 'user', content: nextObservation ?? '' });
  }
  return { tokens: Int32Array.from(tokens), mask: Uint8Array.from(mask) };
}
