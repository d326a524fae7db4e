import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine, LogprobScorer } from 'posttrain/engine';
import { initBackend } from 'posttrain/tensor';
import { renderCompletion, renderPrompt } from 'posttrain/text';
import {
  distill,
  type DistillationConfig,
  type DistillationOptions,
  type DistillationState,
  type DistillationStep,
  sft,
} from 'posttrain/trainers';
import { letterTask, type LetterTask, letterTokenizer, letterWorld, shareOfA } from '../engine/tiny.js';
import { collect, interruptedRun, liveTensors, straightRun, withEngine } from './runs.js';

const requests = ['a', 'b', 'c', 'd'];
const letters = {
  tokenizer: letterTokenizer,
  tasks: requests.map((letter) => letterTask(letter, letter)),
  env: letterWorld(shareOfA),
};
const small: Partial<DistillationConfig> = {
  promptsPerStep: 2,
  numGenerations: 4,
  maxCompletionLength: 8,
  maxSteps: 4,
  learningRate: 0.01,
};

type Options = Pick<DistillationOptions<LetterTask>, 'engine' | 'teacher'> &
  Partial<DistillationOptions<LetterTask>>;
const run = (options: Options): Promise<DistillationStep[]> => collect(distill({ ...letters, ...options }));

const answers = requests.map((request) => ({
  prompt: renderPrompt(letterTokenizer, [{ role: 'user', content: request }]),
  completion: renderCompletion(letterTokenizer, 'aaaaaa'),
}));

/** Teaches a policy to answer `aaaaaa`; with few steps it knows what there is to say, and rarely says it right. */
const learnAnswers = async (engine: Engine, maxSteps: number): Promise<void> => {
  const config = { batchSize: 4, maxSteps, learningRate: 0.02, warmupSteps: 2 };
  await collect(sft({ engine, rows: answers, config }));
};

describe.each(['cpu', 'wasm'] as const)('distill on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it('finds no difference between a student and its copy (F5)', () =>
    withEngine(async (engine) => {
      const teacher = await engine.reference();
      const [step] = await run({ engine, teacher, config: { ...small, maxSteps: 1, temperature: 0.7 } });
      const { metrics } = step as DistillationStep;
      expect(Math.abs(metrics['kl'] as number)).toBeLessThan(1e-5);
      expect(metrics['grad_norm']).toBeLessThan(1e-4);
      expect(metrics['sampling/sampling_logp_difference/max']).toBeLessThan(1e-4);
      teacher.dispose();
    }));

  it('reports kl as its loss, and by the names of TRL', () =>
    withEngine(async (engine) => {
      const teacher = await withEngine((other) => other.reference(), 8);
      const [step] = await run({ engine, teacher, config: { ...small, maxSteps: 1 } });
      const { metrics, episodes } = step as DistillationStep;
      expect(metrics['kl']).toBeGreaterThan(0.01);
      expect(metrics['loss']).toBeCloseTo(metrics['kl'] as number, 4);
      const lengths = ['mean', 'min', 'max'].map((name) => `completions/${name}_length`);
      const names = ['kl', 'loss', 'entropy', 'grad_norm', 'learning_rate', 'reward', 'rewards/success/mean'];
      const counts = ['completions/clipped_ratio', 'num_tokens', 'num_samples', 'epoch', 'step_skipped'];
      expect(Object.keys(metrics)).toEqual(expect.arrayContaining([...names, ...lengths, ...counts]));
      expect(episodes).toHaveLength(8);
      teacher.dispose();
    }));

  it('goes on bit-identically after it was stopped', async () => {
    const teacher = await withEngine((other) => other.reference(), 8);
    const straight = await straightRun((engine) => distill({ ...letters, engine, teacher, config: small }));
    const interrupted = await interruptedRun<DistillationState>(
      (engine, signal) => distill({ ...letters, engine, teacher, config: small, signal }),
      (engine, state) => run({ engine, teacher, config: small, state }),
    );
    expect(interrupted).toEqual(straight);
    teacher.dispose();
  });

  it('keeps the number of tensors constant', () =>
    withEngine(async (engine) => {
      const teacher = await withEngine((other) => other.reference(), 8);
      const counts = await liveTensors(distill({ ...letters, engine, teacher, config: small }));
      expect(counts).toHaveLength(4);
      expect(new Set(counts).size).toBe(1);
      teacher.dispose();
    }));
});

it('makes the student do what the teacher does, without any reward', async () => {
  await initBackend({ backend: 'wasm' });
  const teacher = await withEngine(async (engine) => {
    await learnAnswers(engine, 40);
    return engine.reference();
  }, 3);
  await withEngine(async (engine) => {
    await learnAnswers(engine, 5);
    const steps = await run({
      engine,
      teacher,
      config: { ...small, promptsPerStep: 4, maxSteps: 30, warmupSteps: 2 },
    });
    const meanOf = (name: string, from: number, to: number): number =>
      steps.slice(from, to).reduce((sum, { metrics }) => sum + (metrics[name] as number), 0) / (to - from);
    expect(meanOf('kl', 0, 3)).toBeGreaterThan(0.7);
    expect(meanOf('kl', 27, 30)).toBeLessThan(0.2);
    expect(meanOf('reward', 27, 30)).toBeGreaterThan(0.95);
    // six letters and the end: it has learned to stop, too
    expect(Math.abs(meanOf('completions/mean_length', 27, 30) - 7)).toBeLessThan(0.3);
  });
  teacher.dispose();
});

describe('distill', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'cpu' });
  });

  it('says which token a teacher finds impossible', () =>
    withEngine(async (engine) => {
      const teacher: LogprobScorer = {
        logprobs: (sequences) =>
          Promise.resolve(sequences.map(({ mask }) => Float32Array.from(mask, (on) => (on ? -Infinity : 0)))),
        dispose: () => undefined,
      };
      await expect(run({ engine, teacher, config: small })).rejects.toThrow(
        /teacher gives token \d+ at 3 the log-probability -Infinity, .* share the student’s tokenizer/,
      );
    }));

  it('skips a step in which no prompt leaves room for a reply', () =>
    withEngine(async (engine) => {
      const teacher = await engine.reference();
      const [step] = await run({
        engine,
        teacher,
        config: { ...small, maxSteps: 1, maxCompletionLength: 62 },
      });
      expect(step?.metrics).toMatchObject({ step_skipped: 1, 'stop/context_overflow': 1 });
      expect(engine.policyVersion).toBe(0);
      teacher.dispose();
    }));
});
