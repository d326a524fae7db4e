import { beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, type DistributionScorer, type Engine } from 'posttrain/engine';
import { disposeModel } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import { renderCompletion, renderPrompt } from 'posttrain/text';
import {
  ConfigError,
  gkd,
  type GKDConfig,
  type GKDOptions,
  type GKDState,
  type GKDStep,
  sft,
} from 'posttrain/trainers';
import {
  bits,
  letterTask,
  type LetterTask,
  letterTokenizer,
  letterWorld,
  shareOfA,
  tinyModel,
} from '../engine/tiny.js';
import { collect, interruptedRun, liveTensors, straightRun, withEngine } from './runs.js';

const requests = ['a', 'b', 'c', 'd'];
const letters = {
  tokenizer: letterTokenizer,
  tasks: requests.map((letter) => letterTask(letter, letter)),
  env: letterWorld(shareOfA),
};
const answers = requests.map((request) => ({
  prompt: renderPrompt(letterTokenizer, [{ role: 'user', content: request }]),
  completion: renderCompletion(letterTokenizer, 'aaaaaa'),
}));
const small: Partial<GKDConfig> = {
  promptsPerStep: 2,
  numGenerations: 2,
  maxCompletionLength: 8,
  maxSteps: 6,
  learningRate: 0.01,
};

type Options = Pick<GKDOptions<LetterTask>, 'engine' | 'teacher'> & Partial<GKDOptions<LetterTask>>;
const start = (options: Options) => gkd({ ...letters, rows: answers, ...options });
const run = (options: Options): Promise<GKDStep[]> => collect(start(options));
const otherPolicy = (): Promise<DistributionScorer> => withEngine((other) => other.reference(), 8);
const wasSampled = ({ metrics }: Pick<GKDStep, 'metrics'>): boolean => 'completions/mean_length' in metrics;

describe.each(['cpu', 'wasm'] as const)('gkd on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it.each([0, 0.3, 1])('finds no difference between a student and its copy, beta %d (F5)', (beta) =>
    withEngine(async (engine) => {
      const teacher = await engine.reference();
      const [step] = await run({ engine, teacher, config: { ...small, beta, lmbda: 1, maxSteps: 1 } });
      expect(Math.abs(step?.metrics['loss'] as number)).toBeLessThan(1e-6);
      expect(step?.metrics['grad_norm']).toBeLessThan(1e-5);
      expect(step?.metrics['sampling/sampling_logp_difference/max']).toBeLessThan(1e-4);
      teacher.dispose();
    }),
  );

  it('goes on bit-identically after it was stopped, whoever’s turn it is', async () => {
    const teacher = await otherPolicy();
    const config = { ...small, seed: 9 };
    const straight = await straightRun((engine) => start({ engine, teacher, config }));
    // both kinds of step, before the stop and after it
    const turns = straight.metrics.map((metrics) => wasSampled({ metrics }));
    expect(new Set(turns.slice(0, 2)).size + new Set(turns.slice(2)).size).toBe(4);
    const interrupted = await interruptedRun<GKDState>(
      (engine, signal) => start({ engine, teacher, config, signal }),
      (engine, state) => run({ engine, teacher, config, state }),
    );
    expect(interrupted).toEqual(straight);
    teacher.dispose();
  });

  it('keeps the number of tensors constant', () =>
    withEngine(async (engine) => {
      const teacher = await otherPolicy();
      const counts = await liveTensors(start({ engine, teacher, config: small }));
      expect(counts).toHaveLength(6);
      expect(new Set(counts).size).toBe(1);
      teacher.dispose();
    }));
});

