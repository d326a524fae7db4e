/**
 * Makes the base model: `data/corpus` in, `data/base` out.
 *
 * Left out on purpose: no diagram, no action, no canvas is ever read. What the base brings to the diagram task is what a language
 * model brings to any task: words, JSON, and the habit of copying.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../engine/create.node.js';
import { readCheckpoint, writeCheckpoint } from '../../engine/checkpoint.node.js';
import { actionPieces, observationPieces } from '../../envs/diagram/index.js';
import { writeFileAtomic } from '../../files.node.js';
import { createModel, disposeModel, presets } from '../../model/index.js';
import { saveModel } from '../../model/checkpoint.node.js';
import { randomStream } from '../../tensor/random.js';
import { chatTokens, tokenizerFromJSON, trainBpe, type Tokenizer } from '../../text/index.js';
import { sft, type SFTState } from '../../trainers/index.js';
import {
  buildCorpus,
  exerciseRow,
  type Corpus,
  type PackedRow,
  proseRow,
  type Sources,
  tokenizerTexts,
} from './corpus.js';
import { examine, type Examination } from './examine.js';
import type { BaseRecipe } from './recipe.js';

/** One line of the recorded curve. */
export interface CurvePoint {
  readonly step: number;
  readonly loss: number;
  readonly mean_token_accuracy: number;
  readonly learning_rate: number;
  readonly num_tokens: number;
  readonly eval?: Examination;
}

export interface PretrainOptions {
  readonly recipe: BaseRecipe;
  /** Folder of `.txt` books. */
  readonly corpusDir: string;
  /** Receives the model, its tokenizer, `recipe.json` and `curve.jsonl`. */
  readonly outDir: string;
  /** Go on from the last checkpoint in `outDir`, if there is one. */
  readonly resume?: boolean;
  /** Threads to compute with; they change no result. 1. */
  readonly workers?: number;
  readonly signal?: AbortSignal;
  readonly onPoint?: (point: CurvePoint, totalSteps: number) => void;
}

/** Reads a corpus folder: every `.txt` is a book, `modern-words.json` a list of words. Throws when there is no book. */
export function readSources(dir: string): Sources {
  const books = readdirSync(dir)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .map((name) => readFileSync(join(dir, name), 'utf8'));
  if (books.length === 0) throw new Error(`No .txt file in ${dir}: the base model needs books to read.`);
  const words = join(dir, 'modern-words.json');
  return {
    books,
    modernWords: existsSync(words) ? (JSON.parse(readFileSync(words, 'utf8')) as string[]) : [],
  };
}

/** The same tokenizer for the same sources and recipe. */
export function trainTokenizer(sources: Sources, recipe: BaseRecipe): Tokenizer {
  return trainBpe(tokenizerTexts(sources, recipe.seed), {
    vocabSize: recipe.vocabSize,
    specialTokens: chatTokens,
    pieces: [...actionPieces, ...observationPieces],
  });
}

function trainingRows(corpus: Corpus, tokenizer: Tokenizer, recipe: BaseRecipe): PackedRow[] {
  return Array.from({ length: recipe.rows }, (_, i) => {
    const random = randomStream(recipe.seed, 'row', 0, i);
    return random.uniform() < recipe.proseShare
      ? proseRow(corpus, random, recipe.rowLength)
      : exerciseRow(corpus, tokenizer, random, recipe.rowLength);
  });
}

/**
 * Trains the base model from random weights. Stops cleanly on `signal` and goes on with `resume`, to the same weights.
 * Returns true when it finished.
 */
export async function pretrain(options: PretrainOptions): Promise<boolean> {
  const { recipe, corpusDir, outDir, workers = 1, signal, onPoint } = options;
  const statePath = join(outDir, 'training-state.safetensors');
  const curvePath = join(outDir, 'curve.jsonl');
  const sources = readSources(corpusDir);

  const resuming = options.resume === true && existsSync(statePath);
  const tokenizer = resuming
    ? tokenizerFromJSON(readFileSync(join(outDir, 'tokenizer.json'), 'utf8'))
    : trainTokenizer(sources, recipe);
  writeFileAtomic(join(outDir, 'tokenizer.json'), tokenizer.toJSON());
  writeFileAtomic(join(outDir, 'recipe.json'), `${JSON.stringify(recipe, null, 2)}\n`);

  const corpus = buildCorpus(tokenizer, sources);
  const model = createModel(presets.nano(tokenizer.vocabSize), recipe.seed);
  const engine = createEngine(model, { workers });
  try {
    let curve: CurvePoint[] = [];
    let state: SFTState | undefined;
    if (resuming) {
      const checkpoint = readCheckpoint<{ state: SFTState; curve: CurvePoint[] }>(statePath);
      await engine.load(checkpoint.engine);
      ({ state, curve } = checkpoint.trainer);
    }
    const steps = sft({
      engine,
      rows: trainingRows(corpus, tokenizer, recipe),
      config: {
        maxSteps: recipe.steps,
        batchSize: recipe.batchSize,
        maxLength: recipe.rowLength,
        learningRate: recipe.learningRate,
        warmupSteps: recipe.warmupSteps,
        weightDecay: recipe.weightDecay,
        seed: recipe.seed,
      },
      ...(state && { state }),
      ...(signal && { signal }),
    });
    for await (const { step, totalSteps, metrics, state } of steps) {
      const due = step % recipe.checkpointEvery === 0 || step === totalSteps;
      const point = {
        ...curveNumbers(step, metrics),
        ...(due && { eval: await examine(engine, corpus, tokenizer, recipe) }),
      };
      curve.push(point);
      onPoint?.(point, totalSteps);
      if (due || signal?.aborted) {
        writeFileAtomic(curvePath, curve.map((p) => `${JSON.stringify(p)}\n`).join(''));
        writeCheckpoint(statePath, { engine: await engine.save(), trainer: { state, curve } });
      }
    }
    if (curve.length < recipe.steps) return false;
    await saveModel(outDir, model, tokenizer);
    rmSync(statePath, { force: true });
    return true;
  } finally {
    engine.dispose();
    disposeModel(model);
  }
}

const rounded = (value: number | undefined): number => Number((value ?? 0).toPrecision(6));

function curveNumbers(step: number, metrics: Readonly<Record<string, number>>): CurvePoint {
  return {
    step,
    loss: rounded(metrics['loss']),
    mean_token_accuracy: rounded(metrics['mean_token_accuracy']),
    learning_rate: rounded(metrics['learning_rate']),
    num_tokens: metrics['num_tokens'] ?? 0,
  };
}