describe('gkd', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('comes to the same gradient however its batch is cut', async () => {
    const teacher = await otherPolicy();
    const config = { ...small, lmbda: 1, maxSteps: 1, promptsPerStep: 4 };
    const stepIn = async (microBatchTokens: number): Promise<GKDStep> => {
      const model = tinyModel();
      const engine = createLocalEngine(model, { microBatchTokens });
      const [step] = await run({ engine, teacher, config });
      engine.dispose();
      disposeModel(model);
      return step as GKDStep;
    };
    const [whole, cut] = [await stepIn(1024), await stepIn(12)];
    for (const key of ['loss', 'grad_norm', 'entropy'])
      expect(cut.metrics[key]).toBeCloseTo(whole.metrics[key] as number, 6);
    teacher.dispose();
  });

  it('holds few distributions at a time, and trains on all of them (a batch beyond 4,096 tokens)', () =>
    withEngine(async (engine) => {
      const teacher = await otherPolicy();
      const long = { tokens: letterTokenizer.encode('abcdefg '.repeat(8)) };
      const asked: number[] = [];
      const watched = {
        ...teacher,
        distributions: (sequences: Parameters<DistributionScorer['distributions']>[0]) => {
          asked.push(sequences.length);
          return teacher.distributions(sequences);
        },
      };
      const config = { ...small, lmbda: 0, maxSteps: 1, numGenerations: 1, shuffleDataset: false };
      const lossOf = async (count: number): Promise<number> => {
        const [step] = await run({
          engine,
          teacher: watched,
          rows: [long],
          config: { ...config, promptsPerStep: count, learningRate: 1e-12 },
        });
        return step?.metrics['loss'] as number;
      };
      const single = await lossOf(1);
      expect(await lossOf(70)).toBeCloseTo(single, 5);
      expect(asked).toEqual([1, 64, 6]);
      teacher.dispose();
    }));

  it('takes its turns by lot: all its own at lmbda 1, none at 0', () =>
    withEngine(async (engine) => {
      const teacher = await otherPolicy();
      const turns = async (lmbda: number): Promise<number> =>
        (await run({ engine, teacher, config: { ...small, lmbda, maxSteps: 12 } })).filter(wasSampled).length;
      expect([await turns(0), await turns(1)]).toEqual([0, 12]);
      const some = await turns(0.5);
      expect(some).toBeGreaterThan(2);
      expect(some).toBeLessThan(10);
      teacher.dispose();
    }));

  it('visits rows in order across its turns, and counts what it reads', () =>
    withEngine(async (engine) => {
      const teacher = await otherPolicy();
      const seen: string[] = [];
      const watched = new Proxy(engine, {
        get: (target, verb) => {
          if (verb !== 'forwardBackward') {
            const value: unknown = Reflect.get(target, verb, target);
            return typeof value === 'function' ? (value.bind(target) as unknown) : value;
          }
          return (...args: Parameters<Engine['forwardBackward']>) => {
            seen.push(args[0].map(({ tokens }) => letterTokenizer.decode(tokens.subarray(1, 2))).join(''));
            return target.forwardBackward(...args);
          };
        },
      });
      const config = { ...small, numGenerations: 1, maxSteps: 8, shuffleDataset: false };
      const steps = await run({ engine: watched, teacher, config });
      const onRows = steps.flatMap((step, n) => (wasSampled(step) ? [] : [seen[n]]));
      expect(onRows).toEqual(onRows.map((_, n) => (n % 2 === 0 ? 'ab' : 'cd')));
      expect(onRows.length).toBeGreaterThan(1);
      const first = steps.findIndex((step) => !wasSampled(step));
      const before = steps[first - 1]?.metrics['num_tokens'] ?? 0;
      expect(steps[first]?.metrics['num_tokens']).toBe(before + 2 * 10);
      teacher.dispose();
    }));

  it('makes the student do what the teacher does, in given replies and then in its own', async () => {
    const teacher = await withEngine(async (engine) => {
      const config = { batchSize: 4, maxSteps: 40, learningRate: 0.02, warmupSteps: 2 };
      await collect(sft({ engine, rows: answers, config }));
      return engine.reference();
    }, 3);
    await withEngine(async (engine) => {
      const config = { ...small, promptsPerStep: 4, learningRate: 0.02, warmupSteps: 2, temperature: 1 };
      const given = await run({ engine, teacher, config: { ...config, lmbda: 0, maxSteps: 20 } });
      expect(given[0]?.metrics['loss']).toBeGreaterThan(0.3);
      expect(given.at(-1)?.metrics['loss']).toBeLessThan(0.12);
      const own = await run({ engine, teacher, config: { ...config, lmbda: 1, beta: 1, maxSteps: 30 } });
      const meanOf = (name: string, from: number): number =>
        own.slice(from, from + 3).reduce((sum, { metrics }) => sum + (metrics[name] as number) / 3, 0);
      expect(meanOf('loss', 27)).toBeLessThan(0.3 * meanOf('loss', 0));
      expect(meanOf('reward', 27)).toBeGreaterThan(0.95);
    });
    teacher.dispose();
  });

  it('refuses a teacher of another vocabulary (F8), and turns without rows', () =>
    withEngine(async (engine) => {
      const teacher = await otherPolicy();
      const larger: DistributionScorer = {
        ...teacher,
        distributions: (sequences) =>
          Promise.resolve(
            sequences.map(({ mask }) => new Float32Array(14 * Array.from(mask).filter(Boolean).length)),
          ),
      };
      const before = bits(await engine.save());
      await expect(run({ engine, teacher: larger, config: { ...small, lmbda: 0 } })).rejects.toThrow(
        /`teacherLogprobs` has 98 entries, expected 7 trained tokens × 13 .* share the student’s vocabulary/,
      );
      expect(bits(await engine.save())).toEqual(before);
      const noRows = run({ engine, teacher, rows: [], config: small });
      await expect(noRows).rejects.toThrow(ConfigError);
      await expect(noRows).rejects.toThrow(
        /lmbda is 0.5, so some steps learn from `rows`, but there are none/,
      );
      teacher.dispose();
    }));
});
